import { z } from 'zod'
import { roles } from './policy'

const Person = z
  .object({ id: z.uuid(), email: z.email(), name: z.string(), role: z.enum(roles) })
  .meta({ id: 'Person', description: 'Somebody who is signed in' })

/** A session, as callers of the API see it. */
export const SessionAnswer = z
  .object({ user: Person, expires: z.iso.datetime() })
  .meta({ id: 'Session', description: 'Who is calling, and until when' })

/** Whoever has just signed in, and where they wanted to go. */
export const SignedInAnswer = SessionAnswer.extend({ url: z.string() }).meta({ id: 'SignedIn' })

/** What signing in takes besides the proof. `callbackUrl` may be anything: what is no page of this app is ignored. */
export const signInChoices = {
  redirect: z
    .boolean()
    .default(true)
    .meta({ description: 'false: answer with JSON instead of leading to a page', examples: [false] }),
  callbackUrl: z
    .unknown()
    .optional()
    .meta({ description: 'The page of this app to go to', examples: ['/dashboard'] }),
}
