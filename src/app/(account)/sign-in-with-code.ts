import 'server-only'
import { completePendingSignIn, findPendingUserId } from '@/core/auth/flows/second-factor'
import type { Session } from '@/core/auth/session/sessions'
import { findTrustedDeviceOfUser } from '@/core/auth/session/trusted-device'
import { AppError } from '@/core/errors'
import { consumeCode, countSignInAttempt, recordWrongCode } from './second-factor'

/** Completes a pending sign-in with a TOTP code or a recovery code. */
export async function signInWithCode(code: string): Promise<Session> {
  const userId = await findPendingUserId()
  if (!userId) throw new AppError('unauthenticated', 'Enter your password first.')
  const trustedDeviceId = await findTrustedDeviceOfUser(userId)
  const isTrusted = trustedDeviceId !== undefined
  const resetAttempts = await countSignInAttempt(userId, code, trustedDeviceId)
  try {
    const session = await completePendingSignIn((tx, pendingUserId) => consumeCode(tx, pendingUserId, code, isTrusted))
    await resetAttempts()
    return session
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_credentials') throw error
    const { isLocked } = await recordWrongCode(userId, code, isTrusted)
    throw new AppError(
      'invalid_credentials',
      isLocked ? 'Too many incorrect codes. Use a recovery code.' : 'Incorrect or already used code.',
    )
  }
}
