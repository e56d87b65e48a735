import 'server-only'
import { headers } from 'next/headers'
import { recordAuditEvent } from '../../audit/record-audit-event'
import { identities } from '../../db/schema'
import { AppError } from '../../errors'
import { getClientInfo } from '../../http/client-ip'
import { enqueue } from '../../jobs/queue'
import { providerConnectedEmail } from '../emails'
import { causedBy } from '../security-notice'
import { getSession } from '../session/actor'
import { clearCookie, isSigned, readCookie, setCookie, sign } from '../session/cookies'
import { transactionAsSelf } from '../transaction-as'
import { findUserByIdentity } from './identity'
import { providerName } from './providers'

const minutes = 60

/** Sets a cookie, signed for this session and provider, that allows connecting. Without it no identity is connected. */
export async function requestConnect(provider: string): Promise<void> {
  const session = await getSession()
  if (!session) throw new AppError('unauthenticated')
  await setCookie('connect', sign('connect', `${session.id}:${provider}`), 15 * minutes)
}

/**
 * Called after a provider has authenticated a user. Connects the identity to the signed-in user if they requested it,
 * and returns the path to redirect to; null for an ordinary sign-in.
 */
export async function connectIfRequested(provider: string, providerAccountId: string): Promise<string | null> {
  const intent = await readCookie('connect')
  if (!intent) return null
  await clearCookie('connect')
  const session = await getSession()
  // The session ended or belongs to another user by now: neither connect nor sign in, but ask the user again.
  if (!session) return `/signin?error=connect&callbackUrl=/connect/${provider}`
  if (!isSigned('connect', `${session.id}:${provider}`, intent)) return `/connect/${provider}`

  const userId = session.user.id
  const owner = await findUserByIdentity(provider, providerAccountId)
  if (owner && owner.id !== userId) return `/connect/${provider}?error=taken`
  await transactionAsSelf(userId, async (tx) => {
    const added = await tx
      .insert(identities)
      .values({ provider, providerAccountId, userId })
      .onConflictDoNothing()
      .returning({ provider: identities.provider })
    if (added.length === 0) return
    const client = getClientInfo(await headers())
    await recordAuditEvent(tx, 'provider.connected', {
      actorId: userId,
      targetId: userId,
      client,
      details: { provider },
    })
    await enqueue(tx, providerConnectedEmail, {
      userId,
      provider: providerName(provider),
      cause: causedBy(client),
    })
  })
  return `/connect/${provider}?done`
}
