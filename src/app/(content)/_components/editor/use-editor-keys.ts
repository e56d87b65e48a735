import { type RefObject, useEffect } from 'react'
import { publishMenuId, type View } from './view'

/** Whether a key belongs to the composition of a character. Safari sends the Enter that ends one afterwards, with this code. */
export const isComposing = ({ isComposing, keyCode }: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>) =>
  isComposing || keyCode === 229

/** Whether the key for commands is held. On a Mac, Control and a letter move the cursor. */
export const hasCommandKey = ({ ctrlKey, metaKey }: Pick<KeyboardEvent, 'ctrlKey' | 'metaKey'>) =>
  /Mac OS|iPhone|iPad/.test(navigator.userAgent) ? metaKey : ctrlKey

/** The keys of the editor page: save, publish and preview. Those of the text are in writing-pane.tsx. */
export function useEditorKeys(marker: RefObject<HTMLInputElement | null>, setView: (view: View) => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, altKey, shiftKey } = event
      if (!hasCommandKey(event) || altKey || isComposing(event) || document.querySelector('dialog:modal')) return
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
