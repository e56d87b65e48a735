import Link from 'next/link'
import type { ReactNode } from 'react'
import { capitalizeStart, findSentence, sentences } from '@/core/audit/find-sentence'
import { Strong } from '@/core/audit/sentences'
import type { AuditSubject } from '@/core/module-ui'
import type { AuditEvent } from './audit'

/** The kinds as options of a filter, by area, in the order of the sentences. */
export function groupKinds(kinds: string[]): { area: string; options: { kind: string; name: string }[] }[] {
  const known = [...sentences.keys()].filter((kind) => kinds.includes(kind))
  const unknown = kinds.filter((kind) => !sentences.has(kind))
  const byArea = Map.groupBy([...known, ...unknown], (kind) => findSentence(kind).area)
  return [...byArea].map(([area, some]) => ({
    area,
    options: some.map((kind) => ({ kind, name: findSentence(kind).name })),
  }))
}

/** What the reader of a sentence may follow, and what its events are about. */
export interface SentenceContext {
  canSeeUsers: boolean
  /** By the name of the detail and the id in it: `post:828f…`. */
  subjects: ReadonlyMap<string, AuditSubject>
  isOnUserPage: boolean
}

const linkClass = 'relative z-1 font-medium underline-offset-4 hover:underline'

/** An event as a sentence. `count` is the number of events that it stands for. */
export function sayEvent(event: AuditEvent, context: SentenceContext, count = 1): ReactNode {
  const { kind, details, actorId, targetId, impersonatorId } = event
  const nameOf = (id: string | null, name: string | null, nameOfDeleted = 'a deleted user'): ReactNode => {
    if (!id) return null
    if (name === null) return nameOfDeleted
    if (context.isOnUserPage && id === event.ofUserId) return <Strong>{name.split(' ')[0]}</Strong>
    if (!context.canSeeUsers) return <Strong>{name}</Strong>
    return (
      <Link href={`/admin/users/${id}`} prefetch={false} className={linkClass}>
        {name}
      </Link>
    )
  }
  const user = nameOf(actorId, event.actorName)
  const admin = nameOf(impersonatorId, event.impersonatorName, 'a deleted admin')
  const sentence = findSentence(kind).say({
    actor: (actorId && admin) || user,
    target: nameOf(targetId, event.targetName),
    isSelf: actorId !== null && actorId === targetId,
    subject: subjectOf(details, context),
    details: details ?? {},
    count,
    isOnUserPage: context.isOnUserPage,
  })
  return (
    <>
      {capitalizeStart(sentence)}
      {admin && (user ? <> as {user}</> : <> by {admin}</>)}
      {admin && ' (impersonating)'}
    </>
  )
}

function subjectOf(details: AuditEvent['details'], { subjects }: SentenceContext): ReactNode {
  for (const [name, id] of Object.entries(details ?? {})) {
    const subject = subjects.get(`${name}:${id}`)
    if (subject)
      return (
        <Link
          href={subject.href}
          prefetch={false}
          className="wrap-anywhere relative z-1 underline decoration-border-strong underline-offset-3"
        >
          {subject.label}
        </Link>
      )
  }
  return null
}
