import { isAllowed } from '@/core/auth/policy'
import type { WidgetProps } from '@/core/module-ui'
import { RelativeTime } from '@/core/ui/relative-time'
import { TitledCard } from '@/core/ui/surface'
import { findLatestPublished } from '../../dashboard-posts'
import { can } from '../../policy'

/** For readers. Users who write posts have their drafts instead. */
export async function RecentPostsWidget({ actor }: WidgetProps) {
  if (isAllowed(actor.role, can('posts.write'))) return null
  const posts = await findLatestPublished(5)
  return (
    <TitledCard
      title="Recently published"
      after={
        <a href="/posts" className="hover:text-foreground">
          Blog
        </a>
      }
    >
      {posts.length > 0 ? (
        <ul className="divide-y px-4.5 pt-1 pb-2 text-sm">
          {posts.map(({ slug, title, publishedAt }) => (
            <li key={slug} className="flex items-baseline justify-between gap-3 py-2">
              <a href={`/posts/${slug}`} className="wrap-anywhere min-w-0 font-medium hover:underline">
                {title}
              </a>
              <span className="whitespace-nowrap text-muted-foreground text-xs">
                <RelativeTime at={publishedAt} />
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <p className="px-4.5 pt-1.5 pb-3.5 text-muted-foreground text-sm">No posts yet.</p>
      )}
    </TitledCard>
  )
}
