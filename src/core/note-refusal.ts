import 'server-only'
import { originOf } from './address'
import type { AppError, ErrorCode } from './errors'
import { log } from './log'
import { currentRequest } from './request'
import { refusals } from './telemetry/metrics'

/** What happens to whoever tries doors, and hardly ever to others. */
const isTelling = new Set<ErrorCode>(['forbidden', 'cross_site', 'rate_limited', 'reauth_required', 'last_admin'])

/** Writes down that somebody was refused: what, where, and who as far as it is known. Of what they sent, only the names of fields. */
export async function noteRefusal({ code, fields }: AppError, door: string): Promise<void> {
  refusals.add(1, { 'plinth.code': code })
  const request = currentRequest()
  // Who it was may be what could not be found out.
  const session = await request?.session?.catch(() => null)
  const facts = {
    code,
    door,
    userId: session?.user.id,
    ip: request && originOf(request.headers).ip,
    ...(fields && { fields: Object.keys(fields) }),
  }
  log[isTelling.has(code) ? 'warn' : 'info'](facts, 'refused')
}
