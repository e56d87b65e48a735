'use client'

import { useEffect, useRef, useState } from 'react'
import type { PaletteCommand } from '../search/match-commands'
import { buttonVariants, hintClass } from './control'
import { pageShortcuts, shortcuts } from './shortcuts'

const storeSetting = (isOn: boolean) => {
  try {
    if (isOn) localStorage.removeItem('shortcuts')
    else localStorage.setItem('shortcuts', 'off')
  } catch {
    // Storage is disabled, so the shortcuts stay on.
  }
}

/** All keyboard shortcuts, and the setting that turns those of a single key off. */
export function ShortcutHelp({
  commands,
  isApple,
  isInitiallyOn,
  onClose,
}: {
  commands: PaletteCommand[]
  isApple: boolean
  isInitiallyOn: boolean
  onClose: () => void
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isOn, setIsOn] = useState(isInitiallyOn)
  const [ofPage] = useState(() =>
    pageShortcuts().map(({ keys, element }) => ({ keys, label: element.ariaLabel ?? element.textContent ?? '' })),
  )
  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal()
  }, [])
  const ofCommands = commands.flatMap(({ keys, label }) => (keys ? [{ keys, label }] : []))
  const groups = [
    ...shortcuts,
    { title: 'Go to', items: ofCommands.filter(({ keys }) => keys.includes(' ')) },
    { title: 'Create', items: ofCommands.filter(({ keys }) => !keys.includes(' ')) },
    { title: 'This page', items: ofPage },
  ].filter(({ items }) => items.length > 0)
  return (
    <dialog
      ref={dialog}
      data-slot="dialog"
      aria-labelledby="shortcut-help"
      onClose={onClose}
      className="max-h-[calc(100dvh-4rem)]"
    >
      <div className="grid gap-4 p-5">
        <div className="flex items-center justify-between gap-3">
          <h2 id="shortcut-help" className="font-semibold text-base">
            Keyboard shortcuts
          </h2>
          <button
            type="button"
            onClick={() => dialog.current?.close()}
            className={buttonVariants({ variant: 'outline', size: 'small' })}
          >
            Close
          </button>
        </div>
        {groups.map(({ title, items }) => (
          <section key={title} aria-label={title}>
            <h3 className="pb-1 font-medium text-muted-foreground text-xs">{title}</h3>
            <dl className="divide-y">
              {items.map(({ keys, label }) => (
                <div
                  key={`${keys} ${label}`}
                  className="flex min-h-9 items-center justify-between gap-4 py-1.5 text-sm"
                >
                  <dt>{label}</dt>
                  <dd className="flex shrink-0 gap-1">
                    {keys.split(' ').map((key) => (
                      <kbd key={key}>{key === 'Mod' ? (isApple ? '⌘' : 'Ctrl') : key}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <div className="border-t pt-4">
          <label className="flex items-center gap-2.5 font-medium text-sm">
            <input
              type="checkbox"
              checked={isOn}
              onChange={(event) => {
                setIsOn(event.target.checked)
                storeSetting(event.target.checked)
              }}
            />
            Single-key shortcuts
          </label>
          <p className={`mt-1 ${hintClass}`}>
            Turn them off if you press keys by accident. {isApple ? '⌘K' : 'Ctrl K'} keeps working.
          </p>
        </div>
      </div>
    </dialog>
  )
}
