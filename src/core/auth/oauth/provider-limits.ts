import 'server-only'
import { headers } from 'next/headers'
import { recordAuditEvent } from '../../audit/record-audit-event'
import { db } from '../../db/client'
import { clientIp, getClientInfo, ipGroup } from '../../http/client-ip'
import { currentRequest } from '../../http/request'
import { defineLimit } from '../../limits/limit'
import { findUserByIdentity } from './identity'

const callbackLimit = defineLimit('provider_ip', { points: 60, seconds: 10 * 60, successes: 600 })
const startLimit = defineLimit('provider_start_ip', { points: 600, seconds: 10 * 60 })

/** Limits how often a sign-in is started, because some providers are asked each time where their pages are. */
export async function limitStarts(): Promise<void> {
  await startLimit.consume(ipGroup(clientIp(await headers())))
}

/** Limits and records failed callbacks, because every callback with an invalid code makes us call the provider. */
export async function limitFailedCallbacks(provider: string, handle: () => Promise<Response>): Promise<Response> {
  const requestHeaders = await headers()
  const ip = ipGroup(clientIp(requestHeaders))
  await callbackLimit.consume(ip)
  const response = await handle()
  const error = readError(response)
  if (!error) {
    await callbackLimit.forgive(ip)
    return response
  }
  const identity = currentRequest()?.identity
  const user = identity && (await findUserByIdentity(identity.provider, identity.providerAccountId))
  const details = { reason: 'provider', provider, error }
  await recordAuditEvent(db, 'signin.failed', { targetId: user?.id, client: getClientInfo(requestHeaders), details })
  return response
}

/** Why the sign-in failed: the status, or the `error` parameter of the redirect to the sign-in page. */
function readError({ status, headers }: Response): string | null {
  const { pathname, searchParams } = new URL(headers.get('location') ?? '/', 'http://app.invalid')
  if (status >= 400) return String(status)
  return pathname === '/signin' ? searchParams.get('error') : null
}
