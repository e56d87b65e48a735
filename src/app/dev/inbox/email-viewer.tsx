import { RelativeTime } from '@/core/ui/relative-time'
import { Segments, Tabs } from '@/core/ui/tabs'
import type { Email } from './emails'
import { inboxUrl } from './inbox-url'

const views = ['html', 'text', 'source', 'links'] as const
type View = (typeof views)[number]
const labels: Record<View, string> = { html: 'HTML', text: 'Text', source: 'Source', links: 'Links' }

/** The view that `?view=` chooses. */
export const readView = (value: unknown): View => views.find((view) => view === value) ?? 'html'

const codeClass = 'wrap-anywhere whitespace-pre-wrap rounded-lg border p-4 font-mono text-sm'

/** One email: as a mail program shows it, as plain text, as it was sent, and its links. */
export function EmailViewer({
  email,
  search,
  view,
  isPhone,
}: {
  email: Email
  search: string
  view: View
  /** Show the HTML as wide as a phone. */
  isPhone: boolean
}) {
  const hrefOf = (change: Record<string, string>) => inboxUrl({ mail: email.id, q: search, ...change })
  return (
    <article
      aria-labelledby="email-subject"
      className="order-first grid min-w-0 grid-cols-1 content-start gap-4 lg:order-none"
    >
      <div className="text-sm">
        <h2 id="email-subject" className="font-semibold text-base">
          {email.subject}
        </h2>
        <p className="wrap-anywhere text-muted-foreground">
          From {email.from} to {email.to} · <RelativeTime at={email.at} />
        </p>
      </div>
      <Tabs
        label="Views of the email"
        tabs={views.map((one) => ({
          label: labels[one],
          href: hrefOf(one === 'html' ? {} : { view: one }),
          isCurrent: one === view,
          count: one === 'links' ? email.links.length : undefined,
        }))}
      />
      {view === 'html' && (
        <>
          <div>
            <Segments
              label="Width"
              options={[
                { label: 'Desktop', href: hrefOf({}), isCurrent: !isPhone },
                { label: 'Phone', href: hrefOf({ width: 'phone' }), isCurrent: isPhone },
              ]}
            />
          </div>
          <iframe
            title="Email preview"
            sandbox="allow-top-navigation-by-user-activation"
            srcDoc={email.html.replace('<head>', '<head><base target="_top">')}
            style={{ height: '44rem', ...(isPhone && { maxWidth: 390 }) }}
            className="w-full rounded-lg border"
          />
        </>
      )}
      {view === 'text' && <pre className={codeClass}>{email.text}</pre>}
      {view === 'source' && <pre className={codeClass}>{email.source}</pre>}
      {view === 'links' && (
        <ul className="grid gap-2 text-sm">
          {email.links.map((url) => (
            <li key={url}>
              <a href={url} className="wrap-anywhere underline underline-offset-4">
                {url}
              </a>
            </li>
          ))}
        </ul>
      )}
    </article>
  )
}
