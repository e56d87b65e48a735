import { posix } from 'node:path'
import { renameImports } from './rename-imports.ts'
import type { ImportRename } from './snapshot.ts'
import {
  balancedEnd,
  codeInBrackets,
  isUsed,
  propertiesOfCall,
  removeProperties,
  withoutImports,
} from './source-text.ts'

/** Files of the user's own code, by their paths. */
export type Sources = Map<string, string>

export interface Migrated {
  /** Files that differ from before, and new ones. */
  changed: Sources
  /** What is left for the user, such as "src/app/(shop)/actions.ts: …". */
  todo: string[]
}

/** Properties of the object that a call passes which have another name, in files that import the function. */
const properties: { importing: RegExp; calls: string; names: Record<string, string> }[] = [
  { importing: /['"]@\/core\/action['"]/, calls: 'define(?:Public)?Action', names: { keep: 'preserve' } },
  {
    importing: /['"]@\/core\/handler['"]/,
    calls: 'define(?:Public)?Handler',
    names: { answers: 'responses', refuses: 'errors', looksAtCaller: 'dependsOnCaller', leadsTo: 'redirect' },
  },
  {
    importing: /['"]@\/core\/module['"]/,
    calls: 'defineModule',
    names: {
      gather: 'exportUserData',
      erase: 'deleteUserData',
      signInWays: 'signInMethods',
      challenge: 'secondFactor',
      liftChallenge: 'removeSecondFactor',
      revokeOlder: 'revokeOlderSignInMethods',
    },
  },
]

/**
 * Renames in the user's own files what the template has renamed, up to version 0.3.0. `has` says whether the app has a file, for
 * imports of files that are gone, and for new files.
 */
export function migrateSources(sources: Sources, imports: ImportRename[], has: (path: string) => boolean): Migrated {
  const changed: Sources = new Map()
  const todo: string[] = []
  for (const [path, before] of sources) {
    const renamed = renameImports(path, before, imports, has)
    todo.push(...renamed.todo.map((what) => `${path}: ${what}`))
    const { text: after, todo: byHand } = renameProperties(migrateJsx(renamed.text))
    todo.push(...byHand.map((what) => `${path}: ${what}`))
    if (after !== before) changed.set(path, after)
    if (!/\.test\.tsx?$/.test(path)) todo.push(...whatIsLeft(after).map((what) => `${path}: ${what}`))
  }
  for (const [path, text] of new Map([...sources, ...changed]))
    if (posix.basename(path) === 'module.ts') moveNavigation(path, text, has, changed, todo)
  return { changed, todo }
}

function renameProperties(text: string): { text: string; todo: string[] } {
  const newNames = new Map<number, string>()
  const todo = new Set<string>()
  for (const { calls, names } of properties.filter(({ importing }) => importing.test(text))) {
    const old = `(?:${Object.keys(names).join('|')})(?=\\s*[:(])`
    const pairs = Object.entries(names).map((pair) => pair.join(' → '))
    for (const { start, code } of callsOf(text, calls))
      if (code !== null)
        for (const { index, 0: name } of [
          ...propertiesOfCall(code).matchAll(new RegExp(`(?<=[{,]\\s*(?:async\\s+)?)${old}`, 'g')),
          // The only one that is deeper in the object: { 302: { leadsTo: '…' } }.
          ...code.matchAll(/(?<=\b\d{3}:\s*\{\s*)leadsTo(?=\s*:)/g),
        ])
          newNames.set(start + index, names[name] ?? name)
      else if (new RegExp(`\\b${old}`).test(text.slice(start))) todo.add(`rename by hand: ${pairs.join(', ')}.`)
  }
  return { text: text.replaceAll(/\w+/g, (word, index) => newNames.get(index) ?? word), todo: [...todo] }
}

const look = /\s*(variant|size): ['"]([\w-]+)['"],?/g
const onlyLooks = new RegExp(`^(?:${look.source})*\\s*$`)

/** AppShell finds the user and the navigation itself, and SubmitButton has the looks of a button as properties. */
function migrateJsx(text: string): string {
  const shell = removeProperties(text, 'AppShell', ['actor', 'navigation'])
  const buttons = shell.replaceAll(
    /(<SubmitButton\b[^>]*?) className=\{buttonVariants\((?:\{([^}]*)\})?\)\}/g,
    (whole, start: string, given = '') =>
      // A class name, or a value that is no literal, would be lost.
      onlyLooks.test(given) ? start + given.replaceAll(look, ' $1="$2"').trimEnd() : whole,
  )
  if (buttons === text) return text
  return withoutImports(
    buttons,
    ['modules', 'buttonVariants'].filter((name) => isUsed(text, name)),
  )
}

/** The code in the brackets of each call of a function; null if they do not match. */
const callsOf = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`\\b${name}\\(`, 'g'))].map(({ index, 0: call }) => {
    const start = index + call.length - 1
    return { start, code: codeInBrackets(text, start) }
  })

const isCalledAs = (text: string, name: string, isSo: (code: string) => boolean) =>
  callsOf(text, name).some(({ code }) => code !== null && isSo(code))

const rules: { when: (text: string) => boolean; what: string }[] = [
  {
    when: (text) => isCalledAs(text, 'define(?:Public)?Handler', (code) => !/\bsummary:/.test(code)),
    what: 'add "summary" and "responses" to each handler, as in docs/modules.md, step 7.',
  },
  {
    when: (text) => /^'use server'/.test(text) && /\bdb\s*\.(insert|update|delete|transaction)\(/.test(text),
    what: 'write in "transactionAs(actor, can(…), (tx) => …)" instead of "db", as in docs/modules.md, step 5.',
  },
  {
    when: (text) =>
      isCalledAs(text, 'recordAuditEvent', (code) =>
        /[{,]\s*from\s*[,:}]/.test(code.replace(/\bdetails:\s*\{[^}]*\}/, '')),
      ),
    what: '"from" of an audit event is "client" now.',
  },
  {
    when: (text) => isCalledAs(text, 'define(?:Email|SecurityNotice)', (code) => !/\bsamples\b/.test(code)),
    what: 'add "samples" to each email: what /dev/emails shows. A recipient gets ten emails an hour: add "isSentOverLimit: true" to notices that must arrive even then.',
  },
  {
    when: (text) => /<AppShell\b(?:[^>]|=>)*?\s(?:actor|navigation)=\{/.test(text),
    what: 'remove "actor" and "navigation" from AppShell, which finds both itself.',
  },
  {
    when: (text) => /<SubmitButton\b[^>]*? className=\{[^}]*\bbuttonVariants\(/.test(text),
    what: 'pass "variant" and "size" to SubmitButton itself, and only other classes in "className".',
  },
]

const whatIsLeft = (text: string) => rules.filter(({ when }) => when(text)).map(({ what }) => what)

/** Moves the navigation of a module from `module.ts` to `ui.tsx`. */
function moveNavigation(
  path: string,
  text: string,
  has: (path: string) => boolean,
  changed: Sources,
  todo: string[],
): void {
  const found = /^ {2}navigation: \[/m.exec(text)
  if (!found || !/'@\/core\/module'/.test(text)) return
  const file = posix.join(posix.dirname(path), 'ui.tsx')
  const end = balancedEnd(text, found.index + found[0].length - 1)
  if (has(file) || end === null) {
    todo.push(`${path}: move "navigation" to ui.tsx; each entry has an icon, a group and an order.`)
    return
  }
  const entries = text
    .slice(found.index + '  navigation: '.length, end)
    .replaceAll(/ description: (?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"),?/g, '')
    .replaceAll('{ label:', "{ icon: Circle, group: 'workspace', order: 50, label:")
  const usedImports = [...text.matchAll(/^import \{ ([^}]+) \} from '([^']+)'$/gm)].flatMap(([, names = '', from]) => {
    const used = names.split(', ').filter((name) => isUsed(entries, name))
    return used.length > 0 ? [`import { ${used.join(', ')} } from '${from}'`] : []
  })
  const rest = text.slice(0, found.index) + text.slice(end).replace(/^,?\n/, '')
  changed.set(
    path,
    withoutImports(
      rest,
      [...entries.matchAll(/\b[a-zA-Z]\w*/g)].map(([name]) => name),
    ),
  )
  changed.set(
    file,
    [
      "import { Circle } from 'lucide-react'",
      "import { defineModuleUi } from '@/core/module-ui'",
      ...usedImports,
      '',
      'export default defineModuleUi({',
      `  navigation: ${entries},`,
      '})',
      '',
    ].join('\n'),
  )
  todo.push(`${file}: choose an icon, a group and an order for the entries of the navigation.`)
}
