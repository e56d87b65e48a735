import type { ReactNode } from 'react'
import { capitalizeStart, findSentence } from '@/core/audit/find-sentence'
import { Strong } from '@/core/audit/sentences'
import { Feed, FeedItem } from '@/core/ui/feed'
import { RelativeTime } from '@/core/ui/relative-time'
import { Card } from '@/core/ui/surface'
import type { OrganizationEvent } from '../audit'

const nameOf = (id: string | null, name: string | null): ReactNode => {
  if (!id) return null
  return name === null ? 'a deleted user' : <Strong>{name}</Strong>
}

/** What happened in an organization, as sentences. Without devices and IP addresses: members are not admins of the app. */
export function EventFeed({ events }: { events: OrganizationEvent[] }) {
  return (
    <Card className="p-0">
      <Feed>
        {events.map((event) => {
          const { icon, tone, say } = findSentence(event.kind)
          return (
            <FeedItem
              key={`${event.at.getTime()}-${event.id}`}
              icon={icon}
              {...(tone && { tone })}
              time={<RelativeTime at={event.at} />}
            >
              {capitalizeStart(
                say({
                  actor: nameOf(event.actorId, event.actorName),
                  target: nameOf(event.targetId, event.targetName),
                  isSelf: event.actorId !== null && event.actorId === event.targetId,
                  subject: null,
                  details: event.details ?? {},
                  count: 1,
                  isOnUserPage: false,
                }),
              )}
            </FeedItem>
          )
        })}
      </Feed>
    </Card>
  )
}
