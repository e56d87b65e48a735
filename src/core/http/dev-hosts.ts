import { env } from '../env'
import { AppError } from '../errors'
import { rejectEarly } from './reject-early'
import { onEveryRequest } from './server-hooks'

const hostNameOf = (host = '') => host.toLowerCase().replace(/:\d+$/, '')

/** Loopback names: no other site can make them resolve to this machine. */
const isLoopback = (name: string) => /^(.+\.)?localhost$|^127(\.\d+){3}$|^\[::1\]$/.test(name)

/**
 * Called once, when development or a preview starts. Another site can point its own host name at this machine (DNS
 * rebinding); its pages could then read everything that development shows, including the password of the seeded users.
 */
export function rejectForeignHosts(): void {
  const allowedHosts = [...env.DEV_HOSTS, new URL(env.AUTH_URL).hostname]
  onEveryRequest(({ request, response }) => {
    const name = hostNameOf(request.headers.host)
    if (isLoopback(name) || allowedHosts.includes(name)) return
    const message = `This host isn’t allowed. To allow it, start the app with DEV_HOSTS=${name}`
    rejectEarly(request, response, new AppError('forbidden', message))
    // Next handles the request anyway, so make it harmless.
    request.method = 'GET'
    request.url = '/404'
  })
}
