import 'server-only'
import { headers } from 'next/headers'
import { unstable_rethrow } from 'next/navigation'
import type { z } from 'zod'
import { ownCodeField, ownPasswordField, reauthenticateInline } from './auth/flows/reauthenticate'
import { type Allow, type AppAllow, type ScopeAllow, signedIn } from './auth/policy'
import {
  type ActorFor,
  authorizeCaller,
  getSession,
  rejectImpersonation,
  requireReauthenticated,
} from './auth/session/actor'
import { type ErrorCode, type FieldErrors, toAppError } from './errors'
import { noteAction } from './http/failed-pages'
import { noteRefusal } from './http/note-refusal'
import { currentRequest, rejectCrossSite, requestIdFrom, withRequest } from './http/request'
import { log } from './log'
import { formToObject, parse } from './parse'
import { startTimer } from './telemetry/duration'
import { actionDuration } from './telemetry/metrics'
import { actionName } from './telemetry/routes'
import { inSpan } from './telemetry/span'

/** The result of an action. An expected error is a value; the browser never sees an exception. */
export type Result<Data> =
  | { ok: true; data: Data }
  | { ok: false; error: { code: ErrorCode; message: string; fields?: FieldErrors }; values?: Record<string, string> }

/** Callable with its input, or as the action of a form (the first argument is then the previous result). */
export interface Action<Input, Data> {
  (input: Input): Promise<Result<Data>>
  (previous: Result<Data> | null, form: FormData): Promise<Result<Data>>
  access: Allow | 'public'
}

interface PublicSpec<Input extends z.ZodType, Data> {
  input: Input
  /** Fields whose values the form shows again after a failed submit. Never a password. */
  preserve?: (keyof z.input<Input> & string)[]
  run(context: { input: z.output<Input> }): Promise<Data>
}

interface GuardedSpec<Input extends z.ZodType, Data, Allowed extends Allow>
  extends Omit<PublicSpec<Input, Data>, 'run'> {
  /**
   * Who may call it. Required, so that an action without a decision does not compile. If the permission is decided in a scope,
   * callers name it in the field `scope` of the input, which `run` does not see; `actor` then has the scope and the role there.
   */
  allow: Allowed
  /**
   * The caller must have reauthenticated within the last hour, or send their password along in the field `ownPassword`, and the
   * code of their second factor in `ownCode`. The form shows these fields with `Reauthenticate` (core/ui/reauthenticate.tsx);
   * `run` never sees them.
   */
  isSensitive?: boolean
  run(context: { input: z.output<Input>; actor: ActorFor<Allowed> }): Promise<Data>
}

/** The input of an action. An empty object allows no other field, so it cannot be joined with the scope. */
type ActionInput<Input extends z.ZodType, Allowed extends Allow> =
  z.input<Input> extends Record<string, never> ? ScopeInput<Allowed> : z.input<Input> & ScopeInput<Allowed>

/** What callers add to the input of an action whose permission is decided in a scope. */
type ScopeInput<Allowed extends Allow> = Allowed extends AppAllow
  ? unknown
  : Allowed extends Allow<'scope'>
    ? { scope: string }
    : { scope?: string }

/**
 * A server action for callers with a permission. The permission is checked here, not in the page: any page can post to any
 * action. An admin who impersonates a user may call neither actions with `signedIn` (a user's own data) nor sensitive ones.
 */
export function defineAction<Input extends z.ZodType, Data, const Allowed extends AppAllow | ScopeAllow>(
  spec: GuardedSpec<Input, Data, Allowed>,
): Action<ActionInput<Input, Allowed>, Data> {
  return makeAction(spec.allow, spec.preserve, async (givenInput) => {
    const input = spec.allow.where === 'app' ? givenInput : takeScope(givenInput)
    const actor = authorizeCaller(await getSession(), spec.allow)
    if ((spec.allow as Allow) === signedIn) await rejectImpersonation()
    const ownInput = spec.isSensitive ? await reauthenticateWith(input) : input
    return spec.run({ input: parse(spec.input, ownInput), actor })
  })
}

