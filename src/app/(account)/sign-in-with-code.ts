import 'server-only'
import { completePendingSignIn, findPendingUserId } from '@/core/auth/flows/second-factor'
import type { Session } from '@/core/auth/session/sessions'
import { AppError } from '@/core/errors'
import { attemptCode } from './second-factor'

/** Completes a pending sign-in with a TOTP code or a recovery code. */
export async function signInWithCode(code: string): Promise<Session> {
  const userId = await findPendingUserId()
  if (!userId) throw new AppError('unauthenticated', 'Enter your password first.')
  return attemptCode(userId, code, completePendingSignIn)
}
