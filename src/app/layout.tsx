import type { Metadata, Viewport } from 'next'
import localFont from 'next/font/local'
import { appDescription, appName } from '@/brand'
import { earlyScript } from '@/core/http/headers'
import { publicOrigin } from '@/core/site/origin'
import './globals.css'

const geist = localFont({
  src: '../../node_modules/@fontsource-variable/geist/files/geist-latin-wght-normal.woff2',
  variable: '--font-geist',
  weight: '100 900',
  // A font that loads late is only used on the next page, so that text never shifts.
  display: 'optional',
})

const origin = publicOrigin()

export const metadata: Metadata = {
  metadataBase: origin,
  title: { default: appName, template: `%s · ${appName}` },
  description: appDescription,
  openGraph: {
    type: 'website',
    siteName: appName,
    // Without an origin, Next would name localhost. See opengraph-image.tsx.
    images: origin ? [{ url: '/opengraph-image', width: 1200, height: 630, alt: appName }] : [],
  },
  twitter: { card: origin ? 'summary_large_image' : 'summary' },
}

export const viewport: Viewport = {
  // `--background` of globals.css, in both themes.
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#ffffff' },
    { media: '(prefers-color-scheme: dark)', color: '#131514' },
  ],
}

// Nothing here may read the request: it would make every page of the app dynamic.
export default async function RootLayout({ children }: LayoutProps<'/'>) {
  // Imported here, so that production builds do not contain it.
  const DevelopmentBar =
    process.env.NODE_ENV === 'development' ? (await import('./dev/development-bar')).DevelopmentBar : null
  return (
    // The early script sets the theme on this element before React sees it.
    <html lang="en" className={geist.variable} suppressHydrationWarning>
      <head>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a constant, allowed in the CSP by its hash */}
        <script suppressHydrationWarning dangerouslySetInnerHTML={{ __html: earlyScript }} />
        {/* Browsers paint a page that they have read in part, and what follows would move it. */}
        <link rel="expect" href="#end" blocking="render" />
      </head>
      <body>
        <a
          href="#main"
          className="sr-only z-50 rounded-md bg-primary px-4 py-2 text-primary-foreground focus:not-sr-only focus:fixed focus:top-2 focus:start-2"
        >
          Skip to content
        </a>
        <aside data-when="impersonating" className="border-warning border-b-2 px-4 py-2 text-center text-sm">
          You’re impersonating someone.{' '}
          <a href="/dashboard" className="underline underline-offset-4">
            Go to dashboard
          </a>
        </aside>
        {DevelopmentBar && <DevelopmentBar />}
        {children}
        <div id="end" aria-live="polite">
          <p
            data-when="offline"
            className="pointer-events-none fixed inset-x-0 bottom-0 z-50 bg-warning-soft py-1.5 text-center text-sm text-warning-text print:hidden"
          >
            You’re offline. Check your connection.
          </p>
        </div>
      </body>
    </html>
  )
}
