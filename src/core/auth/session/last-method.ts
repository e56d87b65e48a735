import 'server-only'
import { clearCookie, readCookie, setCookie } from './cookies'

const year = 365 * 24 * 60 * 60

/**
 * Remembers how this browser signed in, for the "Last used" badge of the sign-in page: a provider or the method of a module.
 * Null for a password, which needs no badge.
 */
export async function rememberSignInMethod(method: string | null): Promise<void> {
  if (method) await setCookie('last-method', method, year)
  else if (await readLastSignInMethod()) await clearCookie('last-method')
}

/** The browser may send anything here: only compare it with a known method. */
export const readLastSignInMethod = () => readCookie('last-method')
