import { env } from './env'

/** Pages of these sites may call the API: exact origins, chosen by the deployer. */
export function isAllowedOrigin(origin: string | null): boolean {
  return origin !== null && env.CORS_ORIGINS.includes(origin)
}

/** What a browser needs to hear about the caller's site. Nothing at all while no site is allowed. */
export function corsHeaders(request: Request): Record<string, string> {
  if (env.CORS_ORIGINS.length === 0) return {}
  const origin = request.headers.get('origin')
  // Also for those who get nothing: a cache must not mix the two.
  if (!isAllowedOrigin(origin)) return { Vary: 'Origin' }
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin ?? '',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
    ...(env.CORS_CREDENTIALS && { 'Access-Control-Allow-Credentials': 'true' }),
  }
}

/** The answer to a browser that asks first. */
export function preflightHeaders(request: Request, methods: string[]): Record<string, string> {
  if (!isAllowedOrigin(request.headers.get('origin'))) return {}
  return {
    'Access-Control-Allow-Methods': methods.filter((method) => method !== 'OPTIONS').join(', '),
    'Access-Control-Allow-Headers': 'Authorization, Content-Type',
    'Access-Control-Max-Age': '600',
  }
}
