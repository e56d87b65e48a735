import type { Metadata } from 'next'
import { notFound, permanentRedirect } from 'next/navigation'
import { cache } from 'react'
import { Article } from '../../_components/article'
import { PublicFrame } from '../../_components/public-frame'
import { coverAddress } from '../../covers'
import { findPost } from '../../published'
import { absolute, postAddress } from '../../shown'

/** Asked for by the head of the page and by the page: one query. */
const postAt = cache(async (slug: string) => {
  const post = await findPost(slug)
  if (!post) notFound()
  // An address that it had before.
  if (post.slug !== slug) permanentRedirect(postAddress(post.slug))
  return post
})

export async function generateMetadata({ params }: PageProps<'/posts/[slug]'>): Promise<Metadata> {
  const { slug, title, summary, coverId, publishedAt, updatedAt, tags } = await postAt((await params).slug)
  const url = absolute(postAddress(slug))
  return {
    title,
    description: summary,
    alternates: { canonical: url, types: { 'application/atom+xml': absolute('/posts/feed.xml') } },
    openGraph: {
      type: 'article',
      title,
      description: summary,
      url,
      publishedTime: publishedAt.toISOString(),
      modifiedTime: updatedAt.toISOString(),
      tags,
      ...(coverId && { images: [absolute(coverAddress(coverId))] }),
    },
    twitter: { card: coverId ? 'summary_large_image' : 'summary' },
  }
}

export default async function PostPage({ params }: PageProps<'/posts/[slug]'>) {
  const post = await postAt((await params).slug)
  return (
    <PublicFrame>
      <Article {...post} at={post.publishedAt} author={post.authorName} />
    </PublicFrame>
  )
}
