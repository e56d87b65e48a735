import { FileText } from 'lucide-react'
import Link from 'next/link'
import { getActor } from '@/core/auth/session/actor'
import type { UserTabProps } from '@/core/module-ui'
import { buttonVariants } from '@/core/ui/button'
import { pathWithQuery } from '@/core/ui/path-with-query'
import { RelativeTime } from '@/core/ui/relative-time'
import { EmptyState, TitledCard } from '@/core/ui/surface'
import { findPostsOf } from '../posts-of-user'
import { StatusBadge } from './status-badge'

/** The posts of a user, on their page for admins. */
export async function UserPosts({ userId, path, before }: UserTabProps) {
  const { posts, next } = await findPostsOf(await getActor(), userId, before)
  if (posts.length === 0)
    return (
      <EmptyState icon={FileText} title={before ? 'No older posts' : 'No posts yet'}>
        Posts that this user creates appear here.
      </EmptyState>
    )
  return (
    <TitledCard
      title="Posts"
      footer={
        next && (
          <Link
            href={pathWithQuery(path, { before: next })}
            prefetch={false}
            className={buttonVariants({ variant: 'outline', size: 'small' })}
          >
            Older posts
          </Link>
        )
      }
    >
      <ul className="divide-y pt-2">
        {posts.map(({ id, title, status, updatedAt, draft, publishedNumber }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4.5 py-3 text-sm">
            <Link
              href={`/content/${id}`}
              prefetch={false}
              className="wrap-anywhere min-w-0 flex-1 basis-48 font-medium underline-offset-4 hover:underline"
            >
              {title}
            </Link>
            <StatusBadge status={status} hasChanges={publishedNumber !== null && publishedNumber !== draft} />
            <span className="whitespace-nowrap text-muted-foreground text-xs">
              <span className="sr-only">Updated </span>
              <RelativeTime at={updatedAt} />
            </span>
          </li>
        ))}
      </ul>
    </TitledCard>
  )
}
