import type { Route } from 'next'
import Form from 'next/form'
import Link from 'next/link'
import { redirect } from 'next/navigation'
import { getSession, requirePermission } from '@/core/auth/actor'
import { roles } from '@/core/auth/policy'
import { AppError } from '@/core/errors'
import { addressWith } from '@/core/ui/address-with'
import { buttonVariants } from '@/core/ui/button'
import { inputClass, labelClass } from '@/core/ui/control'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { Moment } from '@/core/ui/moment'
import { alertVariants, EmptyState } from '@/core/ui/surface'
import { Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { RoleBadge, StatusBadge } from '../../_components/badges'
import { Choice } from '../../_components/choice'
import { ChooseAll } from '../../_components/choose-all'
import { SearchField } from '../../_components/search-field'
import { suspendUsers } from '../../actions'
import { countUsers, type ListQuery, listUsers, statuses, UserQuery, usual, usualOrder } from '../../list'
import { can } from '../../policy'

export const metadata = { title: 'People' }

const columns = [
  { sort: 'name', label: 'Name' },
  { sort: 'email', label: 'E-mail' },
  { sort: 'role', label: 'Role' },
  { sort: undefined, label: 'Status' },
  { sort: 'created', label: 'Joined' },
  { sort: 'seen', label: 'Last seen' },
] as const

export default async function UsersPage({ searchParams }: PageProps<'/admin/users'>) {
  const { done, ...params } = await searchParams
  const query = read(params)
  const actor = await requirePermission(can('users.read'), addressOf(query))
  const [page, total] = await Promise.all([findPage(actor.id, query), countUsers(query)])
  const isFiltered = Boolean(query.search || query.role || query.status)
  const isConfirmed = (await getSession())?.isConfirmed
  return (
    <div className="grid gap-5">
      <div className="flex flex-wrap items-end justify-between gap-4">
        <div className="grid gap-1">
          <h1 className="font-semibold text-2xl">People</h1>
          <p className="text-muted-foreground">{inWords(total, isFiltered)}</p>
        </div>
        <a
          href={isConfirmed ? exportOf(query) : confirmHref(addressOf(query))}
          className={buttonVariants({ variant: 'outline', size: 'small' })}
        >
          Export as CSV
        </a>
      </div>
      {done === 'deleted' && (
        <p role="status" className={alertVariants({ tone: 'success' })}>
          The account was deleted, and everything that was theirs.
        </p>
      )}
      <Filters query={query} />
      {/* Around both: whom one suspends may be gone from what one looks at, and it is said all the same. */}
      <ActionForm action={suspendUsers} className="grid gap-3">
        <FormMessage
          className={alertVariants({ tone: 'danger' })}
          about={['ids']}
          done="Suspended, and signed out everywhere."
          doneClassName={alertVariants({ tone: 'success' })}
        />
        {page.users.length === 0 ? (
          <EmptyState
            title={isFiltered ? 'Nobody matches' : 'There is nobody on this page any more'}
            action={
              <Link href="/admin/users" className={buttonVariants({ variant: 'outline' })}>
                {isFiltered ? 'Clear the filter' : 'Back to the first page'}
              </Link>
            }
          >
            {isFiltered
              ? 'A search looks at the beginning of addresses and of every word of names, and knows whole ids.'
              : 'People were deleted while you looked.'}
          </EmptyState>
        ) : (
          <>
            <Table label="People" className="min-w-3xl">
              <TableHead>
                <tr>
                  <TableHeading className="w-10 pe-0">
                    <ChooseAll name="ids" />
                    <span className="sr-only">Choose</span>
                  </TableHeading>
                  {columns.map(({ sort, label }) => (
                    <Heading key={label} sort={sort} label={label} query={query} />
                  ))}
                </tr>
              </TableHead>
              <TableBody>
                {page.users.map(({ id, name, email, role, status, createdAt, lastSeenAt }) => (
                  <TableRow key={id}>
                    <TableCell className="pe-0">
                      <input
                        type="checkbox"
                        name="ids"
                        value={id}
                        disabled={id === actor.id}
                        aria-label={`Choose ${name}`}
                        className="size-4 align-middle accent-primary"
                      />
                    </TableCell>
                    <TableCell className="max-w-56 truncate font-medium">
                      <Link href={`/admin/users/${id}`} prefetch={false} className="underline-offset-4 hover:underline">
                        {name}
                      </Link>
                    </TableCell>
                    <TableCell className="max-w-64 truncate text-muted-foreground">{email}</TableCell>
                    <TableCell>
                      <RoleBadge role={role} />
                    </TableCell>
                    <TableCell>
                      <StatusBadge isSuspended={status === 'suspended'} />
                    </TableCell>
                    <TableCell className="whitespace-nowrap text-muted-foreground">
                      <Moment at={createdAt} />
                    </TableCell>
                    <TableCell className="whitespace-nowrap text-muted-foreground">
                      {lastSeenAt ? <Moment at={lastSeenAt} /> : 'never'}
                    </TableCell>
                  </TableRow>
                ))}
              </TableBody>
            </Table>
            <div className="flex flex-wrap items-center justify-between gap-3">
              {isConfirmed ? (
                <SubmitButton className={buttonVariants({ variant: 'outline', size: 'small' })}>
                  Suspend those chosen
                </SubmitButton>
              ) : (
                <a
                  href={confirmHref(addressOf(query))}
                  className={buttonVariants({ variant: 'outline', size: 'small' })}
                >
                  Confirm that it is you to suspend people
                </a>
              )}
              <nav aria-label="Pages" className="flex gap-2">
                <Turn cursor={page.previousCursor} query={query} label="Previous" />
                <Turn cursor={page.nextCursor} query={query} label="Next" />
              </nav>
            </div>
          </>
        )}
      </ActionForm>
    </div>
  )
}

/** What the address says; what it cannot mean is left out. */
function read(params: Record<string, unknown>): ListQuery {
  const { data, error } = UserQuery.safeParse(params)
  if (data) return data.search ? { ...data, sort: undefined, order: undefined } : data
  const wrong = new Set(error.issues.map(({ path }) => path[0]))
  return read(Object.fromEntries(Object.entries(params).filter(([name]) => !wrong.has(name))))
}

async function findPage(actorId: string, query: ListQuery) {
  try {
    return await listUsers(actorId, query)
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_input')
      redirect(addressOf({ ...query, cursor: undefined }))
    throw error
  }
}

function Filters({ query }: { query: ListQuery }) {
  const chips = [
    query.search && { label: `Search: ${query.search}`, without: { ...query, search: undefined, cursor: undefined } },
    query.role && { label: `Role: ${query.role}`, without: { ...query, role: undefined, cursor: undefined } },
    query.status && { label: `Status: ${query.status}`, without: { ...query, status: undefined, cursor: undefined } },
  ].filter((chip) => typeof chip === 'object')
  return (
    <div className="grid gap-3">
      <Form action="/admin/users" className="flex flex-wrap items-end gap-3">
        <div className="grid min-w-56 flex-1 gap-1.5">
          <label htmlFor="search" className={labelClass}>
            Search
          </label>
          <SearchField
            id="search"
            name="search"
            maxLength={100}
            autoComplete="off"
            defaultValue={query.search}
            key={query.search}
            placeholder="Address, name or id"
            className={inputClass}
          />
        </div>
        <Choice name="role" label="Role" options={roles} chosen={query.role} />
        <Choice name="status" label="Status" options={statuses} chosen={query.status} />
        {query.limit && <input type="hidden" name="limit" value={query.limit} />}
        <button type="submit" className={buttonVariants({ variant: 'secondary' })}>
          Show
        </button>
      </Form>
      {chips.length > 0 && (
        <ul className="flex flex-wrap gap-2">
          {chips.map(({ label, without }) => (
            <li key={label}>
              <Link
                href={addressOf(without)}
                prefetch={false}
                className="inline-flex min-h-8 items-center gap-2 rounded-full border bg-secondary px-3 text-sm hover:bg-accent"
              >
                <span className="max-w-64 truncate">{label}</span>
                <span aria-hidden="true">×</span>
                <span className="sr-only">, remove this filter</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Sorts by its column, the other way round when it is sorted by it already. Matches of a search have an order of their own. */
function Heading({ sort, label, query }: { sort: ListQuery['sort']; label: string; query: ListQuery }) {
  if (!sort || query.search) return <TableHeading>{label}</TableHeading>
  const isNow = (query.sort ?? usual.sort) === sort
  const isDescending = (query.order ?? usualOrder(sort)) === 'desc'
  const other = isDescending ? 'asc' : 'desc'
  return (
    <TableHeading aria-sort={isNow ? (isDescending ? 'descending' : 'ascending') : undefined}>
      <Link
        href={addressOf({ ...query, cursor: undefined, sort, order: isNow ? other : usualOrder(sort) })}
        prefetch={false}
        className="inline-flex items-center gap-1 underline-offset-4 hover:text-foreground hover:underline"
      >
        {label}
        {isNow && <span aria-hidden="true">{isDescending ? '↓' : '↑'}</span>}
      </Link>
    </TableHeading>
  )
}

function Turn({ cursor, query, label }: { cursor: string | null; query: ListQuery; label: string }) {
  if (!cursor) {
    const className = buttonVariants({ variant: 'ghost', size: 'small', className: 'pointer-events-none' })
    return <span className={`${className} text-muted-foreground`}>{label}</span>
  }
  return (
    <Link
      href={addressOf({ ...query, cursor })}
      prefetch={false}
      className={buttonVariants({ variant: 'outline', size: 'small' })}
    >
      {label}
    </Link>
  )
}

function inWords({ count, is }: Awaited<ReturnType<typeof countUsers>>, isFiltered: boolean): string {
  const number = count.toLocaleString('en')
  const noun = count === 1 ? 'person' : 'people'
  if (is === 'exact') return `${number} ${noun}${isFiltered ? ' found' : ''}`
  return is === 'estimated' ? `About ${number} people` : `More than ${number} people${isFiltered ? ' found' : ''}`
}

const addressOf = (query: ListQuery) => addressWith('/admin/users', query)

const exportOf = ({ search, role, status }: ListQuery) =>
  addressWith('/api/admin/users/export' as Route, { search, role, status })

const confirmHref = (back: string) => `/confirm?callbackUrl=${encodeURIComponent(back)}`
