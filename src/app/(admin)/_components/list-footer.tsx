import { ChevronLeft, ChevronRight, ChevronsUpDown } from 'lucide-react'
import Link from 'next/link'
import { buttonVariants } from '@/core/ui/button'
import { Menu } from '@/core/ui/menu'
import { changedListUrl, listUrl } from '../list-url'
import { defaults, type PageQuery, pageSizes } from '../user-query'
import { MenuChoices } from './menu-choices'

/** Below the list: what part of it is shown, and the way to the rest. */
export function ListFooter({
  range,
  query,
  previousCursor,
  nextCursor,
}: {
  range: string
  query: PageQuery
  previousCursor: string | null
  nextCursor: string | null
}) {
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2 text-[0.8125rem] text-muted-foreground">
      <p data-slot="total" className="tabular-nums">
        {range}
      </p>
      <div className="ms-auto flex items-center gap-1.5">
        Rows per page
        <Menu
          id="rows-per-page"
          label={`Rows per page: ${query.limit ?? defaults.limit}`}
          triggerClassName={buttonVariants({ variant: 'ghost', size: 'small' })}
          trigger={
            <>
              {query.limit ?? defaults.limit}
              <ChevronsUpDown aria-hidden="true" />
            </>
          }
        >
          <MenuChoices
            choices={pageSizes.map((size) => ({
              label: size,
              href: changedListUrl(query, { limit: size === defaults.limit ? undefined : size }),
              isCurrent: size === (query.limit ?? defaults.limit),
            }))}
          />
        </Menu>
      </div>
      <nav aria-label="Pages" className="flex gap-1.5">
        <PageLink cursor={previousCursor} query={query} label="Previous page" icon={ChevronLeft} />
        <PageLink cursor={nextCursor} query={query} label="Next page" icon={ChevronRight} />
      </nav>
    </div>
  )
}

function PageLink({
  cursor,
  query,
  label,
  icon: Icon,
}: {
  cursor: string | null
  query: PageQuery
  label: string
  icon: typeof ChevronLeft
}) {
  const className = buttonVariants({ variant: 'outline', size: 'icon', className: 'max-sm:size-11 sm:size-7' })
  const content = (
    <>
      <Icon aria-hidden="true" className="rtl:-scale-x-100" />
      <span className="sr-only">{label}</span>
    </>
  )
  // Still there, so that the other button does not move.
  if (!cursor) return <span className={`${className} pointer-events-none opacity-45`}>{content}</span>
  return (
    <Link href={listUrl({ ...query, cursor })} prefetch={false} className={className}>
      {content}
    </Link>
  )
}
