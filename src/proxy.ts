import { createHash } from 'node:crypto'
import { type NextRequest, NextResponse } from 'next/server'
import { env } from '@/core/env'
import { dynamicPolicy, earlyScript, pageHeaders } from '@/core/headers'
import { requestIdFrom } from '@/core/request'

const earlyHash = `sha256-${createHash('sha256').update(earlyScript).digest('base64')}`
const isDevelopment = process.env.NODE_ENV === 'development'
const formTargets = [env.AUTH_GOOGLE_ISSUER, env.AUTH_GITHUB_URL].filter((origin) => origin !== undefined)

/** What can be done with a page. Next itself would show it whatever is asked. */
const methods = ['GET', 'HEAD', 'POST']

/** Headers of pages that are made per request, and a no to what no page can do. Never authorisation: that is where the data is touched. */
export function proxy(request: NextRequest): NextResponse {
  // A file such as a feed may stand where a page's name could, and answers for itself.
  if (!methods.includes(request.method) && !request.nextUrl.pathname.includes('.')) {
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', Allow: methods.join(', ') }
    return new NextResponse('Method Not Allowed', { status: 405, headers })
  }
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64')
  const policy = dynamicPolicy({ nonce, earlyHash, isDevelopment, formTargets })
  const requestId = requestIdFrom(request.headers)

  // Next reads the nonce from the request's policy and puts it on every script it writes.
  const headers = new Headers(request.headers)
  headers.set('Content-Security-Policy', policy)
  headers.set('X-Request-Id', requestId)
  const response = NextResponse.next({ request: { headers } })

  for (const [name, value] of Object.entries(pageHeaders)) response.headers.set(name, value)
  // What a link in a mail holds must not reach another site, not even as the place somebody came from. Not `no-referrer`:
  // browsers then send a form without JavaScript with `Origin: null`, which is refused.
  if (request.nextUrl.searchParams.has('token')) response.headers.set('Referrer-Policy', 'same-origin')
  response.headers.set('Content-Security-Policy', policy)
  response.headers.set('X-Request-Id', requestId)
  return response
}

// Every page, in development. The build's last step (scripts/seal.ts) narrows this to the pages that are made per
// request: passing through here halves the throughput of anything, and static pages carry their headers already.
export const config = { matcher: ['/((?!api/|_next/|.*\\.).*)'] }
