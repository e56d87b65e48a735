import { SiteHeader } from '@/core/ui/site-header'
import { findDevPages } from '../find-dev-pages'
import { Checklist } from './checklist'
import { findAreas } from './find-areas'
import { InstalledModules } from './installed-modules'
import { NextSteps } from './next-steps'
import { SignInCards } from './sign-in-cards'

export const metadata = { title: 'Welcome', description: 'What’s installed and what to do next.' }

/** The start page in development, at /welcome (see next.config.ts). In production it is src/app/welcome/page.tsx. */
export default async function DevelopmentWelcomePage() {
  const areas = await findAreas()
  const isBroken = areas.some(({ findings }) => findings.some(({ state }) => state === 'broken'))
  return (
    <>
      <SiteHeader>
        {findDevPages().map(({ href, label }) => (
          <a key={href} href={href} className="hover:underline">
            {label}
          </a>
        ))}
      </SiteHeader>
      <main id="main" className="mx-auto grid max-w-5xl grid-cols-1 gap-10 px-4 py-16 sm:px-6">
        <div className="grid gap-3">
          <h1 className="font-semibold text-3xl">Your app is running</h1>
          <p className="text-lg text-muted-foreground">
            {isBroken
              ? 'Something needs your attention. See the checklist.'
              : 'PostgreSQL is up, three users are seeded, and there’s nothing to configure.'}
          </p>
        </div>
        <SignInCards />
        <Checklist areas={areas} />
        <NextSteps />
        <InstalledModules />
      </main>
    </>
  )
}
