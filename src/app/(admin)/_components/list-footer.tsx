import { ChevronsUpDown } from 'lucide-react'
import { buttonVariants } from '@/core/ui/button'
import { Menu } from '@/core/ui/menu'
import { changedListUrl, listUrl } from '../list-url'
import { defaults, type PageQuery, pageSizes } from '../user-query'
import { MenuChoices } from './menu-choices'
import { StepLink } from './step-link'

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
  const pageAt = (cursor: string | null) => (cursor ? listUrl({ ...query, cursor }) : null)
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
        <StepLink to="previous" href={pageAt(previousCursor)} label="Previous page" />
        <StepLink to="next" href={pageAt(nextCursor)} label="Next page" />
      </nav>
    </div>
  )
}
