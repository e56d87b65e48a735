import { createHash } from 'node:crypto'
import { type NextRequest, NextResponse } from 'next/server'
import { listProviders } from '@/core/auth/oauth/provider-files'
import { AppError, toAppError } from '@/core/errors'
import { dynamicPolicy, earlyScript, pageHeaders } from '@/core/http/headers'
import { noteRefusal } from '@/core/http/note-refusal'
import { readBytes, requestIdFrom, withRequest } from '@/core/http/request'

const earlyHash = `sha256-${createHash('sha256').update(earlyScript).digest('base64')}`
const isDevelopment = process.env.NODE_ENV === 'development'
const formTargets = listProviders().flatMap((provider) => provider.formTargets)

/** Methods that pages accept. Next itself would render a page for any method. */
const methods = ['GET', 'HEAD', 'POST']

/** The same value as `bodySizeLimit` in next.config.ts. */
const maxActionBytes = 160 * 1024

/** Rejects actions for which Next would return 500: those with a foreign `Origin`, and those with too large a body. */
async function rejectBadAction(request: NextRequest): Promise<void> {
  if (hasForeignOrigin(request.headers)) throw new AppError('cross_site')
  const length = request.headers.get('content-length')
  if (length === null) await readBytes(request, maxActionBytes)
  else if (Number(length) > maxActionBytes) throw new AppError('too_large')
}

/** Compares as Next does, which trusts the first `X-Forwarded-Host`. The check in core/http/request.ts does not trust it. */
function hasForeignOrigin(headers: Headers): boolean {
  const origin = headers.get('origin')
  const [forwardedHost = ''] = (headers.get('x-forwarded-host') ?? '').split(',')
  return (
    origin !== null && (!URL.canParse(origin) || new URL(origin).host !== (forwardedHost.trim() || headers.get('host')))
  )
}

/** Sets the headers of pages rendered per request, and rejects invalid requests. Never authorizes: actions and handlers do. */
export async function proxy(request: NextRequest): Promise<NextResponse> {
  // A path with a dot may be a route handler, such as a feed, which checks the method itself.
  if (!methods.includes(request.method) && !request.nextUrl.pathname.includes('.')) {
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', Allow: methods.join(', ') }
    return new NextResponse('Method Not Allowed', { status: 405, headers })
  }
  const requestId = requestIdFrom(request.headers)
  if (request.method === 'POST') {
    try {
      await rejectBadAction(request)
    } catch (error) {
      const refusal = toAppError(error)
      const { headers, nextUrl } = request
      await withRequest({ id: requestId, headers }, () =>
        noteRefusal(refusal, `POST ${nextUrl.pathname.slice(0, 200)}`),
      )
      return new NextResponse(refusal.title, {
        status: refusal.status,
        headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Request-Id': requestId },
      })
    }
  }
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64')
  const policy = dynamicPolicy({ nonce, earlyHash, isDevelopment, formTargets })

  // Next reads the nonce from the policy in the request headers and adds it to every script it renders.
  const headers = new Headers(request.headers)
  headers.set('Content-Security-Policy', policy)
  headers.set('X-Request-Id', requestId)
  const response = NextResponse.next({ request: { headers } })

  for (const [name, value] of Object.entries(pageHeaders)) response.headers.set(name, value)
  // An email token in the URL must not leak to another site through the Referer header. Not `no-referrer`: without
  // JavaScript, browsers would then submit a form with `Origin: null`, which is rejected.
  if (request.nextUrl.searchParams.has('token')) response.headers.set('Referrer-Policy', 'same-origin')
  response.headers.set('Content-Security-Policy', policy)
  response.headers.set('X-Request-Id', requestId)
  return response
}

// Every page, in development. The post-build step (scripts/postbuild.ts) narrows this to pages rendered per request: the proxy
// halves the throughput of whatever passes through it, and static pages already have their headers.
export const config = { matcher: ['/((?!api/|_next/|.*\\.).*)'] }
