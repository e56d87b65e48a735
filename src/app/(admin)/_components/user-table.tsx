import { ArrowDown, ArrowUp, ShieldCheck } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import type { ComponentProps } from 'react'
import { findRole } from '@/core/auth/roles'
import { userFieldsIn } from '@/core/auth/user-fields'
import { getTimeFormat } from '@/core/time/get-time-format'
import type { TimeFormat } from '@/core/time/time-format'
import { cn } from '@/core/ui/cn'
import { RelativeTimeIn } from '@/core/ui/relative-time'
import { RoleBadge } from '@/core/ui/role-badge'
import { SelectAll } from '@/core/ui/selection-form'
import { Avatar } from '@/core/ui/surface'
import { rowLinkClass, Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { changedListUrl, listUrl } from '../list-url'
import type { UserRow } from '../list-users'
import { userPath } from '../user-page'
import { defaultOrder, defaults, type PageQuery, type Sort } from '../user-query'
import { UserStatus } from './badges'
import { RowIcon } from './row-icon'
import { RowIconSymbols } from './row-icon-symbols'
import { RowMenuButton } from './row-menu-button'
import { UserRowMenu } from './user-row-menu'

/** Beside the name and its checkbox. On phones the status and the last activity form a line below the name. */
const phoneRow = 'max-sm:grid-cols-[auto_minmax(0,1fr)_auto_auto]! max-sm:gap-x-1.5!'

/** A page of users. `secondFactors` holds those who have one; null hides the column. */
export async function UserTable({
  users,
  secondFactors,
  actorId,
  query,
}: {
  users: UserRow[]
  secondFactors: Set<string> | null
  actorId: string
  query: PageQuery
}) {
  const fields = userFieldsIn('admin.list')
  const times = await getTimeFormat()
  return (
    <>
      <RowIconSymbols />
      {/* The roles stay when CSS shows the table as a list. The width of columns is fixed: they must not move while rows arrive. */}
      <Table
        label="Users"
        isList
        role="table"
        style={{ tableLayout: 'fixed' }}
        className={query.view === 'compact' ? '[&_td]:h-10' : ''}
      >
        <TableHead role="rowgroup" className="sm:sticky sm:top-13 sm:z-5 lg:top-14">
          <tr>
            <Heading aria-sort={ariaSort('name', query)}>
              <span className="flex items-center gap-3">
                <span className="max-sm:hidden">
                  <SelectAll />
                </span>
                <SortLink sort="name" label="User" query={query} />
              </span>
            </Heading>
            <Heading aria-sort={ariaSort('role', query)} style={{ width: '7rem' }}>
              <SortLink sort="role" label="Role" query={query} />
            </Heading>
            <Heading style={{ width: '7.5rem' }}>Status</Heading>
            {secondFactors && (
              <Heading data-hide="small" style={{ width: '5rem' }}>
                2FA
              </Heading>
            )}
            {fields.map(({ name, label }) => (
              <Heading key={name} data-hide="medium" style={{ width: '9rem' }}>
                {label}
              </Heading>
            ))}
            <Heading aria-sort={ariaSort('seen', query)} style={{ width: '8.5rem' }}>
              <SortLink sort="seen" label="Last active" query={query} />
            </Heading>
            <Heading data-hide="medium" aria-sort={ariaSort('created', query)} style={{ width: '8rem' }}>
              <SortLink sort="created" label="Joined" query={query} />
            </Heading>
            <Heading className="w-11">
              <span className="sr-only">Actions</span>
            </Heading>
          </tr>
        </TableHead>
        <TableBody role="rowgroup">
          {users.map((user) => (
            <UserTableRow
              key={user.id}
              user={user}
              isSelf={user.id === actorId}
              hasSecondFactor={secondFactors?.has(user.id) ?? null}
              fieldNames={fields.map(({ name }) => name)}
              isCompact={query.view === 'compact'}
              times={times}
              list={listUrl(query)}
            />
          ))}
        </TableBody>
      </Table>
      <UserRowMenu from={listUrl(query)} />
    </>
  )
}

const Heading = (props: ComponentProps<typeof TableHeading>) => <TableHeading role="columnheader" {...props} />

function UserTableRow({
  user,
  isSelf,
  hasSecondFactor,
  fieldNames,
  isCompact,
  times,
  list,
}: {
  user: UserRow
  isSelf: boolean
  hasSecondFactor: boolean | null
  fieldNames: string[]
  isCompact: boolean
  times: TimeFormat
  /** To walk through from the page of the user. */
  list: Route
}) {
  return (
    <TableRow role="row" className={phoneRow}>
      <Cell className="max-sm:col-span-2 max-sm:col-start-1 max-sm:row-start-1 sm:w-full sm:max-w-0">
        <div className="flex items-center gap-3">
          <UserPicture user={user} isSelf={isSelf} isCompact={isCompact} />
          <div className={cn('min-w-0 flex-1', isCompact && 'sm:flex sm:items-baseline sm:gap-2')}>
            <Link
              href={userPath(user.id, '', list)}
              prefetch={false}
              className={cn('block truncate font-medium leading-4.5', isCompact && 'max-w-full shrink-0', rowLinkClass)}
            >
              {user.name}
            </Link>
            <span className="block truncate text-[0.78125rem] text-muted-foreground leading-4.25">{user.email}</span>
          </div>
        </div>
      </Cell>
      <Cell className="max-sm:col-start-3 max-sm:row-span-2 max-sm:row-start-1">
        <RoleBadge role={user.role} icon={<RowIcon name={findRole(user.role)?.icon ?? 'user'} />} />
      </Cell>
      <Cell className="max-sm:col-start-1 max-sm:row-start-2 max-sm:ms-13 max-sm:text-xs">
        <UserStatus status={user.status} isVerified={user.isVerified} />
      </Cell>
      {hasSecondFactor !== null && (
        <Cell data-hide="small">
          {hasSecondFactor ? (
            <span className="inline-flex items-center gap-1.5">
              <ShieldCheck aria-hidden="true" className="size-4 text-success-text" strokeWidth={1.75} />
              On
            </span>
          ) : (
            <span className="text-faint">Off</span>
          )}
        </Cell>
      )}
      {fieldNames.map((name) => (
        <Cell key={name} data-hide="medium" className="text-muted-foreground">
          <span className="block w-32 truncate">{user.fields?.[name]}</span>
        </Cell>
      ))}
      <Cell className="whitespace-nowrap text-muted-foreground max-sm:col-start-2 max-sm:row-start-2 max-sm:text-xs max-sm:before:content-['·_'_/_'']">
        {user.lastSeenAt ? <RelativeTimeIn times={times} at={user.lastSeenAt} /> : 'Never'}
      </Cell>
      <Cell data-hide="medium" className="whitespace-nowrap text-muted-foreground">
        <JoinedDate times={times} at={user.createdAt} />
      </Cell>
      <Cell className="ps-0 pe-2 max-sm:col-start-4 max-sm:row-span-2 max-sm:row-start-1">
        <RowMenuButton user={user} isSelf={isSelf} />
      </Cell>
    </TableRow>
  )
}

const Cell = (props: ComponentProps<typeof TableCell>) => <TableCell role="cell" {...props} />

/** The checkbox and the photo. On phones the photo is the checkbox, which shows once it is checked. */
function UserPicture({ user, isSelf, isCompact }: { user: UserRow; isSelf: boolean; isCompact: boolean }) {
  return (
    <span className="flex shrink-0 items-center gap-3 max-sm:relative">
      <label className="relative z-1 -m-2 grid size-8 place-items-center max-sm:absolute max-sm:inset-0 max-sm:m-0 max-sm:size-auto">
        <input
          type="checkbox"
          name="ids"
          value={user.id}
          disabled={isSelf}
          aria-label={`Select ${user.name}`}
          data-slot="select"
          className="max-sm:not-checked:not-focus-visible:opacity-0"
        />
      </label>
      <Avatar
        id={user.id}
        name={user.name}
        image={user.image}
        className={cn('pointer-events-none max-sm:size-10', isCompact && 'sm:size-6 sm:text-[0.625rem]')}
      />
    </span>
  )
}

/** A date, with the year if it is not this one. */
function JoinedDate({ times, at }: { times: TimeFormat; at: Date }) {
  return (
    <time dateTime={at.toISOString()} title={times.dateTime(at)}>
      {times.shortDate(at)}
    </time>
  )
}

const isSortedBy = (sort: Sort, { search, seen, ...query }: PageQuery) =>
  !search && (seen ? 'seen' : (query.sort ?? defaults.sort)) === sort

const isDescending = (sort: Sort, { order }: PageQuery) => (order ?? defaultOrder(sort)) === 'desc'

function ariaSort(sort: Sort, query: PageQuery): 'ascending' | 'descending' | undefined {
  if (!isSortedBy(sort, query)) return undefined
  return isDescending(sort, query) ? 'descending' : 'ascending'
}

/**
 * Link that sorts by the column, or reverses the order. Search results have their own order, and a list of the last active
 * theirs. Not in the Tab order: the menu "View" has the same links, and the first user is closer without them.
 */
function SortLink({ sort, label, query }: { sort: Sort; label: string; query: PageQuery }) {
  if (query.search || (query.seen && sort !== 'seen')) return label
  const isCurrent = isSortedBy(sort, query)
  const isDown = isCurrent ? isDescending(sort, query) : defaultOrder(sort) === 'desc'
  const Arrow = isDown ? ArrowDown : ArrowUp
  const reversed = isDown ? 'asc' : 'desc'
  return (
    <Link
      href={changedListUrl(query, { sort, order: isCurrent ? reversed : defaultOrder(sort) })}
      prefetch={false}
      scroll={false}
      tabIndex={-1}
      className="group inline-flex h-9 items-center gap-1 hover:text-foreground"
    >
      {label}
      <Arrow
        aria-hidden="true"
        strokeWidth={1.75}
        className={cn('size-3.5', !isCurrent && 'opacity-0 group-hover:opacity-100')}
      />
    </Link>
  )
}
