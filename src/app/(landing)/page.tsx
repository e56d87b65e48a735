import type { Metadata } from 'next'
import { appName } from '@/brand'
import { publicOrigin } from '@/core/site/origin'
import { SiteHeader } from '@/core/ui/site-header'
import { publicPages } from '@/public-pages'
import { Footer } from './_components/footer'
import { Figures, Hero } from './_components/hero'
import { PageStyle } from './_components/page-style'
import { Comparison, Features, Modules, Proofs, Questions, Security, Start } from './_components/sections'
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
  '@type': 'SoftwareApplication',
  name: appName,
  description: content.lead,
  applicationCategory: 'DeveloperApplication',
  operatingSystem: 'Linux, macOS, Windows',
  license: 'https://opensource.org/license/mit',
  offers: { '@type': 'Offer', price: 0, priceCurrency: 'USD' },
  ...(origin && { url: origin.href }),
}).replaceAll('<', '\\u003c')

export default function LandingPage() {
  return (
    <>
      <PageStyle />
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own words, escaped */}
      <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: structuredData }} />
      <SiteHeader action={{ label: content.start.label, href: '#start' }}>
        {[...content.navigation, ...publicPages].map(({ label, href }) => (
          <a key={href} href={href} className="hover:underline">
            {label}
          </a>
        ))}
      </SiteHeader>
      <main id="main" data-slot="landing">
        <Hero />
        <Figures />
        <Features />
        <Security />
        <Comparison />
        <Modules />
        <Proofs />
        <Questions />
        <Start />
      </main>
      <Footer />
    </>
  )
}
