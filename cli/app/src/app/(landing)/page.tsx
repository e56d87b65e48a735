import type { Metadata } from 'next'
import { appName } from '@/brand'
import { publicOrigin } from '@/core/site/origin'
import { SiteHeader } from '@/core/ui/site-header'
import { publicPages } from '@/public-pages'
import { Footer } from './_components/footer'
import { PageStyle } from './_components/page-style'
import { Closing, Features, Hero, Questions } from './_components/sections'
import { content } from './content'

const origin = publicOrigin()

export const metadata: Metadata = {
  title: { absolute: `${appName}: ${content.title}` },
  description: content.lead,
  ...(origin && { alternates: { canonical: '/' } }),
}

/** For search engines. A data block: browsers do not run it, so the content security policy does not concern it. */
const structuredData = JSON.stringify({
  '@context': 'https://schema.org',
  '@type': 'WebSite',
  name: appName,
  description: content.lead,
  ...(origin && { url: origin.href }),
}).replaceAll('<', '\\u003c')

export default function LandingPage() {
  return (
    <>
      <PageStyle />
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own words, escaped */}
      <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: structuredData }} />
      <SiteHeader action={content.start}>
        {[...content.navigation, ...publicPages].map(({ label, href }) => (
          <a key={href} href={href} className="hover:underline">
            {label}
          </a>
        ))}
      </SiteHeader>
      <main id="main" data-slot="landing">
        <Hero />
        <Features />
        <Questions />
        <Closing />
      </main>
      <Footer />
    </>
  )
}
