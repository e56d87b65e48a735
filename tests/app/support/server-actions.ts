// Lists the server actions of this build and calls them in ways that no browser would.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../scripts/root.ts'
import type { CallOptions, HttpResponse } from './http-client.ts'

interface BuiltAction {
  id: string
  name: string
  /** Source file. */
  file: string
  isPublic: boolean
  /** A page that contains the action. Posted to another page it still runs, but Next drops the cookies that it sets. */
  page: string
}

let cachedActions: BuiltAction[] | undefined

/**
 * Every action of the build, from Next's manifest. The build does not say who may call an action, so that is read from
 * the source (src/modules.test.ts enforces the form). Throws if the source does not tell.
 */
export function listActions(): BuiltAction[] {
  cachedActions ??= readActions()
  return cachedActions
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
      throw new Error(`cannot tell who may call ${name} in ${filename}`)
    // What a parallel slot shows, such as a dialog, has no URL of its own.
    const pages = Object.keys(workers)
      .filter((file) => !file.includes('/@'))
      .map((file) => file.replace(/^app|\/\([^)]*\)|\/page$/g, '') || '/')
    return {
      id,
      name,
      file: filename,
      isPublic: isPublic !== undefined,
      page: pages.includes('/signin') ? '/signin' : (pages.find((page) => !page.includes('[')) ?? pages[0] ?? '/'),
    }
  })
}

export const guardedActions = () => listActions().filter(({ isPublic }) => !isPublic)

export const guardedActionsOf = (module: string) =>
  guardedActions().filter(({ file }) => file.startsWith(`src/app/(${module})/`))

/** Valid input for the actions known here, as a user would send it; an empty object for any other. */
export function validInputOf(
  name: string,
  { id = crypto.randomUUID(), email, password }: { id?: string; email: string; password: string },
): object {
  const known: Record<string, object> = {
    updateProfile: { name: 'Another name' },
    savePreferences: { timeZone: 'Europe/Berlin', locale: 'en-GB' },
    rememberBrowser: { timeZone: 'Europe/Berlin', locale: 'en-GB' },
    changePassword: { current: password, next: 'an entirely different horse 3' },
    endSession: { id: crypto.randomUUID() },
    deleteAccount: { typedEmail: email },
    reauthenticate: { password },
    connectProvider: { provider: 'google' },
    listUsers: { search: email },
    updateUserRole: { userId: id, role: 'editor' },
    deleteUser: { userId: id, typedEmail: email },
    suspendUsers: { ids: [id] },
    updateUserRoles: { ids: [id], role: 'editor' },
    signOutUsers: { ids: [id] },
    undoSuspension: { undo: 'x'.repeat(119) },
    undoRoleChange: { undo: 'x'.repeat(119) },
    restoreUser: { userId: id },
    endUserSessions: { userId: id },
    sendUserReset: { userId: id },
    removeUserSecondFactor: { userId: id },
    startUserImport: { id },
    cancelUserImport: { id },
  }
  return known[name] ?? {}
}

export type ActionResponse = HttpResponse & { value: unknown }

/** The result of an action as a short string: `ok`, the error code, the redirect target, or the HTTP status. */
export function verdict({ status, headers, value }: ActionResponse): string {
  const target = headers['x-action-redirect']?.split(';')[0]
  if (target) return `to ${target}`
  const result = value as { ok: boolean; error?: { code: string } } | undefined
  return result ? (result.error?.code ?? 'ok') : `status ${status}`
}

/** The error messages of a failed action, by field. */
export const fieldsOf = ({ value }: ActionResponse) =>
  (value as { error?: { fields?: Record<string, string[]> } } | undefined)?.error?.fields ?? {}

type Fields = [name: string, value: string | Blob][]

/** Encodes these fields as multipart/form-data, in this order; a name may occur more than once. */
export async function multipart(
  fields: Fields,
): Promise<Pick<CallOptions, 'body'> & { headers: Record<string, string> }> {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  const encoded = new Response(form)
  return {
    body: Buffer.from(await encoded.arrayBuffer()),
    headers: { 'Content-Type': encoded.headers.get('content-type') ?? '' },
  }
}

/** A form submission as React sends it: the previous action state and the form. */
export const encodeReactForm = (fields: Fields) =>
  multipart([...fields.map(([name, value]): Fields[number] => [`_1_${name}`, value]), ['0', '[null,"$K1"]']])

const decodeEntities = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&')

/** The hidden fields of the form that contains this field. A browser without JavaScript sends them too. */
export function hiddenFields(html: string, field: string): Fields {
  const form = html.match(/<form[^>]*>.*?<\/form>/gs)?.find((text) => text.includes(`name="${field}"`)) ?? ''
  return [...form.matchAll(/<input type="hidden"[^>]*>/g)].map(([input]) => {
    const [name = '', value = ''] = ['name', 'value'].map((part) =>
      decodeEntities(new RegExp(`${part}="([^"]*)"`).exec(input)?.[1] ?? ''),
    )
    return [name, value]
  })
}
