import { describe, expect, test } from 'vitest'
import { moduleUis } from '@/module-uis'
import { isAllowed, roles } from '../auth/policy'
import { shortcuts } from '../ui/shortcuts'
import { commandsFor } from './commands'
import { matchCommands } from './match-commands'

describe.each(roles)('the commands of the role %s', (role) => {
  const commands = commandsFor(role)

  test('are those that the role is allowed to use, each once', () => {
    expect(commands.filter(({ allow }) => !isAllowed(role, allow))).toEqual([])
    const names = commands.map(({ label, href }) => `${label} ${href}`)
    expect(new Set(names).size).toBe(names.length)
  })

  test('contain the dashboard, with its keys', () => {
    expect(commands).toContainEqual(expect.objectContaining({ href: '/dashboard', keys: 'g d' }))
  })

  test('have keys that nothing else has', () => {
    const keys = commands.flatMap((command) => (command.keys ? [command.keys] : []))
    for (const one of keys) expect(one).toMatch(/^[a-z]( [a-z])?$/)
    const ofShell = shortcuts.flatMap(({ items }) => items.map((item) => item.keys))
    expect(keys.filter((one) => ofShell.includes(one))).toEqual([])
    // A single key cannot be the beginning of a sequence, too.
    expect(keys.filter((one) => keys.some((other) => other.startsWith(`${one} `)))).toEqual([])
    // The same keys may stand for something else in another section, such as "new".
    const inSection = commands.flatMap(({ keys: own, href }) => (own ? [`${own} ${href.split('/')[1]}`] : []))
    expect(new Set(inSection).size).toBe(inSection.length)
  })
})

test('the sections of the settings are commands, and so are their pages', () => {
  const sections = moduleUis.flatMap(({ settings = [] }) => settings)
  const paths = sections.flatMap(({ href, pages = [] }) => [href, ...pages.map((page) => page.href)])
  const offered = commandsFor('viewer').map(({ href }) => href)
  expect(paths.filter((path) => !offered.includes(path))).toEqual([])
})

test('an admin who impersonates a user is not offered the settings, which they cannot open', () => {
  expect(commandsFor('viewer', { isImpersonated: true }).filter(({ hint }) => hint === 'Settings')).toEqual([])
  const settings = commandsFor('viewer', { isImpersonated: true }).filter(({ keys }) => keys === 'g s')
  expect(settings).toEqual([])
})

test('a text finds the commands that contain all of its words, in any order and case', () => {
  const commands = [{ label: 'Audit log' }, { label: 'Password', hint: 'Settings' }, { label: 'Users' }]
  const find = (text: string) => matchCommands(commands, text).map(({ label }) => label)
  expect(find('LOG aud')).toEqual(['Audit log'])
  expect(find('settings')).toEqual(['Password'])
  expect(find('audit users')).toEqual([])
  expect(find(' ')).toEqual(['Audit log', 'Password', 'Users'])
})
