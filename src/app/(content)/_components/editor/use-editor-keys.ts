import { type RefObject, useEffect } from 'react'
import { publishMenuId, type View } from './view'

/** The keys of the editor page: save, publish and preview. Those of the text are in writing-pane.tsx. */
export function useEditorKeys(marker: RefObject<HTMLInputElement | null>, setView: (view: View) => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event
      if (!(ctrlKey || metaKey) || altKey || event.isComposing || document.querySelector('dialog:modal')) return
      const form = marker.current?.form
      if (key.toLowerCase() === 's' && !shiftKey) {
        // Also where there is nothing to save: the browser would save the page as a file.
        event.preventDefault()
        form?.querySelector<HTMLElement>('button[name="step"][value="save"]')?.click()
      } else if (key === 'Enter') {
        const menu = document.getElementById(publishMenuId)
        if (!menu) return
        event.preventDefault()
        if (!menu.matches(':popover-open')) menu.showPopover()
        menu.querySelector<HTMLElement>('button[name="step"]')?.focus()
      } else if (key.toLowerCase() === 'p' && shiftKey) {
        event.preventDefault()
        const isPreview = new URLSearchParams(window.location.search).get('view') === 'preview'
        setView(isPreview ? 'split' : 'preview')
      }
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [marker, setView])
}
