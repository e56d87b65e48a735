import { Inbox, SearchX } from 'lucide-react'
import { Button, buttonVariants } from '@/core/ui/button'
import { Input } from '@/core/ui/input'
import { RelativeTime } from '@/core/ui/relative-time'
import { SiteHeader } from '@/core/ui/site-header'
import { EmptyState } from '@/core/ui/surface'
import { EmailViewer, readView } from './email-viewer'
import { type Email, findEmail, findEmails } from './emails'
import { markRead } from './inbox-folder'
import { inboxUrl } from './inbox-url'

export const metadata = { title: 'Inbox' }

type Params = Partial<Record<'mail' | 'q' | 'view' | 'width', string | string[]>>

const textOf = (value: string | string[] | undefined) => (typeof value === 'string' ? value.trim() : '')

/** The emails that the app has sent in development. A local SMTP server stores them and delivers none. */
export default async function InboxPage({ searchParams }: { searchParams: Promise<Params> }) {
  const { mail, q, view, width } = await searchParams
  const openEmail = await findEmail(textOf(mail))
  if (openEmail) markRead(openEmail.id)
  const search = textOf(q)
  const emails = await findEmails(search)
  return (
    <>
      <SiteHeader />
      <main id="main" className="mx-auto grid max-w-6xl grid-cols-1 gap-8 px-4 py-12 sm:px-6">
        <div className="flex flex-wrap items-start gap-4">
          <div className="grid min-w-0 flex-1 basis-48 gap-2">
            <h1 className="font-semibold text-3xl">Inbox</h1>
            <p className="text-muted-foreground">
              Every email the app sends in development. Nothing leaves this machine.
            </p>
          </div>
          <search>
            <form action="/dev/inbox" className="flex gap-2">
              <Input
                type="search"
                name="q"
                defaultValue={search}
                aria-label="Search emails"
                placeholder="Search"
                className="min-w-0"
              />
              <Button type="submit" variant="outline" className="max-sm:h-11">
                Search
              </Button>
            </form>
          </search>
        </div>
        {emails.length === 0 && !openEmail ? (
          <NoEmails search={search} />
        ) : (
          <div className="grid grid-cols-1 gap-8 lg:grid-cols-[20rem_1fr]">
            <EmailList emails={emails} search={search} openId={openEmail?.id} />
            {openEmail ? (
              <EmailViewer email={openEmail} search={search} view={readView(view)} isPhone={width === 'phone'} />
            ) : (
              <p className="text-muted-foreground">Select an email.</p>
            )}
          </div>
        )}
      </main>
    </>
  )
}

function NoEmails({ search }: { search: string }) {
  if (!search)
    return (
      <EmptyState icon={Inbox} title="No emails yet">
        Sign up or reset a password to see one here.
      </EmptyState>
    )
  return (
    <EmptyState
      icon={SearchX}
      title="No emails match"
      action={
        <a href="/dev/inbox" className={buttonVariants({ variant: 'outline', size: 'small' })}>
          Clear search
        </a>
      }
    >
      The search looks at subjects, recipients and texts.
    </EmptyState>
  )
}

function EmailList({ emails, search, openId }: { emails: Email[]; search: string; openId: string | undefined }) {
  return (
    <ul aria-label="Emails" className="grid content-start gap-1">
      {emails.map(({ id, subject, to, at, isUnread }) => (
        <li key={id}>
          <a
            href={inboxUrl({ mail: id, q: search })}
            aria-current={openId === id ? 'page' : undefined}
            className="grid gap-0.5 rounded-md px-3 py-2 text-sm hover:bg-muted aria-[current=page]:bg-secondary"
          >
            <span className="flex items-center gap-2">
              {isUnread && (
                <>
                  <span aria-hidden="true" className="size-1.75 shrink-0 rounded-full bg-primary" />
                  <span className="sr-only">Unread</span>
                </>
              )}
              <span className="font-medium">{subject}</span>
            </span>
            <span className="truncate text-muted-foreground">{to}</span>
            <span className="text-muted-foreground text-xs">
              <RelativeTime at={at} />
            </span>
          </a>
        </li>
      ))}
    </ul>
  )
}
