import type { Metadata } from 'next'
import Form from 'next/form'
import Link from 'next/link'
import { z } from 'zod'
import { appName } from '@/core/app-name'
import { addressWith } from '@/core/ui/address-with'
import { buttonVariants } from '@/core/ui/button'
import { inputClass } from '@/core/ui/control'
import { EmptyState } from '@/core/ui/surface'
import { Cover, Day, TagList } from '../_components/article'
import { PublicFrame } from '../_components/public-frame'
import { findPosts, type Listed } from '../published'
import { absolute, postAddress } from '../shown'

export function generateMetadata(): Metadata {
  return {
    title: 'Posts',
    description: `What ${appName} has published`,
    alternates: { types: { 'application/atom+xml': absolute('/posts/feed.xml') } },
  }
}

const some = (most: number) => z.string().trim().max(most).optional().catch(undefined)
const Query = z.object({ search: some(200), tag: some(30), before: some(100) })

export default async function PostsPage({ searchParams }: PageProps<'/posts'>) {
  const query = Query.parse(await searchParams)
  const { posts, next } = await findPosts(query)
  const about = query.search ? `Found for “${query.search}”` : query.tag ? `Tagged “${query.tag}”` : null
  return (
    <PublicFrame>
      <div className="grid grid-cols-1 gap-8">
        <div className="flex flex-wrap items-end justify-between gap-4">
          <h1 className="font-semibold text-3xl tracking-tight">Posts</h1>
          <Form action="/posts" role="search" className="flex gap-2">
            <input
              name="search"
              type="search"
              aria-label="Search posts"
              placeholder="Search"
              maxLength={200}
              defaultValue={query.search}
              key={query.search}
              className={`${inputClass} w-44 sm:w-56`}
            />
            <button type="submit" className={buttonVariants({ variant: 'secondary' })}>
              Search
            </button>
          </Form>
        </div>
        {about && (
          <p className="flex flex-wrap items-center gap-3 text-muted-foreground">
            <span className="wrap-anywhere">{about}</span>
            <Link href="/posts" className={buttonVariants({ variant: 'outline', size: 'small' })}>
              Show all
            </Link>
          </p>
        )}
        {posts.length === 0 ? (
          <EmptyState title={about ? 'Nothing was found' : 'Nothing is published yet'}>
            {about ? 'Try another word, or fewer of them.' : 'Editors write posts, and publish them here.'}
          </EmptyState>
        ) : (
          <ul className="grid grid-cols-1 gap-8">
            {posts.map((post) => (
              <Entry key={post.id} post={post} />
            ))}
          </ul>
        )}
        {next && (
          <Link
            href={addressWith('/posts', { tag: query.tag, before: next })}
            className={buttonVariants({ variant: 'outline', className: 'justify-self-start' })}
          >
            Older posts
          </Link>
        )}
      </div>
    </PublicFrame>
  )
}

function Entry({ post: { slug, title, summary, tags, coverId, publishedAt } }: { post: Listed }) {
  return (
    <li className="flex gap-5 border-b pb-8 last:border-b-0">
      <div className="grid min-w-0 flex-1 content-start gap-2">
        <h2 className="wrap-anywhere font-semibold text-xl">
          <Link href={postAddress(slug)} prefetch={false} className="underline-offset-4 hover:underline">
            {title}
          </Link>
        </h2>
        <p className="text-muted-foreground text-sm">
          <Day at={publishedAt} />
        </p>
        <p className="wrap-anywhere">{summary}</p>
        <TagList tags={tags} />
      </div>
      {coverId && <Cover id={coverId} className="hidden size-28 shrink-0 sm:block" />}
    </li>
  )
}
