import { CalendarClock, FileText, type LucideIcon } from 'lucide-react'
import Link from 'next/link'
import type { ReactNode } from 'react'
import type { WidgetProps } from '@/core/module-ui'
import { buttonVariants } from '@/core/ui/button'
import { RelativeTime } from '@/core/ui/relative-time'
import { TitledCard } from '@/core/ui/surface'
import { findLatestDrafts, findNextScheduled } from '../../dashboard-posts'

export async function DraftsWidget({ actor }: WidgetProps) {
  const [drafts, scheduled] = await Promise.all([findLatestDrafts(actor, 4), findNextScheduled(actor, 3)])
  return (
    <TitledCard
      title="Drafts waiting for you"
      after={
        <Link href="/content" prefetch={false} className="hover:text-foreground">
          All posts
        </Link>
      }
    >
      {drafts.length + scheduled.length > 0 ? (
        <ul className="divide-y pt-1.5 pb-1">
          {drafts.map(({ id, title, updatedAt, editorName }) => (
            <PostRow key={id} id={id} title={title} icon={FileText} action="Continue">
              Edited <RelativeTime at={updatedAt} /> by {editorName ?? 'a deleted user'}
            </PostRow>
          ))}
          {scheduled.map(({ id, title, scheduledAt }) => (
            <PostRow key={id} id={id} title={title} icon={CalendarClock} action="Review">
              Scheduled {scheduledAt && <RelativeTime at={scheduledAt} />}
            </PostRow>
          ))}
        </ul>
      ) : (
        <p className="px-4.5 pt-1.5 pb-3.5 text-muted-foreground text-sm">
          No drafts. Posts appear here until you publish them.
        </p>
      )}
    </TitledCard>
  )
}

function PostRow({
  id,
  title,
  icon: Icon,
  action,
  children,
}: {
  id: string
  title: string
  icon: LucideIcon
  action: string
  children: ReactNode
}) {
  return (
    <li className="flex items-center gap-3 px-4.5 py-3">
      <span
        aria-hidden="true"
        className="grid size-8.5 shrink-0 place-items-center rounded-[9px] bg-secondary text-muted-foreground"
      >
        <Icon className="size-4" strokeWidth={1.75} />
      </span>
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere line-clamp-2 font-medium text-sm">{title}</p>
        <p className="text-muted-foreground text-xs">{children}</p>
      </div>
      <Link href={`/content/${id}`} prefetch={false} className={buttonVariants({ variant: 'outline', size: 'small' })}>
        {action}
        <span className="sr-only"> {title}</span>
      </Link>
    </li>
  )
}
