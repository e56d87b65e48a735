import type { PaletteCommand } from '../search/match-commands'

interface Context {
  commands: PaletteCommand[]
  go: (href: string) => void
  openPalette: () => void
  openHelp: () => void
}

interface Shortcut {
  keys: string
  label: string
  /** Returns false if there is nothing on this page to use it on. Without it, the browser or the shell handles the key. */
  run?: (context: Context) => boolean
}

/** Every key but those of commands and of the page: the listener below and the help dialog both read this table. */
export const shortcuts: { title: string; items: Shortcut[] }[] = [
  {
    title: 'General',
    items: [
      { keys: 'Mod K', label: 'Search or jump to…' },
      { keys: '/', label: 'Search this page', run: focusPageSearch },
      { keys: '?', label: 'Show keyboard shortcuts', run: ({ openHelp }) => act(openHelp) },
      { keys: 'Esc', label: 'Close a dialog or menu' },
    ],
  },
  {
    title: 'Lists',
    items: [
      { keys: 'j', label: 'Next row', run: () => moveRow(1) },
      { keys: 'k', label: 'Previous row', run: () => moveRow(-1) },
      { keys: 'x', label: 'Select row', run: () => clickIn(currentRow(), 'input[type="checkbox"]:not(:disabled)') },
      { keys: 'Enter', label: 'Open row' },
      { keys: '.', label: 'Open row menu', run: openRowMenu },
      { keys: '↑ ↓', label: 'Move in a menu' },
    ],
  },
]

const sequenceTimeoutMs = 1_500
let started = ''
let startedAt = 0

/** Handles a key that was pressed outside of any field. */
export function press(key: string, context: Context): void {
  const isSecond = started !== '' && Date.now() - startedAt < sequenceTimeoutMs
  const command = isSecond ? findCommand(`${started} ${key}`, context.commands) : undefined
  started = ''
  if (command) {
    context.go(command.href)
    return
  }
  if (context.commands.some(({ keys }) => keys?.startsWith(`${key} `))) {
    started = key
    startedAt = Date.now()
    return
  }
  const shortcut = shortcuts.flatMap(({ items }) => items).find(({ keys }) => keys === key)
  if (shortcut?.run?.(context) || clickPageShortcut(key)) return
  const found = findCommand(key, context.commands)
  if (found) context.go(found.href)
}

const sectionOf = (href: string) => href.split(/[/?#]/)[1]

/** Of several commands with the same keys, such as "new", the one in the section of the current page. */
function findCommand(keys: string, commands: PaletteCommand[]): PaletteCommand | undefined {
  const found = commands.filter((command) => command.keys === keys)
  return found.length > 1 ? found.find(({ href }) => sectionOf(href) === sectionOf(location.pathname)) : found[0]
}

function act(work: () => void): true {
  work()
  return true
}

function clickIn(parent: Element | null | undefined, selector: string): boolean {
  const element = parent?.querySelector<HTMLElement>(selector)
  element?.click()
  return Boolean(element)
}

/** A page may give a key to a link or button of its own: `aria-keyshortcuts="e"`. */
export const pageShortcuts = (): { keys: string; element: HTMLElement }[] =>
  [...document.querySelectorAll<HTMLElement>('[aria-keyshortcuts]')]
    .filter((element) => element.checkVisibility())
    .map((element) => ({ keys: element.getAttribute('aria-keyshortcuts') ?? '', element }))

function clickPageShortcut(key: string): boolean {
  const found = pageShortcuts().find(({ keys }) => keys === key)
  // Later, so that the letter is not typed into a field that the click focuses.
  if (found) setTimeout(() => found.element.click())
  return Boolean(found)
}

function focusPageSearch({ openPalette }: Context): true {
  const found = document.querySelector('[data-slot="page-search"]')
  const field = found instanceof HTMLInputElement ? found : found?.querySelector('input')
  field?.select()
  field?.focus()
  return field ? true : act(openPalette)
}

const currentRow = () => document.activeElement?.closest('[data-slot="table"] tbody tr')

function moveRow(step: 1 | -1): boolean {
  const all = document.querySelectorAll('[data-slot="table"] tbody tr')
  const rows = [...all].filter((row) => row.checkVisibility())
  const current = currentRow()
  const next = current ? rows.indexOf(current) + step : step > 0 ? 0 : rows.length - 1
  const row = rows[next]
  const target = row?.querySelector<HTMLElement>('a[href]') ?? row?.querySelector<HTMLElement>('button, input')
  target?.focus()
  return rows.length > 0
}

function openRowMenu(): boolean {
  const button = currentRow()?.querySelector<HTMLElement>('[data-slot="menu-button"]')
  // Focused first: the browser returns the focus to it when the menu closes.
  button?.focus()
  if (button) moveInMenu(button, 'Home')
  return Boolean(button)
}

/** Moves the focus in the menu around `at`, or opens the menu of the button `at`. */
export function moveInMenu(at: Element, key: string): void {
  const button = at.closest<HTMLButtonElement>('[data-slot="menu-button"]')
  const menu = at.closest('[data-slot="menu"]') ?? document.getElementById(button?.getAttribute('popovertarget') ?? '')
  if (!menu) return
  if (!menu.matches(':popover-open')) button?.click()
  const items = [...menu.querySelectorAll<HTMLElement>('a[href], button:not(:disabled), input:not([type="hidden"])')]
  const visible = items.filter((item) => item.checkVisibility())
  const current = visible.indexOf(document.activeElement as HTMLElement)
  const last = visible.length - 1
  const next = {
    Home: 0,
    End: last,
    ArrowDown: current < last ? current + 1 : 0,
    ArrowUp: current > 0 ? current - 1 : last,
  }
  visible[next[key as keyof typeof next]]?.focus()
}
