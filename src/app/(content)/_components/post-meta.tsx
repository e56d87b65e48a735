import Link from 'next/link'
import { timeFormatFor } from '@/core/time/time-format'
import { pathWithQuery } from '@/core/ui/path-with-query'
import { readingMinutes } from '../reading-time'
import { Author } from './author'

/** In UTC: public pages are the same for every reader. */
const times = timeFormatFor()

/** Author, date and reading time. The author has no photo here: photos are for signed-in users only. */
export function PostMeta({
  authorId,
  authorName,
  at,
  characters,
}: {
  authorId: string | null
  authorName: string | null
  at: Date
  characters: number
}) {
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-muted-foreground text-sm">
      {authorName && (
        <>
          <Author id={authorId} name={authorName} image={null} />
          <span aria-hidden="true">·</span>
        </>
      )}
      <time dateTime={at.toISOString()}>{times.longDate(at)}</time>
      <span aria-hidden="true">·</span>
      <span>{readingMinutes(characters)} min read</span>
    </div>
  )
}

export const tagClass =
  'inline-flex min-h-6 items-center rounded-full border bg-secondary px-2.5 text-secondary-foreground text-xs hover:bg-accent'

export function TagList({ tags }: { tags: string[] }) {
  if (tags.length === 0) return null
  return (
    <ul aria-label="Tags" className="flex flex-wrap gap-2">
      {tags.map((tag) => (
        <li key={tag}>
          <Link href={pathWithQuery('/posts', { tag })} prefetch={false} className={tagClass}>
            {tag}
          </Link>
        </li>
      ))}
    </ul>
  )
}
