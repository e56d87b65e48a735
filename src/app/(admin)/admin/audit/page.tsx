import Form from 'next/form'
import Link from 'next/link'
import { requirePermission } from '@/core/auth/actor'
import { addressWith } from '@/core/ui/address-with'
import { buttonVariants } from '@/core/ui/button'
import { inputClass, labelClass } from '@/core/ui/control'
import { Moment } from '@/core/ui/moment'
import { Heading } from '@/core/ui/section'
import { EmptyState } from '@/core/ui/surface'
import { Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { Choice } from '../../_components/choice'
import { EventQuery, findEvents, findKinds } from '../../audit'
import { eventInWords } from '../../audit-words'
import { can } from '../../policy'

export const metadata = { title: 'Audit log' }

export default async function AuditPage({ searchParams }: PageProps<'/admin/audit'>) {
  await requirePermission(can('audit.read'), '/admin/audit')
  const query = EventQuery.parse(await searchParams)
  const [{ events, older, newer }, kinds] = await Promise.all([findEvents(query), findKinds()])
  const { before, after, ...filter } = query
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const turn = (place: { before?: string; after?: string }) => addressWith('/admin/audit', { ...filter, ...place })
  return (
    <div className="grid gap-5">
      <Heading title="Audit log">
        What happened, who did it and to whom. It can be read and added to, and never changed. It holds ids; names are
        those of now.
      </Heading>
      <Form action="/admin/audit" className="flex flex-wrap items-end gap-3">
        <Text name="actor" label="Who" value={query.actor} />
        <Text name="target" label="To whom" value={query.target} />
        <Choice
          name="kind"
          label="What"
          none="anything"
          options={kinds}
          inWords={(kind) => eventInWords(kind, null)}
          chosen={query.kind}
        />
        <Day name="from" label="From" value={query.from} />
        <Day name="to" label="To" value={query.to} />
        <button type="submit" className={buttonVariants({ variant: 'secondary' })}>
          Show
        </button>
        {isFiltered && (
          <Link href="/admin/audit" className={buttonVariants({ variant: 'ghost' })}>
            Clear
          </Link>
        )}
      </Form>
      {events.length === 0 ? (
        <EmptyState title={isFiltered ? 'Nothing matches' : 'Nothing has happened yet'}>
          {isFiltered
            ? 'People are found by their whole address or their id; those who are gone by their id only.'
            : 'Signing in, changes of accounts and what admins do is written down here.'}
        </EmptyState>
      ) : (
        <Table label="Events" className="min-w-3xl">
          <TableHead>
            <tr>
              <TableHeading>When</TableHeading>
              <TableHeading>What</TableHeading>
              <TableHeading>Who</TableHeading>
              <TableHeading>To whom</TableHeading>
              <TableHeading>From</TableHeading>
            </tr>
          </TableHead>
          <TableBody>
            {events.map(({ id, at, kind, details, ip, actorId, actorName, targetId, targetName, actingName }) => (
              <TableRow key={id}>
                <TableCell className="whitespace-nowrap text-muted-foreground">
                  <Moment at={at} />
                </TableCell>
                <TableCell className="wrap-anywhere">{eventInWords(kind, details, actingName)}</TableCell>
                <TableCell>
                  <Somebody id={actorId} name={actorName} />
                </TableCell>
                <TableCell>
                  {targetId === actorId && targetId ? (
                    <span className="text-muted-foreground">themselves</span>
                  ) : (
                    <Somebody id={targetId} name={targetName} />
                  )}
                </TableCell>
                <TableCell className="whitespace-nowrap text-muted-foreground">{ip ?? ''}</TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      )}
      <nav aria-label="Pages" className="flex justify-end gap-2">
        {newer !== undefined && (
          <Link href={turn({ after: newer })} prefetch={false} className={turnClass}>
            Newer
          </Link>
        )}
        {older !== undefined && (
          <Link href={turn({ before: older })} prefetch={false} className={turnClass}>
            Older
          </Link>
        )}
      </nav>
    </div>
  )
}

const turnClass = buttonVariants({ variant: 'outline', size: 'small' })

function Somebody({ id, name }: { id: string | null; name: string | null }) {
  if (!id) return null
  if (name === null) return <code className="text-muted-foreground text-xs">{id}</code>
  return (
    <Link href={`/admin/users/${id}`} prefetch={false} className="underline-offset-4 hover:underline">
      {name}
    </Link>
  )
}

function Text({ name, label, value }: { name: string; label: string; value: string | undefined }) {
  return (
    <div className="grid min-w-40 flex-1 gap-1.5">
      <label htmlFor={name} className={labelClass}>
        {label}
      </label>
      <input
        id={name}
        name={name}
        defaultValue={value}
        key={value}
        autoComplete="off"
        spellCheck={false}
        placeholder="Address or id"
        className={inputClass}
      />
    </div>
  )
}

function Day({ name, label, value }: { name: string; label: string; value: string | undefined }) {
  return (
    <div className="grid gap-1.5">
      <label htmlFor={name} className={labelClass}>
        {label}
      </label>
      <input id={name} name={name} type="date" defaultValue={value} key={value} className={inputClass} />
    </div>
  )
}
