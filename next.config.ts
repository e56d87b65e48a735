import { globSync } from 'node:fs'
import type { NextConfig } from 'next'

const isDevelopment = process.env.NODE_ENV === 'development'
const hasHomePage = globSync('src/app/*/page.tsx', { cwd: import.meta.dirname }).some((file) => file.includes('('))

const config: NextConfig = {
  // Only for scripts/standalone.ts, because `next start` does not work with it.
  ...(process.env.STANDALONE && { output: 'standalone' as const, outputFileTracingRoot: import.meta.dirname }),
  // Pages named page.dev.tsx and routes named route.dev.ts exist in development only; production builds do not see them.
  pageExtensions: isDevelopment ? ['dev.tsx', 'dev.ts', 'tsx', 'ts'] : ['tsx', 'ts'],
  typedRoutes: true,
  allowedDevOrigins: (process.env.DEV_HOSTS || 'localhost').split(','),
  // Not over the sign-out button in the navigation.
  devIndicators: { position: 'bottom-right' },
  // The development bar asks for it every few seconds.
  ...(isDevelopment && { logging: { incomingRequests: { ignore: [/^\/dev\/inbox\/unread/] } } }),
  poweredByHeader: false,
  // Next would hash every page for each request, which is the largest cost of a static page. scripts/postbuild.ts sets the ETags
  // of static pages once.
  generateEtags: false,
  reactStrictMode: true,
  // The image optimizer is an endpoint with a long list of advisories; nothing here needs it.
  images: { unoptimized: true },
  serverExternalPackages: [
    '@node-rs/argon2',
    '@node-rs/bcrypt',
    '@opentelemetry/api',
    'nodemailer',
    'pg',
    'pg-boss',
    'pino',
  ],
  experimental: {
    // After a failed submit a form sends the previous result together with the new values, so a text is sent twice.
    serverActions: { bodySizeLimit: '160kb' },
    // How much of a body Next buffers for proxy.ts (10 MB by default). Must be larger than bodySizeLimit: Next silently
    // truncates a longer body, so the action must already have rejected it.
    proxyClientMaxBodySize: '192kb',
  },
  // The start page of core is at `/` while no module has a page for it; otherwise production has none, so its path leads to one
  // that does not exist. In development it is another page, with the state of the setup.
  rewrites: async () => ({
    beforeFiles: isDevelopment
      ? [{ source: '/welcome', destination: '/dev/welcome' }]
      : hasHomePage
        ? [{ source: '/welcome', destination: '/welcome/absent' }]
        : [],
    afterFiles: [],
    fallback: [{ source: '/', destination: isDevelopment ? '/dev/welcome' : '/welcome' }],
  }),
}

export default config
