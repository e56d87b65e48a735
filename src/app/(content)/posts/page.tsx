import { Newspaper } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { z } from 'zod'
import { appName } from '@/brand'
import { buttonVariants } from '@/core/ui/button'
import { pathWithQuery } from '@/core/ui/path-with-query'
import { EmptyState } from '@/core/ui/surface'
import { BlogSearch, TagFilter } from '../_components/blog-filters'
import { PostCard } from '../_components/post-card'
import { PublicFrame } from '../_components/public-frame'
import { feedTypes } from '../api-post'
import { findPosts, findTags } from '../published'

/** Published posts. */
export const access = 'public'

export function generateMetadata(): Metadata {
  return { title: 'Blog', description: `The latest from ${appName}`, alternates: { types: feedTypes() } }
}

const optionalText = (max: number) => z.string().trim().max(max).optional().catch(undefined)
const Query = z.object({ search: optionalText(200), tag: optionalText(30), before: optionalText(100) })

export default async function PostsPage({ searchParams }: PageProps<'/posts'>) {
  const query = Query.parse(await searchParams)
  const [{ posts, next }, tags] = await Promise.all([findPosts(query), findTags()])
  const about = query.search ? `Results for “${query.search}”` : query.tag ? `Tagged “${query.tag}”` : null
  const isFirstPage = !about && !query.before
  return (
    <PublicFrame>
      <div className="grid grid-cols-1 gap-8">
        <div className="grid grid-cols-1 gap-4">
          <div className="flex flex-wrap items-end justify-between gap-4">
            <div className="grid gap-1">
              <h1 className="font-semibold text-3xl tracking-tight">Blog</h1>
              <p className="text-muted-foreground">The latest from {appName}</p>
            </div>
            <BlogSearch search={query.search} />
          </div>
          <TagFilter tags={tags} current={query.search ? null : query.tag} />
        </div>
        {/* Always there: a screen reader announces only what changes in it. */}
        <div className={about ? 'flex flex-wrap items-center gap-3 text-muted-foreground' : 'sr-only'}>
          <p role="status" className="wrap-anywhere">
            {about}
          </p>
          {about && (
            <Link href="/posts" prefetch={false} className={buttonVariants({ variant: 'outline', size: 'small' })}>
              {query.search ? 'Clear search' : 'Clear filter'}
            </Link>
          )}
        </div>
        {posts.length === 0 ? (
          <EmptyState {...(isFirstPage && { icon: Newspaper })} title={isFirstPage ? 'No posts yet' : 'No posts found'}>
            {emptyHint(query)}
          </EmptyState>
        ) : (
          <ul data-slot="post-cards">
            {posts.map((post, index) => (
              <PostCard key={post.id} post={post} isFeatured={isFirstPage && index === 0} />
            ))}
          </ul>
        )}
        {next && (
          <Link
            href={pathWithQuery('/posts', { tag: query.tag, before: next })}
            prefetch={false}
            className={buttonVariants({ variant: 'outline', className: 'justify-self-start' })}
          >
            Older posts
          </Link>
        )}
      </div>
    </PublicFrame>
  )
}

function emptyHint({ search, tag, before }: z.output<typeof Query>): string {
  if (search) return 'Try different or fewer words.'
  if (before) return 'No older posts.'
  return tag ? 'No published posts have this tag.' : 'Published posts will appear here.'
}