/** Takes the scope out of the input, before the session is read: one query reads both. Returns the input without it. */
function takeScope(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, 'scope')) return input
  const { scope, ...ownInput } = input as Record<string, unknown>
  const request = currentRequest()
  // An empty field is the app itself. Anything that is no text names a scope that does not exist.
  if (request && scope !== '') request.scopeName = typeof scope === 'string' ? scope : ' '
  return ownInput
}

/**
 * Throws unless the caller has reauthenticated, or does so with the password in the input. Returns the input without it and the
 * code. The input is validated only afterwards: nobody learns anything about it before.
 */
async function reauthenticateWith(input: unknown): Promise<unknown> {
  const isSent = typeof input === 'object' && input !== null && Object.hasOwn(input, ownPasswordField)
  if (!isSent) {
    await requireReauthenticated()
    return input
  }
  const { [ownPasswordField]: password, [ownCodeField]: code, ...ownInput } = input as Record<string, unknown>
  if (!(await getSession())?.isReauthenticated) await reauthenticateInline(password, code)
  return ownInput
}

/** A server action that needs no session, such as sign-in. */
export function definePublicAction<Input extends z.ZodType, Data>(
  spec: PublicSpec<Input, Data>,
): Action<z.input<Input>, Data> {
  return makeAction('public', spec.preserve, (input) => spec.run({ input: parse(spec.input, input) }))
}

function makeAction<Input, Data>(
  access: Allow | 'public',
  preserve: string[] = [],
  work: (input: unknown) => Promise<Data>,
): Action<Input, Data> {
  const action = async (...args: unknown[]): Promise<Result<Data>> => {
    const last = args.at(-1)
    const input = inputOf(args)
    const requestHeaders = await headers()
    noteAction(requestHeaders.get('content-security-policy'))
    const name = actionName(action)
    const recordDuration = startTimer(actionDuration, { 'plinth.action': name })
    return withRequest({ id: requestIdFrom(requestHeaders), headers: requestHeaders }, async () => {
      try {
        rejectCrossSite(requestHeaders, { isBrowserOnly: true })
        const done = await inSpan(`action ${name}`, {}, () =>
          work(input).then(
            (data) => ({ ok: true as const, data }),
            (error) => {
              if (!isControlFlow(error)) throw error
              return { controlFlow: error }
            },
          ),
        )
        recordDuration({ 'plinth.outcome': 'ok' })
        if ('controlFlow' in done) throw done.controlFlow
        return done
      } catch (error) {
        unstable_rethrow(error)
        const refusal = toAppError(error)
        recordDuration({ 'plinth.outcome': refusal.code })
        if (refusal.status >= 500) log.error({ error: refusal.cause ?? refusal, action: name }, 'action failed')
        else await noteRefusal(refusal, `action ${name} (${access === 'public' ? access : access.permission})`)
        return {
          ok: false,
          error: { code: refusal.code, message: refusal.message, ...(refusal.fields && { fields: refusal.fields }) },
          ...(last instanceof FormData && { values: pick(last, preserve) }),
        }
      }
    })
  }
  return Object.assign(action, { access })
}

/** `redirect()` and `notFound()` work by throwing. For an action that is success, not an error. */
function isControlFlow(error: unknown): boolean {
  try {
    unstable_rethrow(error)
    return false
  } catch {
    return true
  }
}

/**
 * Accepts only the two documented call signatures; for anything else the input is undefined and fails validation. Objects
 * that are not plain are rejected too: a File also has a `name`, for example.
 */
function inputOf(args: unknown[]): unknown {
  const last = args.at(-1)
  if (last instanceof FormData) return args.length <= 2 ? formToObject(last) : undefined
  const isObject = typeof last === 'object' && last !== null && !Array.isArray(last)
  const isPlain = !isObject || Object.getPrototypeOf(last) === Object.prototype
  return args.length === 1 && isPlain ? last : undefined
}

function pick(form: FormData, names: string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = form.get(name)
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}
