import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../../scripts/root.ts'

/** Parts of another component, which pages never use by themselves. */
const parts: Record<string, string> = {
  BrandPanel: 'FormPage',
  CheckYourEmail: 'FormPage',
  CommandPalette: 'AppShell',
  FormHeading: 'FormPage',
  LastUsedBadge: 'FormPage',
  MenuNavigation: 'Menu',
  MenuPopover: 'Menu',
  NavLink: 'AppShell',
  NotFoundPanel: 'SiteHeader',
  Option: 'AppShell',
  PaletteIcon: 'AppShell',
  ProviderLogo: 'FormPage',
  RelativeTimeIn: 'RelativeTime',
  ResendButton: 'FormPage',
  ScopeField: 'ActionForm',
  SelectAll: 'Table',
  SelectionForm: 'Table',
  SetupCard: 'AppShell',
  ShellKeys: 'AppShell',
  ShortcutHelp: 'AppShell',
  UnlessReauthenticated: 'Reauthenticate',
  UserFieldInputs: 'FormPage',
}

const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The components that the files of core/ui export. */
const components = globSync('src/core/ui/*.tsx', { cwd: root }).flatMap((file) =>
  [...read(file).matchAll(/^export (?:async )?(?:function|const) ([A-Z]\w*)/gm)].map(([, name = '']) => name),
)
const gallery = globSync('src/app/dev/ui/*.tsx', { cwd: root }).map(read).join('\n')
const isShown = (name: string) => new RegExp(`<${name}\\b`).test(gallery)

test('/dev/ui shows every component of core/ui, or its code', () => {
  expect(components.length).toBeGreaterThan(50)
  expect(components.filter((name) => !isShown(name) && !Object.hasOwn(parts, name))).toEqual([])
})

test('what is left out is part of a component that is shown', () => {
  for (const [name, whole] of Object.entries(parts)) {
    expect(components, name).toContain(name)
    expect(isShown(name), name).toBe(false)
    expect(isShown(whole), whole).toBe(true)
  }
})
