'use client'

import type { Route } from 'next'
import { useRouter } from 'next/navigation'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { matchCommands, type PaletteCommand } from '../search/match-commands'
import { type Item, Option, optionId, PaletteIcon } from './palette-option'
import { useSearch } from './use-search'

const themeItems: Item[] = ['Light', 'Dark', 'System'].map((theme) => ({
  label: `${theme} theme`,
  icon: 'theme',
  // The button is in the account menu; the early script handles the click.
  run: () => document.querySelector<HTMLElement>(`[data-set-theme="${theme.toLowerCase()}"]`)?.click(),
}))

/** What was opened last, until the page is loaded again. Not in any storage, because it contains names of users. */
let recentItems: Item[] = []
const remember = (item: Item) => {
  recentItems = [item, ...recentItems.filter(({ href }) => href !== item.href)].slice(0, 3)
}

function useItems(text: string, commands: PaletteCommand[], onHelp: () => void) {
  const found = useSearch(text)
  const own: Item[] = [{ label: 'Keyboard shortcuts', keys: '?', icon: 'keyboard', run: onHelp }]
  const groups: { title: string; items: Item[] }[] =
    text === ''
      ? [
          { title: 'Recent', items: recentItems },
          { title: 'Commands', items: [...commands, ...own] },
        ]
      : [
          { title: 'Commands', items: matchCommands<Item>([...commands, ...own, ...themeItems], text) },
          ...found.groups.map(({ title, results }) => ({
            title,
            items: results.map((result): Item => ({ ...result, icon: 'file' })),
          })),
          {
            title: 'Search',
            items: [
              { label: `All results for “${text}”`, icon: 'search', href: `/search?q=${encodeURIComponent(text)}` },
            ],
          },
        ]
  return { ...found, groups: groups.filter(({ items }) => items.length > 0) }
}

/** Search and commands in one dialog. It filters commands at once, and asks the server for everything else. */
export function CommandPalette({
  commands,
  isApple,
  onClose,
  onHelp,
}: {
  commands: PaletteCommand[]
  isApple: boolean
  onClose: () => void
  onHelp: () => void
}) {
  const router = useRouter()
  const dialog = useRef<HTMLDialogElement>(null)
  const [input, setInput] = useState('')
  // By name, not by position: results that arrive must not change which option the user has moved to.
  const [active, setActive] = useState<string | null>(null)
  const closeThen = (next?: () => void) => {
    if (next) dialog.current?.addEventListener('close', next, { once: true })
    dialog.current?.close()
  }
  const { groups, isComplete, isLoading } = useItems(input.trim(), commands, onHelp)
  const options = groups.flatMap(({ title, items }) => items.map((item) => ({ item, name: nameOf(title, item) })))
  const activeIndex = Math.max(
    0,
    options.findIndex(({ name }) => name === active),
  )
  // The last option only leads to the search page.
  const count = options.length - 1

  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal()
  }, [])
  useEffect(() => {
    document.getElementById(optionId(activeIndex))?.scrollIntoView({ block: 'nearest' })
  }, [activeIndex])

  const open = (item: Item | undefined, isNewTab: boolean) => {
    if (!item) return
    if (!item.href) return closeThen(item.run)
    remember(item)
    closeThen()
    if (isNewTab) window.open(item.href, '_blank', 'noopener')
    else router.push(item.href as Route)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const isMod = event.metaKey || event.ctrlKey
    // A dialog that was just closed has the focus until the next frame: what is typed then is for the page.
    if (event.nativeEvent.isComposing || !dialog.current?.open) return
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = moves[event.key]
    if (step) setActive(options.at((activeIndex + step) % options.length)?.name ?? null)
    else if (event.key === 'Enter' && event.target instanceof HTMLInputElement) open(options[activeIndex]?.item, isMod)
    else if (isMod && event.key.toLowerCase() === 'k') closeThen()
    else if (event.key === '?' && input === '') closeThen(onHelp)
    else return
    event.preventDefault()
  }

  return (
    <dialog
      ref={dialog}
      data-slot="palette"
      aria-label="Search"
      onClose={onClose}
      onKeyDown={onKeyDown}
      onClick={(event) => event.target === event.currentTarget && closeThen()}
      className="mx-auto mt-[min(6.875rem,12dvh)] w-[min(37.5rem,calc(100vw-2rem))] animate-[fade-in_120ms_ease-out] overflow-hidden rounded-[14px] bg-popover text-popover-foreground shadow-e3 backdrop:bg-[light-dark(oklch(0.3_0.01_150/28%),oklch(0_0_0/55%))] backdrop:[backdrop-filter:blur(2px)]"
    >
      <div className="flex h-12.5 items-center gap-2.5 border-b px-4">
        <PaletteIcon name="search" />
        <input
          role="combobox"
          aria-label="Search or jump to…"
          aria-expanded={true}
          aria-controls="palette-results"
          aria-activedescendant={optionId(activeIndex)}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          placeholder="Search or jump to…"
          value={input}
          onChange={(event) => {
            setInput(event.target.value)
            setActive(null)
          }}
          className="h-full min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-faint sm:text-[0.9375rem]"
        />
        <span aria-hidden="true">
          <kbd>esc</kbd>
        </span>
      </div>
      <div
        id="palette-results"
        role="listbox"
        aria-label="Results"
        className="max-h-[min(25rem,calc(100dvh-13rem))] overflow-y-auto pb-2"
      >
        {groups.map((group, groupIndex) => {
          const before = groups.slice(0, groupIndex).reduce((total, one) => total + one.items.length, 0)
          return (
            // biome-ignore lint/a11y/useSemanticElements: a group of options; a fieldset is for fields
            <div key={group.title} role="group" aria-label={group.title}>
              <p aria-hidden="true" className="px-4 pt-2.5 pb-1 font-medium text-muted-foreground text-xs">
                {group.title}
              </p>
              {group.items.map((item, index) => (
                <Option
                  key={nameOf(group.title, item)}
                  item={item}
                  index={before + index}
                  isActive={before + index === activeIndex}
                  onPoint={() => setActive(nameOf(group.title, item))}
                  onOpen={() => open(item, false)}
                />
              ))}
            </div>
          )
        })}
      </div>
      <p role="status" className={isComplete ? 'sr-only' : 'px-4 pb-3 text-sm text-warning-text'}>
        {isComplete
          ? !isLoading && input.trim() && (count === 1 ? '1 result' : `${count} results`)
          : 'Some results couldn’t be loaded. Try again in a moment.'}
      </p>
      <div className="flex h-9.5 items-center gap-4 border-t bg-muted px-4 text-muted-foreground text-xs">
        <span className="max-sm:hidden">
          <kbd>↑</kbd> <kbd>↓</kbd> move
        </span>
        <span className="max-sm:hidden">
          <kbd>↵</kbd> open
        </span>
        <span className="max-sm:hidden">
          <kbd>{isApple ? '⌘' : 'Ctrl'}</kbd> <kbd>↵</kbd> new tab
        </span>
        <button
          type="button"
          onClick={() => closeThen(onHelp)}
          className="ms-auto h-6 rounded-sm hover:text-foreground"
        >
          <kbd>?</kbd> all shortcuts
        </button>
      </div>
    </dialog>
  )
}

const nameOf = (group: string, { label, href }: Item) => `${group} ${label} ${href}`
