import type { Route } from 'next'
import { preheaderOf, renderEmailText } from '@/core/mail/render-email'
import { pathWithQuery } from '@/core/ui/path-with-query'
import { SiteHeader } from '@/core/ui/site-header'
import { Segments } from '@/core/ui/tabs'
import { loadSamples, renderInTheme } from './samples'

export const metadata = { title: 'Emails' }

const views = [
  { id: 'light', label: 'Light' },
  { id: 'dark', label: 'Dark' },
  { id: 'text', label: 'Text' },
] as const

// `as string`: the production build has no such route.
const pathOf = (email: string, view: string) =>
  pathWithQuery('/dev/emails' as string as Route, { email, view: view === 'light' ? undefined : view })

/** Every kind of email with sample data. /dev/inbox shows those that were sent. */
export default async function EmailsPage({
  searchParams,
}: {
  searchParams: Promise<{ email?: string | string[]; view?: string | string[] }>
}) {
  const query = await searchParams
  const samples = await loadSamples()
  const open = samples.find(({ id }) => id === query.email) ?? samples[0]
  const view = views.find(({ id }) => id === query.view)?.id ?? 'light'
  return (
    <>
      <SiteHeader />
      <main id="main" className="mx-auto grid max-w-5xl grid-cols-1 gap-8 px-4 py-12 sm:px-6">
        <div className="grid gap-2">
          <h1 className="font-semibold text-3xl">Emails</h1>
          <p className="text-muted-foreground">Every email the app can send, with sample data.</p>
        </div>
        <div className="grid grid-cols-1 gap-8 lg:grid-cols-[20rem_1fr]">
          <ul aria-label="Kinds of emails" className="grid content-start gap-1">
            {samples.map(({ id, kind, content }) => (
              <li key={id}>
                <a
                  href={pathOf(id, view)}
                  aria-current={id === open?.id ? 'page' : undefined}
                  className="grid gap-0.5 rounded-md px-3 py-2 text-sm hover:bg-muted aria-[current=page]:bg-secondary"
                >
                  <span className="font-medium">{content.subject}</span>
                  <span className="truncate text-muted-foreground text-xs">{kind}</span>
                </a>
              </li>
            ))}
          </ul>
          {open && (
            <article
              aria-label={open.content.subject}
              className="order-first grid min-w-0 content-start gap-4 lg:order-none"
            >
              <div className="grid gap-2">
                <p className="font-semibold">{open.content.subject}</p>
                <p className="text-muted-foreground text-sm">{preheaderOf(open.content)}</p>
                <Segments
                  label="View"
                  options={views.map(({ id, label }) => ({
                    label,
                    href: pathOf(open.id, id),
                    isCurrent: id === view,
                  }))}
                />
              </div>
              {view === 'text' ? (
                <pre className="wrap-anywhere whitespace-pre-wrap rounded-lg border p-4 text-sm">
                  {renderEmailText(open.content)}
                </pre>
              ) : (
                <iframe
                  title="Email preview"
                  sandbox="allow-top-navigation-by-user-activation"
                  srcDoc={renderInTheme(open.content, view)}
                  style={{ height: '44rem' }}
                  className="w-full rounded-lg border"
                />
              )}
            </article>
          )}
        </div>
      </main>
    </>
  )
}
