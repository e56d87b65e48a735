import type { Metadata } from 'next'
import { notFound, permanentRedirect } from 'next/navigation'
import { cache } from 'react'
import { getActor } from '@/core/auth/session/actor'
import { absoluteUrl } from '@/core/site/origin'
import { Article } from '../../_components/article'
import { PostActions } from '../../_components/post-actions'
import { PostNeighbors } from '../../_components/post-neighbors'
import { PublicFrame } from '../../_components/public-frame'
import { feedTypes, postPath } from '../../api-post'
import { coverPath } from '../../covers'
import { findNeighbors, findPost } from '../../published'
import { structuredDataOf } from '../../structured-data'

/** Published posts. */
export const access = 'public'

/** Cached per request: `generateMetadata` and the page share one query. */
const postAt = cache(async (slug: string) => {
  const post = await findPost(slug)
  if (!post) notFound()
  // A former slug of the post.
  if (post.slug !== slug) permanentRedirect(postPath(post.slug))
  return post
})

export async function generateMetadata({ params }: PageProps<'/posts/[slug]'>): Promise<Metadata> {
  const { slug, title, summary, coverId, publishedAt, updatedAt, tags } = await postAt((await params).slug)
  const url = absoluteUrl(postPath(slug))
  return {
    title,
    description: summary,
    alternates: { canonical: url, types: feedTypes() },
    openGraph: {
      type: 'article',
      title,
      description: summary,
      url,
      publishedTime: publishedAt.toISOString(),
      modifiedTime: updatedAt.toISOString(),
      tags,
      images: [absoluteUrl(coverId ? coverPath(coverId) : '/opengraph-image')],
    },
    twitter: { card: 'summary_large_image' },
  }
}

export default async function PostPage({ params }: PageProps<'/posts/[slug]'>) {
  const post = await postAt((await params).slug)
  const [neighbors, actor] = await Promise.all([findNeighbors(post), getActor()])
  return (
    <>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: JSON, escaped */}
      <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: structuredDataOf(post) }} />
      <PublicFrame>
        <Article {...post} at={post.publishedAt} actions={<PostActions post={post} actor={actor} />}>
          <PostNeighbors {...neighbors} />
        </Article>
      </PublicFrame>
    </>
  )
}
