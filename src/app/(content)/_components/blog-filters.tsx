import { Rss, Search } from 'lucide-react'
import Form from 'next/form'
import Link from 'next/link'
import { AutoSubmit } from '@/core/ui/auto-submit'
import { buttonVariants } from '@/core/ui/button'
import { inputClass } from '@/core/ui/control'
import { pathWithQuery } from '@/core/ui/path-with-query'
import { tagClass } from './post-meta'

/** Searches while the reader types; without JavaScript there is a button. */
export function BlogSearch({ search = '' }: { search?: string | undefined }) {
  return (
    <div className="flex min-w-56 flex-1 items-center gap-2 sm:max-w-80">
      <Form
        action="/posts"
        role="search"
        prefetch={false}
        replace
        scroll={false}
        autoComplete="off"
        className="flex flex-1 gap-2"
      >
        <AutoSubmit values={{ search }} />
        <div className="relative flex-1">
          <Search
            aria-hidden="true"
            strokeWidth={1.75}
            className="pointer-events-none absolute start-3 top-1/2 size-4 -translate-y-1/2 text-muted-foreground"
          />
          <input
            name="search"
            type="search"
            aria-label="Search posts"
            placeholder="Search"
            maxLength={200}
            defaultValue={search}
            className={`${inputClass} ps-9`}
          />
        </div>
        <noscript>
          <button type="submit" className={buttonVariants({ variant: 'outline' })}>
            Search
          </button>
        </noscript>
      </Form>
      <a
        href="/posts/feed.xml"
        aria-label="Feed"
        data-tooltip=""
        className={buttonVariants({ variant: 'ghost', size: 'icon', className: 'shrink-0' })}
      >
        <Rss aria-hidden="true" />
      </a>
    </div>
  )
}

/** One link for each of the most used tags, and for the current one. `current` is undefined for all posts, null for none. */
export function TagFilter({ tags, current }: { tags: string[]; current: string | undefined | null }) {
  const shown = current && !tags.includes(current) ? [current, ...tags] : tags
  if (shown.length === 0) return null
  const links = [{ label: 'All', tag: undefined }, ...shown.map((tag) => ({ label: tag, tag }))]
  return (
    <nav aria-label="Filter by tag">
      <ul className="flex flex-wrap gap-2">
        {links.map(({ label, tag }) => (
          <li key={tag ?? ''}>
            <Link
              href={pathWithQuery('/posts', { tag })}
              prefetch={false}
              data-slot="tag"
              aria-current={tag === current ? 'page' : undefined}
              className={tagClass}
            >
              <span className="wrap-anywhere">{label}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
