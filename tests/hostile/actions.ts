// The server actions of this build, and how to call them in ways that no browser would.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/root.ts'
import type { Answer, Call } from './client.ts'

interface BuiltAction {
  id: string
  name: string
  /** Where it is written. */
  file: string
  isPublic: boolean
  /** A page that has it. Posted to any other, it runs all the same, but Next loses the cookies that it sets. */
  page: string
}

let known: BuiltAction[] | undefined

/**
 * Every action of the build, from Next's own list. The build does not say who may call one; the source does, in words that
 * src/modules.test.ts enforces. One that cannot be told apart is a failure of its own.
 */
export function everyAction(): BuiltAction[] {
  known ??= readActions()
  return known
}

function readActions(): BuiltAction[] {
  const manifest = JSON.parse(readFileSync(join(root, '.next', 'server', 'server-reference-manifest.json'), 'utf8'))
  const listed: [string, { filename: string; exportedName: string; workers: Record<string, unknown> }][] = [
    ...Object.entries<never>(manifest.node),
    ...Object.entries<never>(manifest.edge),
  ]
  return listed.map(([id, { filename, exportedName: name, workers }]) => {
    const source = readFileSync(join(root, filename), 'utf8')
    const [, isPublic] = new RegExp(`^export const ${name} = define(Public)?Action\\(`, 'm').exec(source) ?? []
    if (!new RegExp(`^export const ${name} = define`, 'm').test(source))
      throw new Error(`nobody knows who may call ${name} in ${filename}`)
    const pages = Object.keys(workers).map((file) => file.replace(/^app|\/\([^)]*\)|\/page$/g, '') || '/')
    return {
      id,
      name,
      file: filename,
      isPublic: isPublic !== undefined,
      page: pages.includes('/signin') ? '/signin' : (pages.find((page) => !page.includes('[')) ?? pages[0] ?? '/'),
    }
  })
}

export const guardedActions = () => everyAction().filter(({ isPublic }) => !isPublic)

export const guardedActionsOf = (module: string) =>
  guardedActions().filter(({ file }) => file.startsWith(`src/app/(${module})/`))

/** What a person would send to an action that is known here; nothing to any other. */
export function captured(
  name: string,
  { id = crypto.randomUUID(), email, password }: { id?: string; email: string; password: string },
): object {
  const known: Record<string, object> = {
    updateProfile: { name: 'Somebody else' },
    changePassword: { current: password, next: 'an entirely different horse 3' },
    endDevice: { id: crypto.randomUUID() },
    deleteAccount: { confirmation: email },
    confirmIdentity: { password },
    connectProvider: { provider: 'google' },
    listUsers: { search: email },
    updateUserRole: { userId: id, role: 'editor' },
    deleteUser: { userId: id, confirmation: email },
    suspendUsers: { ids: [id] },
    restoreUser: { userId: id },
    endUserSessions: { userId: id },
    sendUserReset: { userId: id },
    liftUserChallenge: { userId: id },
  }
  return known[name] ?? {}
}

export type Acted = Answer & { value: unknown }

/** What an action decided, in a word or two: ok, the code of its refusal, where it leads, or how Next gave up. */
export function verdict({ status, headers, value }: Acted): string {
  const target = headers['x-action-redirect']?.split(';')[0]
  if (target) return `to ${target}`
  const result = value as { ok: boolean; error?: { code: string } } | undefined
  return result ? (result.error?.code ?? 'ok') : `status ${status}`
}

/** The messages of a refusal, by field. */
export const fieldsOf = ({ value }: Acted) =>
  (value as { error?: { fields?: Record<string, string[]> } } | undefined)?.error?.fields ?? {}

type Fields = [name: string, value: string | Blob][]

/** These fields as a browser sends them, in this order, names as often as they come. */
export async function multipart(fields: Fields): Promise<Pick<Call, 'body'> & { headers: Record<string, string> }> {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  const encoded = new Response(form)
  return {
    body: Buffer.from(await encoded.arrayBuffer()),
    headers: { 'Content-Type': encoded.headers.get('content-type') ?? '' },
  }
}

/** A form as React's script sends it: the answer before, and the form. */
export const asForm = (fields: Fields) =>
  multipart([...fields.map(([name, value]): Fields[number] => [`_1_${name}`, value]), ['0', '[null,"$K1"]']])

const plain = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&')

/** What stands hidden in the form that has this field: a browser without JavaScript sends it along. */
export function hiddenFields(html: string, field: string): Fields {
  const form = html.match(/<form[^>]*>.*?<\/form>/gs)?.find((text) => text.includes(`name="${field}"`)) ?? ''
  return [...form.matchAll(/<input type="hidden"[^>]*>/g)].map(([input]) => {
    const [name = '', value = ''] = ['name', 'value'].map((part) =>
      plain(new RegExp(`${part}="([^"]*)"`).exec(input)?.[1] ?? ''),
    )
    return [name, value]
  })
}
