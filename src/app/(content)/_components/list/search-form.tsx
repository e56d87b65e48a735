import { Search } from 'lucide-react'
import type { Route } from 'next'
import Form from 'next/form'
import { AutoSubmit } from '@/core/ui/auto-submit'
import { buttonVariants } from '@/core/ui/button'
import { inputClass } from '@/core/ui/control'
import type { DraftQuery } from '../../drafts'

/** Searches the list. It applies itself; without JavaScript there is a button. */
export function SearchForm({ path, query: { search = '', status, mine } }: { path: Route; query: DraftQuery }) {
  return (
    <Form
      action={path}
      replace
      scroll={false}
      prefetch={false}
      autoComplete="off"
      className="mb-3 flex min-w-56 gap-2 sm:max-w-70"
    >
      {status && <input type="hidden" name="status" value={status} />}
      {mine && <input type="hidden" name="mine" value={mine} />}
      <div className="relative flex-1">
        <label htmlFor="post-search" className="sr-only">
          Search posts
        </label>
        <Search
          aria-hidden="true"
          strokeWidth={1.75}
          className="pointer-events-none absolute start-2.5 top-1/2 size-3.75 -translate-y-1/2 text-muted-foreground"
        />
        <input
          id="post-search"
          type="search"
          name="search"
          data-slot="page-search"
          defaultValue={search}
          maxLength={100}
          placeholder="Search titles"
          className={`${inputClass} ps-8.5`}
        />
      </div>
      <AutoSubmit values={{ search }} />
      <noscript>
        <button type="submit" className={buttonVariants({ variant: 'outline' })}>
          Search
        </button>
      </noscript>
    </Form>
  )
}
