import type { NextConfig } from 'next'

const isDevelopment = process.env.NODE_ENV === 'development'

const config: NextConfig = {
  // For scripts/standalone.ts: with it `next start` would complain.
  ...(process.env.STANDALONE && { output: 'standalone' as const, outputFileTracingRoot: import.meta.dirname }),
  // Pages named page.dev.tsx exist in development only; production builds do not see them.
  pageExtensions: isDevelopment ? ['dev.tsx', 'tsx', 'ts'] : ['tsx', 'ts'],
  typedRoutes: true,
  // Not over the navigation, where people sign out.
  devIndicators: { position: 'bottom-right' },
  poweredByHeader: false,
  // Next would hash every page anew for each request, which takes longer than all else about a static one. scripts/seal.ts has
  // marked those once.
  generateEtags: false,
  reactStrictMode: true,
  // The optimiser is an endpoint with a long list of advisories; nothing here needs it.
  images: { unoptimized: true },
  serverExternalPackages: ['@node-rs/argon2', '@opentelemetry/api', 'nodemailer', 'pg', 'pg-boss', 'pino'],
  experimental: {
    // A refused form sends what it was answered along with what is typed: a text goes twice.
    serverActions: { bodySizeLimit: '160kb' },
    // What proxy.ts would keep of a body in memory, 10 MB if nothing is said. More than an action takes: what is beyond is cut off
    // in silence, so the action must have refused it by then.
    proxyClientMaxBodySize: '1mb',
  },
  // A module may bring a page for `/`; while none does, core's start screen stands there.
  rewrites: async () => ({
    beforeFiles: [],
    afterFiles: [],
    fallback: [{ source: '/', destination: '/welcome' }],
  }),
}

export default config
