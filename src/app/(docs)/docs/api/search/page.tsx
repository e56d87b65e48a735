import { Button } from '@/core/ui/button'
import { Input } from '@/core/ui/input'
import { SiteHeader } from '@/core/ui/site-header'
import { EmptyState } from '@/core/ui/surface'
import { Method } from '../../../_components/method'
import { matchesSearch } from '../../../match-operations'
import { entryOf, findGroups } from '../../../reference'

export const metadata = { title: 'Search the API', robots: { index: false } }

/** The search of the reference, as a page of its own: that page is static, and this one needs no JavaScript. */
export default async function ApiSearchPage({ searchParams }: PageProps<'/docs/api/search'>) {
  const { q } = await searchParams
  const text = typeof q === 'string' ? q.slice(0, 100).trim() : ''
  const entries = (await findGroups()).flatMap(({ calls }) => calls.map(entryOf))
  const found = entries.filter((entry) => matchesSearch(entry, text))
  return (
    <>
      <SiteHeader>
        <a href="/docs/api" className="hover:underline">
          API reference
        </a>
      </SiteHeader>
      <main id="main" className="mx-auto grid max-w-3xl grid-cols-1 gap-6 px-4 py-10 sm:px-6">
        <h1 className="font-semibold text-3xl tracking-tight">Search the API</h1>
        <search>
          <form action="/docs/api/search" className="flex gap-2">
            <Input
              type="search"
              name="q"
              aria-label="Search endpoints"
              placeholder="Search endpoints…"
              defaultValue={text}
              maxLength={100}
              autoComplete="off"
            />
            <Button type="submit" variant="outline">
              Search
            </Button>
          </form>
        </search>
        {found.length === 0 ? (
          <EmptyState title="No endpoints match">Try different or fewer words.</EmptyState>
        ) : (
          <ul className="divide-y rounded-[10px] bg-card shadow-card">
            {found.map(({ id, method, path, summary }) => (
              <li key={id}>
                <a
                  href={`/docs/api#${id}`}
                  className="flex min-h-11 flex-wrap items-center gap-2.5 px-3.5 py-2 text-sm hover:bg-hover focus-visible:-outline-offset-2"
                >
                  <Method name={method} />
                  <span className="font-medium">{summary}</span>
                  <code className="wrap-anywhere font-mono text-muted-foreground text-xs">{path}</code>
                </a>
              </li>
            ))}
          </ul>
        )}
      </main>
    </>
  )
}
