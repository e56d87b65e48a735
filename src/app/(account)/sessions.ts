import 'server-only'
import { headers } from 'next/headers'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { getSession } from '@/core/auth/session/actor'
import { listSessions, revokeSessions } from '@/core/auth/session/sessions'
import { inTransaction } from '@/core/db/in-transaction'
import { getClientInfo } from '@/core/http/client-ip'

/** The user's sessions, the current one first. */
export async function findSessions(userId: string) {
  const current = (await getSession())?.id
  const all = await listSessions(userId)
  return all
    .map((session) => ({ ...session, isCurrent: session.id === current }))
    .toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent))
}

/** Ends one session, or all except the current one. Returns how many ended. */
export async function endSessions(userId: string, which: { only: string } | 'others'): Promise<number> {
  const current = (await getSession())?.id ?? ''
  const client = getClientInfo(await headers())
  return inTransaction(async (tx) => {
    const count = await revokeSessions(tx, userId, which === 'others' ? { except: current } : which)
    if (count > 0)
      await recordAuditEvent(tx, 'session.revoked', { actorId: userId, targetId: userId, client, details: { count } })
    return count
  })
}
