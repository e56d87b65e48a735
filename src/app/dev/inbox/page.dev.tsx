import { SiteHeader } from '@/core/ui/site-header'
import { EmptyState } from '@/core/ui/surface'
import { findMail, readMails } from './mails'

export const metadata = { title: 'Inbox' }

/** The mails that the app has sent in development. They went through a real SMTP server and stop here. */
export default async function InboxPage({ searchParams }: { searchParams: Promise<{ mail?: string | string[] }> }) {
  const { mail: id } = await searchParams
  const mails = await readMails()
  const open = typeof id === 'string' ? await findMail(id) : null
  return (
    <>
      <SiteHeader />
      <main id="main" className="mx-auto grid max-w-5xl gap-8 px-4 py-12 sm:px-6">
        <div className="grid gap-2">
          <h1 className="font-semibold text-3xl">Inbox</h1>
          <p className="text-muted-foreground">
            Mails to anybody, as long as this is development. None leaves this machine.
          </p>
        </div>
        {mails.length === 0 ? (
          <EmptyState title="No mail yet">Sign up, or say that you forgot a password.</EmptyState>
        ) : (
          <div className="grid gap-8 lg:grid-cols-[20rem_1fr]">
            <ul className="grid content-start gap-1">
              {mails.map(({ id, subject, to, at }) => (
                <li key={id}>
                  <a
                    href={`/dev/inbox?mail=${id}`}
                    aria-current={open?.id === id ? 'page' : undefined}
                    className="grid gap-0.5 rounded-md px-3 py-2 text-sm hover:bg-muted aria-[current=page]:bg-secondary"
                  >
                    <span className="font-medium">{subject}</span>
                    <span className="truncate text-muted-foreground">{to}</span>
                    <time dateTime={at.toISOString()} className="text-muted-foreground text-xs">
                      {at.toISOString().slice(0, 19).replace('T', ' ')}
                    </time>
                  </a>
                </li>
              ))}
            </ul>
            {open ? (
              <article aria-label={open.subject} className="order-first grid content-start gap-4 lg:order-none">
                <iframe
                  title="As a mail program shows it"
                  sandbox="allow-top-navigation-by-user-activation"
                  srcDoc={open.html.replace('<head>', '<head><base target="_top">')}
                  className="h-112 w-full rounded-lg border"
                />
                <details>
                  <summary className="text-sm">As text</summary>
                  <pre className="mt-2 whitespace-pre-wrap rounded-lg border p-4 text-sm">{open.text}</pre>
                </details>
              </article>
            ) : (
              <p className="text-muted-foreground">Choose a mail.</p>
            )}
          </div>
        )}
      </main>
    </>
  )
}
