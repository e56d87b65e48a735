import 'server-only'
import { headers } from 'next/headers'
import { originOf } from '@/core/address'
import { record } from '@/core/audit/record'
import { findChallenged, meetChallenge } from '@/core/auth/challenge'
import type { Session } from '@/core/auth/sessions'
import { db } from '@/core/db/client'
import { AppError } from '@/core/errors'
import { countCodeTry, takeAnyCode } from './second-factor'

/** Finishes a sign-in with a code of the authenticator app, or with a recovery code. */
export async function signInWithCode(code: string): Promise<Session> {
  const userId = await findChallenged()
  if (!userId) throw new AppError('unauthenticated', 'Enter your password first')
  const forget = await countCodeTry(userId)
  try {
    const session = await meetChallenge((tx, owed) => takeAnyCode(tx, owed, code))
    await forget()
    return session
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_credentials') throw error
    await record(db, 'signin.failed', {
      targetId: userId,
      from: originOf(await headers()),
      details: { reason: 'wrong_code' },
    })
    throw new AppError('invalid_credentials', 'That code is not right, or was used already')
  }
}
