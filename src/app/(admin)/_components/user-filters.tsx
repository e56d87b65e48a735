import { Search, Settings2 } from 'lucide-react'
import Link from 'next/link'
import { roleLabel, roles } from '@/core/auth/roles'
import { buttonVariants } from '@/core/ui/button'
import { inputClass } from '@/core/ui/control'
import { Menu, MenuSeparator, menuItemClass } from '@/core/ui/menu'
import { activityLabels } from '../activity-labels'
import { changedListUrl, listUrl } from '../list-url'
import { activities, defaultOrder, defaults, type PageQuery, type Sort } from '../user-query'
import { FilterChip } from './filter-chip'
import { FilterForm } from './filter-form'
import { MenuChoices } from './menu-choices'

const sortLabels: Record<Sort, string> = {
  created: 'Joined',
  name: 'Name',
  email: 'Email',
  role: 'Role',
  seen: 'Last active',
}

/** Search, filters and display options of the user list. They apply at once; without JavaScript there is a button. */
export function UserFilters({ query }: { query: PageQuery }) {
  const { search, role = [], seen } = query
  const filterCount = [search, role.length > 0, seen].filter(Boolean).length
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <SearchForm query={query} />
      <FilterChip
        id="filter-role"
        label="Role"
        value={roles
          .filter((each) => role.includes(each))
          .map(roleLabel)
          .join(', ')}
        clearHref={changedListUrl(query, { role: undefined })}
      >
        <RoleForm query={query} />
      </FilterChip>
      {/* A search cannot be filtered by it: see PageQuery. */}
      {!search && (
        <FilterChip
          id="filter-seen"
          label="Last active"
          value={seen ? activityLabels[seen] : ''}
          clearHref={changedListUrl(query, { seen: undefined })}
        >
          <MenuChoices
            choices={activities.map((activity) => ({
              label: activityLabels[activity],
              href: changedListUrl(query, { seen: activity, sort: undefined, order: undefined }),
              isCurrent: activity === seen,
            }))}
          />
        </FilterChip>
      )}
      {filterCount > 1 && (
        <Link
          href={changedListUrl(query, { search: undefined, role: undefined, seen: undefined })}
          prefetch={false}
          scroll={false}
          className={buttonVariants({ variant: 'ghost' })}
        >
          Clear all
        </Link>
      )}
      <ViewMenu query={query} />
    </div>
  )
}

function SearchForm({ query: { search, role, status, limit, view } }: { query: PageQuery }) {
  return (
    <FilterForm className="flex min-w-56 flex-1 gap-2 sm:max-w-70">
      <HiddenFields values={{ role, status, limit, view }} />
      <div className="relative flex-1">
        <label htmlFor="user-search" className="sr-only">
          Search users
        </label>
        <Search
          aria-hidden="true"
          strokeWidth={1.75}
          className="pointer-events-none absolute start-2.5 top-1/2 size-3.75 -translate-y-1/2 text-muted-foreground"
        />
        <input
          id="user-search"
          type="search"
          name="search"
          data-slot="page-search"
          defaultValue={search ?? ''}
          maxLength={100}
          spellCheck={false}
          placeholder="Search name, email or ID"
          className={`${inputClass} peer ps-8.5`}
        />
        <span
          aria-hidden="true"
          className="pointer-events-none absolute end-2 top-1/2 hidden -translate-y-1/2 [html[data-theme]_&]:lg:peer-placeholder-shown:block"
        >
          <kbd>/</kbd>
        </span>
      </div>
      <ApplyButton />
    </FilterForm>
  )
}

function RoleForm({ query: { role = [], search, status, seen, sort, order, limit, view } }: { query: PageQuery }) {
  return (
    <FilterForm>
      <HiddenFields values={{ search, status, seen, sort, order, limit, view }} />
      <fieldset>
        <legend className="sr-only">Role</legend>
        {roles.map((each) => (
          <label key={each} className={menuItemClass()}>
            <input type="checkbox" name="role" value={each} defaultChecked={role.includes(each)} />
            {roleLabel(each)}
          </label>
        ))}
      </fieldset>
      <ApplyButton />
    </FilterForm>
  )
}

/** The rest of the query, which a form must send, too. */
function HiddenFields({ values }: { values: Partial<PageQuery> }) {
  return Object.entries(values).map(
    ([name, value]) => value !== undefined && <input key={name} type="hidden" name={name} value={String(value)} />,
  )
}

function ApplyButton() {
  return (
    <noscript>
      <button type="submit" className={buttonVariants({ variant: 'outline' })}>
        Apply
      </button>
    </noscript>
  )
}

/** How the list looks. Sorting is here as well as in the table head, which the keyboard skips. */
function ViewMenu({ query }: { query: PageQuery }) {
  const { search, seen, view } = query
  const currentSort = seen ? 'seen' : (query.sort ?? defaults.sort)
  const currentOrder = query.order ?? defaultOrder(currentSort)
  const sortChoices = (['created', 'name', 'email', 'role', 'seen'] as const)
    .filter((sort) => !seen || sort === 'seen')
    .map((sort) => ({
      label: sortLabels[sort],
      href: changedListUrl(query, { sort, order: sort === currentSort ? currentOrder : defaultOrder(sort) }),
      isCurrent: sort === currentSort,
    }))
  const orderChoices = (['asc', 'desc'] as const).map((order) => ({
    label: order === 'asc' ? 'Ascending' : 'Descending',
    href: changedListUrl(query, { sort: currentSort, order }),
    isCurrent: order === currentOrder,
  }))
  return (
    <div className="ms-auto">
      <Menu
        id="view"
        label="View"
        triggerClassName={buttonVariants({ variant: 'ghost' })}
        trigger={
          <>
            <Settings2 aria-hidden="true" />
            View
          </>
        }
      >
        {search ? (
          <p className="px-2 py-1 text-muted-foreground text-xs">Search results are sorted by match.</p>
        ) : (
          <>
            <MenuChoices title="Sort by" choices={sortChoices} />
            <MenuChoices title="Order" choices={orderChoices} />
          </>
        )}
        <MenuSeparator />
        <MenuChoices
          title="Rows"
          choices={([undefined, 'compact'] as const).map((each) => ({
            label: each ? 'Compact' : 'Comfortable',
            href: listUrl({ ...query, view: each }),
            isCurrent: each === view,
          }))}
        />
      </Menu>
    </div>
  )
}
