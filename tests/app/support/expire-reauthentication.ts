import { query } from './query.ts'

/** Sets the last reauthentication of a user to more than an hour ago, in all their sessions. */
export const expireReauthentication = (
  email: string,
  run: (text: string, values: unknown[]) => Promise<unknown> = query,
) =>
  run(
    `update sessions set confirmed_at = now() - interval '61 minutes' where user_id = (select id from users where email = $1)`,
    [email],
  )
