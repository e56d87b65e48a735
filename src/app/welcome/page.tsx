import { buttonVariants } from '@/core/ui/button'
import { SiteHeader } from '@/core/ui/site-header'
import { Card } from '@/core/ui/surface'
import { modules } from '@/modules'
import { SeededPeople } from '../signin/seeded-people'

export const metadata = { title: 'Welcome', description: 'This app is running. What it has, and what to do first.' }

const firstSteps = [
  {
    title: 'Look around',
    text: 'Every component of the interface, in either theme.',
    href: '/dev/ui',
    place: 'src/core/ui',
  },
  { title: 'Make it yours', text: 'Colours, radius and type are tokens in one file.', place: 'src/app/globals.css' },
  {
    title: 'Write a module',
    text: 'A folder in parentheses holds pages, API, actions, tables and tests.',
    place: 'docs/modules.md',
  },
  { title: 'Try the real thing', text: 'A production build on this same database.', place: 'npm run preview' },
]

/** Stands at `/` while no module brings a page for it. Static: in production it says only that the app runs. */
export default function WelcomePage() {
  const isDevelopment = process.env.NODE_ENV === 'development'
  return (
    <>
      <SiteHeader />
      <main id="main" className="mx-auto grid max-w-3xl gap-10 px-4 py-16 sm:px-6">
        <div className="grid gap-5">
          <h1 className="font-semibold text-3xl sm:text-4xl">It runs</h1>
          <p className="text-lg text-muted-foreground">
            {isDevelopment
              ? 'This is your app in development: a real PostgreSQL, three people you can sign in as, and nothing left to configure.'
              : 'The app is up. Modules bring its pages.'}
          </p>
          <div>
            <a href="/signin" className={buttonVariants({ size: 'large' })}>
              Sign in
            </a>
          </div>
        </div>
        {isDevelopment && (
          <>
            <SeededPeople />
            <section aria-labelledby="first-steps" className="grid gap-4">
              <h2 id="first-steps" className="font-semibold text-xl">
                What to do first
              </h2>
              <ul className="grid gap-4 sm:grid-cols-2">
                {firstSteps.map(({ title, text, href, place }) => (
                  <li key={title}>
                    <Card className="relative h-full p-5">
                      <h3 className="font-semibold">
                        {href ? (
                          <a href={href} className="underline underline-offset-4 after:absolute after:inset-0">
                            {title}
                          </a>
                        ) : (
                          title
                        )}
                      </h3>
                      <p className="text-muted-foreground text-sm">{text}</p>
                      <p className="mt-2 font-mono text-sm">{place}</p>
                    </Card>
                  </li>
                ))}
              </ul>
            </section>
            <section aria-labelledby="modules" className="grid gap-2">
              <h2 id="modules" className="font-semibold text-xl">
                Installed modules
              </h2>
              <p className="text-muted-foreground">
                {modules.length === 0 ? 'None. The app is core alone.' : modules.map(({ title }) => title).join(', ')}
              </p>
            </section>
          </>
        )}
      </main>
    </>
  )
}
