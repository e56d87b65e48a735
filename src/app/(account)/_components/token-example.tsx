import { env } from '@/core/env'

/** How to send a token. */
export function TokenExample() {
  return (
    <pre className="wrap-anywhere whitespace-pre-wrap rounded-md bg-muted px-3 py-2 text-start font-mono text-xs">
      {`curl -H "Authorization: Bearer $TOKEN" ${env.AUTH_URL}/api/auth/session`}
    </pre>
  )
}
