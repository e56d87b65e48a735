import Link from 'next/link'
import { TitledCard } from '@/core/ui/surface'
import { EventQuery, findEvents } from '../../audit'
import { AuditFeed } from '../audit-feed'

const shownEvents = 6

export async function RecentActivityWidget() {
  const { events } = await findEvents(EventQuery.parse({}))
  // Admins who look at lists would push out what happened.
  const recent = events.filter(({ kind }) => kind !== 'users.listed').slice(0, shownEvents)
  return (
    <TitledCard
      title="Recent activity"
      after={
        <Link href="/admin/audit" prefetch={false} className="hover:text-foreground">
          Audit log
        </Link>
      }
    >
      {recent.length > 0 ? (
        // Called, not rendered, so that what it reads can fail here, where the other widgets are spared.
        await AuditFeed({ events: recent })
      ) : (
        <p className="px-4.5 pt-1.5 pb-3.5 text-muted-foreground text-sm">No activity yet.</p>
      )}
    </TitledCard>
  )
}
