import type { NextConfig } from 'next'

const isDevelopment = process.env.NODE_ENV === 'development'

const config: NextConfig = {
  // Pages named page.dev.tsx exist in development only; production builds do not see them.
  pageExtensions: isDevelopment ? ['dev.tsx', 'tsx', 'ts'] : ['tsx', 'ts'],
  typedRoutes: true,
  // Not over the navigation, where people sign out.
  devIndicators: { position: 'bottom-right' },
  poweredByHeader: false,
  reactStrictMode: true,
  // The optimiser is an endpoint with a long list of advisories; nothing here needs it.
  images: { unoptimized: true },
  serverExternalPackages: ['@node-rs/argon2', 'nodemailer', 'pg', 'pg-boss', 'pino'],
  experimental: {
    serverActions: { bodySizeLimit: '64kb' },
  },
  // Pages and API answers carry their other headers themselves. This one is on everything, what Next answers by itself
  // included: files, redirects, refusals.
  headers: async () => [{ source: '/:path*', headers: [{ key: 'X-Content-Type-Options', value: 'nosniff' }] }],
  // A module may bring a page for `/`; while none does, core's start screen stands there.
  rewrites: async () => ({
    beforeFiles: [],
    afterFiles: [],
    fallback: [{ source: '/', destination: '/welcome' }],
  }),
}

export default config
