import { z } from 'zod'
import { roles } from '../policy'

const UserSchema = z
  .object({ id: z.uuid(), email: z.email(), name: z.string(), role: z.enum(roles) })
  .meta({ id: 'SessionUser', description: 'The signed-in user' })

/** A session in API responses. */
export const SessionResponse = z
  .object({ user: UserSchema, expires: z.iso.datetime() })
  .meta({ id: 'Session', description: 'The signed-in user, and when the session expires' })

/** The new session, and the URL to go to next. */
export const SignedInResponse = SessionResponse.extend({ url: z.string() }).meta({ id: 'SignedIn' })

/** The new session for a client that asked for a token, which it sends as `Authorization: Bearer`. No cookie is set. */
export const TokenResponse = SessionResponse.extend({ token: z.string() }).meta({ id: 'SessionToken' })

/** Input of sign-in besides the credentials. A `callbackUrl` that is not a page of this app is ignored. */
export const signInOptions = {
  redirect: z
    .boolean()
    .default(true)
    .meta({ description: 'Set to false to get JSON instead of a redirect', examples: [false] }),
  token: z
    .boolean()
    .default(false)
    .meta({ description: 'Set to true to get a session token as JSON and no cookie', examples: [false] }),
  callbackUrl: z
    .unknown()
    .optional()
    .meta({ description: 'The page of this app to open after sign-in', examples: ['/dashboard'] }),
}
