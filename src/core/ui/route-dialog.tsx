'use client'

import { usePathname, useRouter } from 'next/navigation'
import { type ReactNode, useEffect, useRef, useState } from 'react'

/**
 * A page in a dialog, for an intercepting route: `showModal()` when it appears, and back in the history when it closes. First
 * the safe button has focus (`data-dialog-focus`), or a field with `data-dialog-focus="field"`; a link with `data-dialog-close`
 * closes the dialog. Then focus returns to where it was, or to the button of the menu that it was in.
 * @public For the intercepting routes of modules.
 */
export function RouteDialog({
  labelledBy,
  describedBy,
  children,
}: {
  labelledBy: string
  describedBy?: string
  children: ReactNode
}) {
  const router = useRouter()
  const path = usePathname()
  // The router keeps a slot for which the next page has none: the dialog must not stay with it.
  const [ownPath] = useState(path)
  const isCurrent = path === ownPath
  const dialog = useRef<HTMLDialogElement>(null)
  const opener = useRef<HTMLElement>(null)

  useEffect(() => {
    const element = dialog.current
    if (!isCurrent || !element) return
    opener.current ??= openerOf(document.activeElement)
    if (!element.open) element.showModal()
    const first = element.querySelector('[data-dialog-focus="field"]') ?? element.querySelector('[data-dialog-focus]')
    if (first instanceof HTMLElement) first.focus()
    const closeByLink = (event: MouseEvent) => {
      const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey
      if (!isPlain || !(event.target as Element).closest('[data-dialog-close]')) return
      // Before the link itself, which would add an entry to the history instead of going back.
      event.preventDefault()
      element.close()
    }
    element.addEventListener('click', closeByLink, true)
    return () => {
      element.removeEventListener('click', closeByLink, true)
      focusAgain(opener.current)
    }
  }, [isCurrent])

  if (!isCurrent) return null
  return (
    <dialog
      ref={dialog}
      data-slot="dialog"
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      onClose={() => router.back()}
    >
      {children}
    </dialog>
  )
}

/** An action may have replaced the list that the opener was in: then the page itself has the focus. */
function focusAgain(opener: HTMLElement | null): void {
  const main = document.getElementById('main')
  if (opener?.isConnected) opener.focus({ preventScroll: true })
  else if (main && opener) {
    main.tabIndex = -1
    main.focus({ preventScroll: true })
  }
}

/** What to focus when the dialog is gone: a menu closes when the dialog opens, so its button instead of its items. */
function openerOf(focused: Element | null): HTMLElement | null {
  const menu = focused?.closest('[popover]')
  const opener = menu ? document.querySelector(`[popovertarget="${menu.id}"]`) : focused
  return opener instanceof HTMLElement && opener !== document.body ? opener : null
}
