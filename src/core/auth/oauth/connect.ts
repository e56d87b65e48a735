import 'server-only'
import { headers } from 'next/headers'
import { originOf } from '../../address'
import { record } from '../../audit/record'
import { db } from '../../db/client'
import { accounts } from '../../db/schema'
import { AppError } from '../../errors'
import { enqueue } from '../../jobs/queue'
import { getSession } from '../actor'
import { clearFromBrowser, isSigned, keepInBrowser, readFromBrowser, sign } from '../browser'
import { providerConnectedMail } from '../mails'
import { findByIdentity } from './identity'
import { type ProviderId, providerNames } from './providers'

const minutes = 60

/** Notes in the browser that this session, and no other, wants this provider connected. Without the note nothing ever is. */
export async function intendToConnect(provider: ProviderId): Promise<void> {
  const session = await getSession()
  if (!session) throw new AppError('unauthenticated')
  await keepInBrowser('connect', sign('connect', `${session.id}:${provider}`), 15 * minutes)
}

/**
 * Called when a provider has vouched for somebody. Connects the identity to whoever is signed in, when that is what they
 * set out to do, and says where to go next; null when this is an ordinary sign-in.
 */
export async function connectIfIntended(provider: ProviderId, providerAccountId: string): Promise<string | null> {
  const intent = await readFromBrowser('connect')
  if (!intent) return null
  await clearFromBrowser('connect')
  const session = await getSession()
  // Signed out, run out or somebody else by now: neither connect nor sign in, for both would be a surprise. Ask again.
  if (!session) return `/signin?error=connect&callbackUrl=/connect/${provider}`
  if (!isSigned('connect', `${session.id}:${provider}`, intent)) return `/connect/${provider}`

  const userId = session.user.id
  const owner = await findByIdentity(provider, providerAccountId)
  if (owner && owner.id !== userId) return `/connect/${provider}?error=taken`
  await db.transaction(async (tx) => {
    const added = await tx
      .insert(accounts)
      .values({ provider, providerAccountId, userId })
      .onConflictDoNothing()
      .returning({ provider: accounts.provider })
    if (added.length === 0) return
    const from = originOf(await headers())
    await record(tx, 'provider.connected', { actorId: userId, targetId: userId, from, details: { provider } })
    await enqueue(tx, providerConnectedMail, { userId, provider: providerNames[provider] })
  })
  return `/connect/${provider}?done`
}
