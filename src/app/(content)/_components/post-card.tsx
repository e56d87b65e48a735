import Link from 'next/link'
import { postPath } from '../api-post'
import type { PublishedPost } from '../published'
import { PostCover } from './post-cover'
import { PostMeta } from './post-meta'

/** A post in the list. The whole card is a link; the newest post is larger. */
export function PostCard({ post, isFeatured }: { post: PublishedPost; isFeatured: boolean }) {
  const { id, slug, title, summary, coverId, publishedAt, authorId, authorName, characters } = post
  return (
    <li data-slot="post-card" data-featured={isFeatured || undefined}>
      <PostCover id={id} coverId={coverId} isLarge={isFeatured} />
      <div className="grid content-start gap-2">
        <h2 className="wrap-anywhere font-semibold text-xl">
          <Link href={postPath(slug)} prefetch={false}>
            {title}
          </Link>
        </h2>
        <p className="wrap-anywhere line-clamp-2 text-base text-muted-foreground">{summary}</p>
        <PostMeta authorId={authorId} authorName={authorName} at={publishedAt} characters={characters} />
      </div>
    </li>
  )
}
