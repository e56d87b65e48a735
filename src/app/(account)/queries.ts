import 'server-only'
import { headers } from 'next/headers'
import { originOf } from '@/core/address'
import { record } from '@/core/audit/record'
import { getSession } from '@/core/auth/actor'
import { listSessions, revokeSessions } from '@/core/auth/sessions'
import { db } from '@/core/db/client'

/** Where the person is signed in, this device first. */
export async function findDevices(userId: string) {
  const current = (await getSession())?.id
  const all = await listSessions(userId)
  return all
    .map((session) => ({ ...session, isThis: session.id === current }))
    .toSorted((a, b) => Number(b.isThis) - Number(a.isThis))
}

/** Ends one device, or all but this one. */
export async function endDevices(userId: string, which: { only: string } | 'others'): Promise<number> {
  const current = (await getSession())?.id ?? ''
  const from = originOf(await headers())
  return db.transaction(async (tx) => {
    const count = await revokeSessions(tx, userId, which === 'others' ? { except: current } : which)
    if (count > 0) await record(tx, 'session.revoked', { actorId: userId, targetId: userId, from, details: { count } })
    return count
  })
}
