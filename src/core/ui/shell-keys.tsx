'use client'

import type { Route } from 'next'
import { useRouter } from 'next/navigation'
import { type ReactElement, useEffect, useState } from 'react'
import type { PaletteCommand } from '../search/match-commands'

const fields = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]'
/** A field in a dialog that was just closed has focus until the next frame. */
const isTyping = (target: Element) => target.closest(fields) && !target.closest('dialog:not([open])')
/** A key for each opening: React must not reuse a dialog that was just closed, and would not open again. */
let opened = 0
const searchButton = '[data-slot="search-button"]'

/** Shortcuts of a single key can be turned off in the help dialog, for users who press keys by accident or by voice. */
const areOff = () => {
  try {
    return localStorage.getItem('shortcuts') === 'off'
  } catch {
    return false
  }
}

const loadPalette = () => import('./command-palette')
const loadShortcuts = () => import('./shortcuts')

interface DialogProps {
  commands: PaletteCommand[]
  isApple: boolean
  onClose: () => void
}

/**
 * The keyboard of the app shell, and the dialogs that it opens. Every page loads this listener, so it only decides which keys
 * are ours: what they do is loaded with the first of them.
 */
export function ShellKeys({ commands, isApple }: { commands: PaletteCommand[]; isApple: boolean }) {
  const { push } = useRouter()
  const [dialog, setDialog] = useState<ReactElement | null>(null)

  useEffect(() => {
    const context = {
      commands,
      go: (href: string) => push(href as Route),
      openPalette: () => {
        loadPalette()
          .then(({ CommandPalette }) =>
            show((key, props) => <CommandPalette key={key} {...props} onHelp={context.openHelp} />),
          )
          .catch(() => location.assign('/search'))
      },
      openHelp: () => {
        import('./shortcut-help')
          .then(({ ShortcutHelp }) =>
            show((key, props) => <ShortcutHelp key={key} {...props} isInitiallyOn={!areOff()} />),
          )
          .catch(() => {})
      },
    }
    const show = (render: (key: string, props: DialogProps) => ReactElement) => {
      const key = String(++opened)
      // The browser reports that a dialog was closed a moment later: another may have been opened meanwhile.
      const onClose = () => setDialog((shown) => (shown?.key === key ? null : shown))
      setDialog(render(key, { commands, isApple, onClose }))
    }

    const onKeyDown = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey, shiftKey } = event
      if (event.isComposing || event.defaultPrevented || !(target instanceof Element)) return
      if (document.querySelector('dialog:modal')) return
      if ((ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k') {
        event.preventDefault()
        context.openPalette()
      }
      if (ctrlKey || metaKey || altKey || isTyping(target)) return
      const menu = target.closest('[data-slot="menu"]')
      if (
        menu
          ? /^(Arrow(Up|Down)|Home|End)$/.test(key)
          : key === 'ArrowDown' && target.closest('[data-slot="menu-button"]')
      ) {
        event.preventDefault()
        loadShortcuts().then(
          ({ moveInMenu }) => moveInMenu(target, key),
          () => {},
        )
      } else if (!menu && key.length === 1 && key !== ' ' && !areOff()) {
        // Firefox would open its own search.
        if (key === '/') event.preventDefault()
        loadShortcuts().then(
          ({ press }) => press(key, context),
          () => {},
        )
      }
    }
    const onPoint = ({ target }: Event) => {
      if (target instanceof Element && target.closest(searchButton)) loadPalette().catch(() => {})
    }
    const onClick = (event: MouseEvent) => {
      const { target, ctrlKey, metaKey, shiftKey } = event
      if (event.defaultPrevented || !(target instanceof Element) || ctrlKey || metaKey || shiftKey) return
      if (target.closest(searchButton)) {
        event.preventDefault()
        context.openPalette()
      }
      if (target.closest('[data-slot="shortcuts-button"]')) context.openHelp()
    }
    const listeners = { keydown: onKeyDown, pointerover: onPoint, focusin: onPoint, click: onClick }
    const each = Object.entries(listeners) as [string, (event: Event) => void][]
    for (const [name, listener] of each) document.addEventListener(name, listener)
    return () => {
      for (const [name, listener] of each) document.removeEventListener(name, listener)
    }
  }, [commands, isApple, push])

  return dialog
}
