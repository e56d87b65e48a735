import 'server-only'
import type { AppError, ErrorCode } from '../errors'
import { log } from '../log'
import { refusals } from '../telemetry/metrics'
import { getClientInfo } from './client-ip'
import { currentRequest } from './request'

/** Codes that point to an attack and rarely happen otherwise: logged as warnings. */
const suspiciousCodes = new Set<ErrorCode>(['forbidden', 'cross_site', 'rate_limited', 'reauth_required', 'last_admin'])

/** Logs and counts a rejected request: code, entry point, user and IP if known. Of the input only the field names. */
export async function noteRefusal({ code, fields }: AppError, entry: string): Promise<void> {
  refusals.add(1, { 'plinth.code': code })
  const request = currentRequest()
  // Reading the session may be what failed.
  const session = await request?.session?.catch(() => null)
  const details = {
    code,
    entry,
    userId: session?.user.id,
    ip: request && getClientInfo(request.headers).ip,
    ...(fields && { fields: Object.keys(fields) }),
  }
  log[suspiciousCodes.has(code) ? 'warn' : 'info'](details, 'request rejected')
}
