import 'server-only'
import { headers } from 'next/headers'
import { unstable_rethrow } from 'next/navigation'
import type { z } from 'zod'
import { type Actor, getActor, refuseActing, requireConfirmed } from './auth/actor'
import { type Allow, authorize, signedIn } from './auth/policy'
import { type ErrorCode, type FieldErrors, toAppError } from './errors'
import { log } from './log'
import { noteRefusal } from './note-refusal'
import { formToObject, parse } from './parse'
import { refuseCrossSite, requestIdFrom, withRequest } from './request'
import { takeTime } from './telemetry/duration'
import { actionDuration } from './telemetry/metrics'
import { actionName } from './telemetry/routes'
import { inSpan } from './telemetry/span'

/** What an action answers. A refusal is a value; the browser never sees an exception. */
export type Result<Data> =
  | { ok: true; data: Data }
  | { ok: false; error: { code: ErrorCode; message: string; fields?: FieldErrors }; kept?: Record<string, string> }

/** Callable with its input, or as the action of a form (the first argument is then the previous answer). */
export interface Action<Input, Data> {
  (input: Input): Promise<Result<Data>>
  (previous: Result<Data> | null, form: FormData): Promise<Result<Data>>
  access: Allow | 'public'
}

interface PublicSpec<Input extends z.ZodType, Data> {
  input: Input
  /** Fields that a refused form shows again as they were typed. Never a password. */
  keep?: (keyof z.input<Input> & string)[]
  run(context: { input: z.output<Input> }): Promise<Data>
}

interface GuardedSpec<Input extends z.ZodType, Data> extends Omit<PublicSpec<Input, Data>, 'run'> {
  /** Who may: required, so that an action nobody thought about does not compile. */
  allow: Allow
  /** The caller must have shown within the hour that it is them. */
  isSensitive?: boolean
  run(context: { input: z.output<Input>; actor: Actor }): Promise<Data>
}

/**
 * A server action for callers with a permission. The check is here, where the data is touched: any page can post to any
 * action. What people do with their own things (`signedIn`) is not open to an admin who acts for them, and neither is
 * anything sensitive.
 */
export function defineAction<Input extends z.ZodType, Data>(
  spec: GuardedSpec<Input, Data>,
): Action<z.input<Input>, Data> {
  return makeAction(spec.allow, spec.keep, async (input) => {
    const actor = authorize(await getActor(), spec.allow)
    if (spec.allow === signedIn) await refuseActing()
    if (spec.isSensitive) await requireConfirmed()
    return spec.run({ input: parse(spec.input, input), actor })
  })
}

/** A server action that anybody may call, such as sign-in. */
export function definePublicAction<Input extends z.ZodType, Data>(
  spec: PublicSpec<Input, Data>,
): Action<z.input<Input>, Data> {
  return makeAction('public', spec.keep, (input) => spec.run({ input: parse(spec.input, input) }))
}

function makeAction<Input, Data>(
  access: Allow | 'public',
  keep: string[] = [],
  work: (input: unknown) => Promise<Data>,
): Action<Input, Data> {
  const act = async (...given: unknown[]): Promise<Result<Data>> => {
    const last = given.at(-1)
    const input = inputOf(given)
    const head = await headers()
    const name = actionName(act)
    const note = takeTime(actionDuration, { 'plinth.action': name })
    return withRequest({ id: requestIdFrom(head), headers: head }, async () => {
      try {
        refuseCrossSite(head, { isBrowserOnly: true })
        const done = await inSpan(`action ${name}`, {}, () =>
          work(input).then(
            (data) => ({ ok: true as const, data }),
            (error) => {
              if (!isLeading(error)) throw error
              return { leading: error }
            },
          ),
        )
        note({ 'plinth.outcome': 'ok' })
        if ('leading' in done) throw done.leading
        return done
      } catch (error) {
        unstable_rethrow(error)
        const refusal = toAppError(error)
        note({ 'plinth.outcome': refusal.code })
        if (refusal.status >= 500) log.error({ error: refusal.cause ?? refusal, action: name }, 'action failed')
        else await noteRefusal(refusal, `action ${name} (${access === 'public' ? access : access.permission})`)
        return {
          ok: false,
          error: { code: refusal.code, message: refusal.message, ...(refusal.fields && { fields: refusal.fields }) },
          ...(last instanceof FormData && { kept: pick(last, keep) }),
        }
      }
    })
  }
  return Object.assign(act, { access })
}

/** Next leads people elsewhere by throwing: for an action that is a good end. */
function isLeading(error: unknown): boolean {
  try {
    unstable_rethrow(error)
    return false
  } catch {
    return true
  }
}

/**
 * The two ways to call an action, and no third: whatever else a caller makes up is no input at all. Nor is a thing that only
 * has the right fields: a file has a name, too.
 */
function inputOf(given: unknown[]): unknown {
  const last = given.at(-1)
  if (last instanceof FormData) return given.length <= 2 ? formToObject(last) : undefined
  const isThing = typeof last === 'object' && last !== null && !Array.isArray(last)
  const isPlain = !isThing || Object.getPrototypeOf(last) === Object.prototype
  return given.length === 1 && isPlain ? last : undefined
}

function pick(form: FormData, names: string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = form.get(name)
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}
