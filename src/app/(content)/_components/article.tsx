import Link from 'next/link'
import { addressWith } from '@/core/ui/address-with'
import { coverAddress } from '../covers'

const day = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' })

export function Day({ at }: { at: Date }) {
  return <time dateTime={at.toISOString()}>{day.format(at)}</time>
}

export function TagList({ tags }: { tags: string[] }) {
  if (tags.length === 0) return null
  return (
    <ul aria-label="Tags" className="flex flex-wrap gap-2">
      {tags.map((tag) => (
        <li key={tag}>
          <Link
            href={addressWith('/posts', { tag })}
            prefetch={false}
            className="inline-flex min-h-6 items-center rounded-full border bg-secondary px-2.5 text-secondary-foreground text-xs hover:bg-accent"
          >
            {tag}
          </Link>
        </li>
      ))}
    </ul>
  )
}

export function Cover({ id, className }: { id: string; className?: string }) {
  const look = `rounded-lg border object-cover ${className ?? ''}`
  // biome-ignore lint/performance/noImgElement: the optimiser is off
  return <img src={coverAddress(id)} alt="" loading="lazy" className={look} />
}

// Elements that were made of Markdown have no classes of their own.
const prose = [
  'grid grid-cols-1 gap-5 leading-7 wrap-anywhere',
  '[&_h2]:mt-6 [&_h2]:font-semibold [&_h2]:text-2xl [&_h3]:mt-4 [&_h3]:font-semibold [&_h3]:text-xl [&_h4]:font-semibold',
  '[&_a]:text-primary [&_a]:underline [&_a]:underline-offset-4',
  '[&_ul]:list-disc [&_ol]:list-decimal [&_ul]:ps-6 [&_ol]:ps-6 [&_li]:my-1',
  '[&_blockquote]:border-s-4 [&_blockquote]:ps-4 [&_blockquote]:text-muted-foreground',
  '[&_code]:rounded-sm [&_code]:bg-muted [&_code]:px-1 [&_code]:text-[0.9em]',
  '[&_pre]:overflow-x-auto [&_pre]:rounded-lg [&_pre]:border [&_pre]:bg-muted [&_pre]:p-4 [&_pre_code]:px-0',
  '[&_img]:max-w-full [&_img]:rounded-lg [&_hr]:border-t',
  '[&_.table]:overflow-x-auto [&_th]:border [&_td]:border [&_th]:bg-muted [&_th]:px-3 [&_td]:px-3 [&_th]:py-1.5 [&_td]:py-1.5 [&_th]:text-left',
].join(' ')

/** A post as people read it. */
export function Article({
  title,
  html,
  tags,
  coverId,
  at,
  author,
}: {
  title: string
  html: string
  tags: string[]
  coverId: string | null
  at: Date
  author: string | null
}) {
  return (
    <article className="grid grid-cols-1 gap-6">
      <header className="grid gap-3">
        <h1 className="wrap-anywhere font-semibold text-3xl tracking-tight sm:text-4xl">{title}</h1>
        <p className="text-muted-foreground text-sm">
          <Day at={at} />
          {author && ` · ${author}`}
        </p>
        <TagList tags={tags} />
      </header>
      {coverId && <Cover id={coverId} className="max-h-120 w-full" />}
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: made by markdown.ts, which lets no HTML of the text through */}
      <div className={prose} dangerouslySetInnerHTML={{ __html: html }} />
    </article>
  )
}
