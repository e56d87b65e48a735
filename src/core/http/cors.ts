import { env } from '../env'

/** Whether pages of this origin may call the API (CORS_ORIGINS, exact matches). */
export function isAllowedOrigin(origin: string | null): boolean {
  return origin !== null && env.CORS_ORIGINS.includes(origin)
}

/** The CORS headers of a response. None while CORS_ORIGINS is empty. */
export function corsHeaders(request: Request): Record<string, string> {
  if (env.CORS_ORIGINS.length === 0) return {}
  const origin = request.headers.get('origin')
  // `Vary` also for origins that are not allowed: otherwise a cache would serve one the response for the other.
  if (!isAllowedOrigin(origin)) return { Vary: 'Origin' }
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin ?? '',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
    ...(env.CORS_CREDENTIALS && { 'Access-Control-Allow-Credentials': 'true' }),
  }
}

/** The headers of a preflight response. */
export function preflightHeaders(request: Request, methods: string[]): Record<string, string> {
  if (!isAllowedOrigin(request.headers.get('origin'))) return {}
  return {
    'Access-Control-Allow-Methods': methods.filter((method) => method !== 'OPTIONS').join(', '),
    'Access-Control-Allow-Headers': 'Authorization, Content-Type',
    'Access-Control-Max-Age': '600',
  }
}
