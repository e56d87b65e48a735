import { Calendar, Check, ChevronDown, Search, X } from 'lucide-react'
import Form from 'next/form'
import Link from 'next/link'
import type { TimeFormat } from '@/core/time/time-format'
import { AutoSubmit } from '@/core/ui/auto-submit'
import { buttonVariants } from '@/core/ui/button'
import { hintClass, inputClass } from '@/core/ui/control'
import { Menu, MenuSeparator, menuItemClass } from '@/core/ui/menu'
import { pathWithQuery } from '@/core/ui/path-with-query'
import type { EventQuery } from '../audit'
import { groupKinds } from '../audit-sentence'
import { formatDay } from '../group-events'

type Filter = Omit<EventQuery, 'before' | 'after'>

const chipClass = (isSet: boolean) =>
  `inline-flex h-8.5 items-center gap-1.5 rounded-md border px-2.75 text-base max-sm:h-11 sm:text-[0.8125rem] [&_svg]:size-3.5 [&_svg]:shrink-0 ${
    isSet
      ? 'border-border-strong bg-card text-foreground shadow-e1'
      : 'border-border-strong border-dashed text-muted-foreground hover:text-foreground'
  }`

/** The filters of the audit log. They apply at once; without JavaScript there is a button. */
export function AuditFilters({ filter, kinds, times }: { filter: Filter; kinds: string[]; times: TimeFormat }) {
  const { user = '', kind = '', from = '', to = '' } = filter
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  // A link may name a kind that the log does not have, or not yet.
  const options = groupKinds(kind && !kinds.includes(kind) ? [...kinds, kind] : kinds)
  return (
    <Form
      action="/admin/audit"
      prefetch={false}
      replace
      scroll={false}
      autoComplete="off"
      aria-label="Filters"
      className="mb-5 flex flex-wrap items-center gap-2"
    >
      <AutoSubmit values={{ user, kind, from, to }} />
      <div className="relative min-w-56 flex-1 sm:max-w-80">
        <Search
          aria-hidden="true"
          strokeWidth={1.75}
          className="pointer-events-none absolute start-3 top-1/2 size-4 -translate-y-1/2 text-muted-foreground"
        />
        <input
          type="search"
          name="user"
          aria-label="User"
          defaultValue={user}
          spellCheck={false}
          placeholder="Search name, email or user ID"
          className={`${inputClass} ps-9`}
        />
      </div>
      <select name="kind" aria-label="Event" defaultValue={kind} className={`${chipClass(kind !== '')} max-w-full`}>
        <option value="">All events</option>
        {options.map(({ area, options: some }) => (
          <optgroup key={area} label={area}>
            {some.map((option) => (
              <option key={option.kind} value={option.kind}>
                {option.name}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <DateFilter filter={filter} times={times} />
      <UserChip name="actor" label="Actor" filter={filter} />
      <UserChip name="target" label="Target" filter={filter} />
      <noscript>
        <button type="submit" className={buttonVariants({ variant: 'outline' })}>
          Apply
        </button>
      </noscript>
      {isFiltered && (
        <Link
          href="/admin/audit"
          prefetch={false}
          replace
          scroll={false}
          className={buttonVariants({ variant: 'ghost' })}
        >
          Clear filters
        </Link>
      )}
    </Form>
  )
}

const presets = [
  { label: 'Today', days: 1 },
  { label: 'Last 7 days', days: 7 },
  { label: 'Last 30 days', days: 30 },
]

const daysAgo = (days: number, times: TimeFormat) =>
  new Date(Date.parse(times.day(new Date())) - days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)

function describeDates({ from, to }: Filter, times: TimeFormat): string {
  const preset = presets.find(({ days }) => to === undefined && from === daysAgo(days - 1, times))
  if (preset) return preset.label
  const nameOf = (day: string) => formatDay(day, times)
  if (from && to) return from === to ? nameOf(from) : `${nameOf(from)} – ${nameOf(to)}`
  if (from) return `Since ${nameOf(from)}`
  return to ? `Until ${nameOf(to)}` : 'Any time'
}

/** A menu with presets, and the two days. Both inputs belong to the form around it. */
function DateFilter({ filter, times }: { filter: Filter; times: TimeFormat }) {
  const text = describeDates(filter, times)
  const choices = [
    { label: 'Any time', dates: {} },
    ...presets.map(({ label, days }) => ({ label, dates: { from: daysAgo(days - 1, times) } })),
  ]
  return (
    <Menu
      id="audit-date"
      label={`Date: ${text}`}
      position="below start"
      triggerClassName={chipClass(filter.from !== undefined || filter.to !== undefined)}
      trigger={
        <>
          <Calendar aria-hidden="true" strokeWidth={1.75} />
          {text}
          <ChevronDown aria-hidden="true" strokeWidth={1.75} />
        </>
      }
    >
      {choices.map(({ label, dates }) => (
        <Link
          key={label}
          href={pathWithQuery('/admin/audit', { ...filter, from: undefined, to: undefined, ...dates })}
          prefetch={false}
          replace
          scroll={false}
          aria-current={label === text ? 'true' : undefined}
          className={menuItemClass()}
        >
          <span className="flex-1">{label}</span>
          {label === text && <Check aria-hidden="true" />}
        </Link>
      ))}
      <MenuSeparator />
      <div className="grid gap-2 px-2 py-1.5">
        <DateField name="from" label="From" value={filter.from} />
        <DateField name="to" label="To" value={filter.to} />
        <p className={hintClass}>Days are in {times.timeZone.replaceAll('_', ' ')}.</p>
      </div>
    </Menu>
  )
}

function DateField({ name, label, value }: { name: 'from' | 'to'; label: string; value: string | undefined }) {
  return (
    <label className="grid grid-cols-[3rem_1fr] items-center gap-2 text-sm">
      {label}
      <input type="date" name={name} defaultValue={value} className={inputClass} />
    </label>
  )
}

/** A filter that only a link sets. */
function UserChip({ name, label, filter }: { name: 'actor' | 'target'; label: string; filter: Filter }) {
  const value = filter[name]
  if (value === undefined) return null
  return (
    <span className={`${chipClass(true)} max-w-full pe-1`}>
      <input type="hidden" name={name} value={value} />
      {label} <b className="truncate font-medium text-primary-text">{value}</b>
      <Link
        href={pathWithQuery('/admin/audit', { ...filter, [name]: undefined })}
        prefetch={false}
        replace
        scroll={false}
        aria-label={`Clear ${label.toLowerCase()}`}
        className="grid size-6 shrink-0 place-items-center rounded-sm hover:bg-hover"
      >
        <X aria-hidden="true" />
      </Link>
    </span>
  )
}
