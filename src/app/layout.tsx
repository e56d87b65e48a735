import type { Metadata, Viewport } from 'next'
import localFont from 'next/font/local'
import { appName } from '@/core/app-name'
import { earlyScript } from '@/core/headers'
import { DevelopmentBar } from './development-bar'
import './globals.css'

const geist = localFont({
  src: '../../node_modules/@fontsource-variable/geist/files/geist-latin-wght-normal.woff2',
  variable: '--font-geist',
  weight: '100 900',
  // A font that arrives late is used on the next page: text never jumps.
  display: 'optional',
})

export const metadata: Metadata = {
  title: { default: appName, template: `%s · ${appName}` },
  description: 'The base that a web application stands on: sign-in, people, roles and modules, done properly.',
}

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#fdfcfa' },
    { media: '(prefers-color-scheme: dark)', color: '#11100e' },
  ],
}

// Nothing here may read the request: it would make every page of the app dynamic.
export default function RootLayout({ children }: LayoutProps<'/'>) {
  return (
    // The early script sets the theme on this element before React sees it.
    <html lang="en" className={geist.variable} suppressHydrationWarning>
      <head>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of ours, allowed by its hash */}
        <script suppressHydrationWarning dangerouslySetInnerHTML={{ __html: earlyScript }} />
      </head>
      <body>
        <a
          href="#main"
          className="sr-only z-50 rounded-md bg-primary px-4 py-2 text-primary-foreground focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
        >
          Skip to the content
        </a>
        <aside data-when="acting" className="border-warning border-b-2 px-4 py-2 text-center text-sm">
          You act for somebody else.{' '}
          <a href="/dashboard" className="underline underline-offset-4">
            Look or stop
          </a>
        </aside>
        <DevelopmentBar />
        {children}
      </body>
    </html>
  )
}
