import { Link2 } from 'lucide-react'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { findSentence } from '@/core/audit/find-sentence'
import { requirePermission } from '@/core/auth/session/actor'
import { env } from '@/core/env'
import type { Fact } from '@/core/module-ui'
import { buttonVariants } from '@/core/ui/button'
import { CopyButton } from '@/core/ui/copy-button'
import { Copyable } from '@/core/ui/copyable'
import { Facts } from '@/core/ui/facts'
import { Page } from '@/core/ui/page'
import { RelativeTime } from '@/core/ui/relative-time'
import { TitledCard } from '@/core/ui/surface'
import { describeNetwork, describeUserAgent } from '@/core/ui/user-agent'
import { loadContext } from '../../../_components/audit-feed'
import { type AuditEvent, eventKey, findEvent, scopeOf } from '../../../audit'
import { sayEvent } from '../../../audit-sentence'
import { can } from '../../../policy'

export const metadata = { title: 'Event' }

export default async function EventPage({ params }: PageProps<'/admin/audit/[id]'>) {
  const { id } = await params
  await requirePermission(can('audit.read'), `/admin/audit/${id}`)
  const event = await findEvent(id)
  if (!event) notFound()
  const context = await loadContext([event])
  const note = findSentence(event.kind).note?.(event.details ?? {}, context.times)
  return (
    <Page
      title="Event"
      crumbs={[
        { label: 'Admin', href: '/admin' },
        { label: 'Audit log', href: '/admin/audit' },
      ]}
      lead={sayEvent(event, context)}
      actions={<CopyLink event={event} />}
    >
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
        <TitledCard title="Details">
          <Facts facts={[...factsOf(event, context, note), ...originOf(event, context.viewerIp)]} />
        </TitledCard>
        <TitledCard title="Raw event">
          <div className="px-4.5 pt-2 pb-4">
            <Copyable className="wrap-anywhere block w-full whitespace-pre-wrap rounded-md bg-muted p-3 font-mono text-xs">
              {JSON.stringify(rawEvent(event), null, 2)}
            </Copyable>
          </div>
        </TitledCard>
      </div>
    </Page>
  )
}

function factsOf(
  event: AuditEvent,
  { canSeeUsers, times }: Awaited<ReturnType<typeof loadContext>>,
  note: string | null | undefined,
): Fact[] {
  const { at, kind, actorId, actorName, targetId, targetName, impersonatorId, impersonatorName } = event
  const scope = scopeOf(event)
  const userFact = (label: string, id: string | null, name: string | null): Fact[] =>
    id ? [{ label, value: <EventUser id={id} name={name} isLinked={canSeeUsers} /> }] : []
  return [
    { label: 'Event', value: findSentence(kind).name },
    ...(note ? [{ label: 'Note', value: note }] : []),
    {
      label: 'Time',
      value: (
        <span>
          {times.exact(at)} (<RelativeTime at={at} />)
        </span>
      ),
    },
    ...userFact('Actor', actorId, actorName),
    ...userFact('Target', targetId, targetName),
    ...userFact('Impersonated by', impersonatorId, impersonatorName),
    ...(scope ? [scope] : []),
  ]
}

const originOf = ({ id, ip, userAgent }: AuditEvent, viewerIp: string | null): Fact[] => [
  ...(userAgent ? [{ label: 'Device', value: describeUserAgent(userAgent) }] : []),
  ...(ip ? [{ label: 'IP address', value: describeNetwork(ip, viewerIp) }] : []),
  { label: 'Event ID', value: <span className="font-mono text-xs">{id}</span> },
]

function EventUser({ id, name, isLinked }: { id: string; name: string | null; isLinked: boolean }) {
  if (name === null) return 'Deleted user'
  if (!isLinked) return name
  return (
    <Link href={`/admin/users/${id}`} prefetch={false} className="underline underline-offset-4 hover:no-underline">
      {name}
    </Link>
  )
}

/** The row of the table, with its own names of columns. */
const rawEvent = ({ id, at, kind, actorId, targetId, ip, userAgent, details, scopeId }: AuditEvent) => ({
  id,
  at,
  kind,
  actor_id: actorId,
  target_id: targetId,
  ip,
  user_agent: userAgent,
  details,
  scope_id: scopeId,
})

const CopyLink = ({ event }: { event: AuditEvent }) => (
  <CopyButton
    text={new URL(`/admin/audit/${eventKey(event)}`, env.AUTH_URL).href}
    icon={<Link2 aria-hidden="true" />}
    className={buttonVariants({ variant: 'outline' })}
  >
    Copy link
  </CopyButton>
)
