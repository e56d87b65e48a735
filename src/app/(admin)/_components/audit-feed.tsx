import { headers } from 'next/headers'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { findSentence } from '@/core/audit/find-sentence'
import { isAllowed } from '@/core/auth/policy'
import { type Actor, getActor } from '@/core/auth/session/actor'
import { getClientInfo } from '@/core/http/client-ip'
import type { AuditSubject } from '@/core/module-ui'
import { getTimeFormat } from '@/core/time/get-time-format'
import type { TimeFormat } from '@/core/time/time-format'
import { Feed, FeedItem } from '@/core/ui/feed'
import { Card } from '@/core/ui/surface'
import { rowLinkClass } from '@/core/ui/table'
import { describeNetwork, describeUserAgent } from '@/core/ui/user-agent'
import { moduleUis } from '@/module-uis'
import { type AuditEvent, eventKey, scopeOf } from '../audit'
import { type SentenceContext, sayEvent } from '../audit-sentence'
import { formatDay, formatEventTime, groupByDay, groupEvents } from '../group-events'
import { can } from '../policy'

interface FeedContext extends SentenceContext {
  canSeeEvents: boolean
  /** The IP of the reader, to name their own network. */
  viewerIp: string | null
  /** Formats times as the reader has chosen. */
  times: TimeFormat
  hasDays: boolean
}

/**
 * Events of the audit log as sentences, newest first. On the page of a user, events of `findHistory` call that user by
 * their first name. With `hasDays`, each day has a heading.
 */
export async function AuditFeed({
  events,
  isOnUserPage = false,
  hasDays = false,
}: {
  events: AuditEvent[]
  isOnUserPage?: boolean
  hasDays?: boolean
}) {
  const context = { ...(await loadContext(events)), isOnUserPage, hasDays }
  if (!hasDays) return <Rows events={events} context={context} />
  return (
    <div className="grid grid-cols-1 gap-5">
      {groupByDay(events, context.times).map(({ day, events: some }) => (
        <section key={day} aria-labelledby={`day-${day}`}>
          <h2 id={`day-${day}`} className="mb-2 font-medium text-[0.8125rem] text-muted-foreground">
            {formatDay(day, context.times)}
          </h2>
          <Card className="p-0">
            <Rows events={some} context={context} />
          </Card>
        </section>
      ))}
    </div>
  )
}

/** What the reader may see and follow, for these events. */
export async function loadContext(events: AuditEvent[]): Promise<Omit<FeedContext, 'hasDays'>> {
  const [reader, head, times] = await Promise.all([getActor(), headers(), getTimeFormat()])
  return {
    canSeeUsers: isAllowed(reader?.role, can('users.read')),
    canSeeEvents: isAllowed(reader?.role, can('audit.read')),
    viewerIp: getClientInfo(head).ip,
    times,
    subjects: reader ? await loadSubjects(reader, events) : new Map(),
    isOnUserPage: false,
  }
}

/** What the events are about, from the modules that know it. */
async function loadSubjects(reader: Actor, events: AuditEvent[]): Promise<Map<string, AuditSubject>> {
  const finders = moduleUis.flatMap(({ auditSubjects = {} }) => Object.entries(auditSubjects))
  const found = await Promise.all(
    finders.map(async ([name, find]) => {
      const ids = new Set(events.flatMap(({ details }) => (details?.[name] === undefined ? [] : [`${details[name]}`])))
      const subjects = ids.size > 0 ? await find(reader, [...ids]) : new Map<string, AuditSubject>()
      return [...subjects].map(([id, subject]) => [`${name}:${id}`, subject] as const)
    }),
  )
  return new Map(found.flat())
}

function Rows({ events, context }: { events: AuditEvent[]; context: FeedContext }) {
  return (
    <Feed>
      {groupEvents(events).map((group) => {
        const [event] = group
        const { icon, tone = 'neutral' } = findSentence(event.kind)
        const isSingle = group.length === 1
        const meta = describeOrigin(group, context)
        return (
          <FeedItem key={event.id} icon={icon} tone={tone} time={<EventTime {...{ event, context, isSingle }} />}>
            {sayEvent(event, context, group.length)}
            {meta && <span className="block text-muted-foreground text-xs">{meta}</span>}
            {!isSingle && <GroupedEvents events={group} context={context} />}
          </FeedItem>
        )
      })}
    </Feed>
  )
}

const noteOf = ({ kind, details }: AuditEvent, times: TimeFormat) =>
  findSentence(kind).note?.(details ?? {}, times) ?? null

/** The note that all events of a group share. */
function sharedNote(group: AuditEvent[], times: TimeFormat): string | null {
  const notes = new Set(group.map((event) => noteOf(event, times)))
  return notes.size === 1 ? ([...notes][0] ?? null) : null
}

/** "Wrong password · Organization: Acme · Chrome on macOS · 198.51.100.24" */
function describeOrigin(group: [AuditEvent, ...AuditEvent[]], { viewerIp, times }: FeedContext): string {
  const [event] = group
  const { userAgent, ip } = event
  const scope = scopeOf(event)
  return [
    sharedNote(group, times),
    scope && `${scope.label}: ${scope.value}`,
    userAgent && describeUserAgent(userAgent),
    ip && describeNetwork(ip, viewerIp),
  ]
    .filter(Boolean)
    .join(' · ')
}

/** The time of an event; for one that stands alone, the link of its whole row. */
function EventTime({ event, context, isSingle }: { event: AuditEvent; context: FeedContext; isSingle: boolean }) {
  const time = (
    <time dateTime={event.at.toISOString()} title={context.times.exact(event.at)}>
      {context.hasDays ? context.times.time(event.at) : formatEventTime(event.at, context.times)}
    </time>
  )
  if (!isSingle || !context.canSeeEvents) return time
  return (
    <EventLink
      event={event}
      className={`-my-1 inline-block py-1 underline-offset-4 group-hover:underline ${rowLinkClass}`}
    >
      {time}
    </EventLink>
  )
}

function EventLink({ event, className, children }: { event: AuditEvent; className: string; children: ReactNode }) {
  return (
    <Link href={`/admin/audit/${eventKey(event)}`} prefetch={false} className={className}>
      {children}
      <span className="sr-only">, event details</span>
    </Link>
  )
}

/** The events of a group, each with its time and with the note that the group does not share. */
function GroupedEvents({ events, context }: { events: AuditEvent[]; context: FeedContext }) {
  const isShared = sharedNote(events, context.times) !== null
  return (
    <details className="text-muted-foreground text-xs">
      <summary className="w-fit py-1 hover:text-foreground">Show all {events.length}</summary>
      <ol className="grid gap-1 pt-0.5 pb-1">
        {events.map((event) => {
          const note = isShared ? null : noteOf(event, context.times)
          const time = (
            <time dateTime={event.at.toISOString()} title={context.times.exact(event.at)}>
              {exactOf(event, context)}
            </time>
          )
          return (
            <li key={event.id} className="flex min-h-6 flex-wrap items-center gap-x-1.5">
              {context.canSeeEvents ? (
                <EventLink event={event} className="underline underline-offset-4 hover:no-underline">
                  {time}
                </EventLink>
              ) : (
                time
              )}
              {note && <span>· {note}</span>}
            </li>
          )
        })}
      </ol>
    </details>
  )
}

/** With seconds, because the events of a group are often within one minute. */
const exactOf = ({ at }: AuditEvent, { hasDays, times }: FeedContext) => (hasDays ? times.seconds(at) : times.exact(at))
