import { FileText, type LucideIcon, Search } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { signedIn } from '@/core/auth/policy'
import { getSession, requirePermission } from '@/core/auth/session/actor'
import { commandsFor } from '@/core/search/commands'
import { matchCommands } from '@/core/search/match-commands'
import { maxSearchLength, SearchText, search } from '@/core/search/search'
import { AppShell } from '@/core/ui/app-shell'
import { Button } from '@/core/ui/button'
import { Input } from '@/core/ui/input'
import { Page } from '@/core/ui/page'
import { pathWithQuery } from '@/core/ui/path-with-query'
import { Alert, Avatar, EmptyState } from '@/core/ui/surface'

export const metadata = { title: 'Search' }

/** The same as the command palette, as a page: it needs no JavaScript, and can be linked to. */
export default async function SearchPage({ searchParams }: PageProps<'/search'>) {
  const { q } = await searchParams
  const text = SearchText.catch('').parse(typeof q === 'string' ? q.slice(0, maxSearchLength) : '')
  const actor = await requirePermission(signedIn, pathWithQuery('/search', { q: text || undefined }))
  const [{ groups, isComplete }, session] = await Promise.all([search(actor, text), getSession()])
  const commands = matchCommands(commandsFor(actor.role, { isImpersonated: Boolean(session?.impersonatedBy) }), text)
  return (
    <AppShell>
      <Page title="Search" isNarrow>
        <search>
          <form action="/search" className="flex gap-2">
            <Input
              type="search"
              name="q"
              aria-label="Search"
              placeholder="Search or jump to…"
              defaultValue={text}
              maxLength={maxSearchLength}
              autoComplete="off"
              data-slot="page-search"
            />
            <Button type="submit" variant="outline">
              Search
            </Button>
          </form>
        </search>
        {!isComplete && (
          <Alert tone="warning" role="status" className="mt-4">
            Some results couldn’t be loaded. Reload the page to try again.
          </Alert>
        )}
        {commands.length === 0 && groups.length === 0 && (
          <div className="mt-6">
            <EmptyState icon={Search} title="No results">
              Nothing matches “{text}”. Try different or fewer words.
            </EmptyState>
          </div>
        )}
        {commands.length > 0 && (
          <Group title="Commands">
            {commands.map(({ label, href, hint, icon }) => (
              <Result key={`${label} ${href}`} label={label} hint={hint} href={href} icon={icon} />
            ))}
          </Group>
        )}
        {groups.map(({ title, results }) => (
          <Group key={title} title={title}>
            {results.map(({ avatarId, ...result }) => (
              <Result
                key={result.href}
                {...result}
                image={avatarId && <Avatar id={avatarId} name={result.label} className="size-6 text-[0.625rem]" />}
              />
            ))}
          </Group>
        ))}
      </Page>
    </AppShell>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  const id = `results-${title.toLowerCase().replaceAll(/\W+/g, '-')}`
  return (
    <section aria-labelledby={id} className="mt-6">
      <h2 id={id} className="mb-2 font-medium text-muted-foreground text-sm">
        {title}
      </h2>
      <ul className="divide-y rounded-[10px] bg-card shadow-card">{children}</ul>
    </section>
  )
}

function Result({
  label,
  hint,
  href,
  icon: Icon = FileText,
  image,
}: {
  label: string
  hint?: string | undefined
  href: string
  icon?: LucideIcon
  image?: ReactNode
}) {
  return (
    <li>
      <Link
        href={href as Route}
        prefetch={false}
        className="flex min-h-11 items-center gap-2.5 px-3.5 py-2 text-sm hover:bg-hover focus-visible:-outline-offset-2"
      >
        {image || <Icon aria-hidden="true" className="size-4 shrink-0 text-muted-foreground" strokeWidth={1.75} />}
        <span className="min-w-0 wrap-anywhere">
          {label} {hint && <span className="ms-2.5 text-[0.78125rem] text-muted-foreground">{hint}</span>}
        </span>
      </Link>
    </li>
  )
}
