import type { ReactNode } from 'react'
import { coverPath } from '../covers'
import { toPageHtml } from '../post-html'
import { readableLength } from '../reading-time'
import { Outline } from './outline'
import { PostCover } from './post-cover'
import { PostMeta, TagList } from './post-meta'

export function Cover({ id, className }: { id: string; className?: string }) {
  const classes = `rounded-lg border object-cover ${className ?? ''}`
  // biome-ignore lint/performance/noImgElement: the image optimizer is off
  return <img src={coverPath(id)} alt="" loading="lazy" className={classes} />
}

// Elements rendered from Markdown have no classes, so the container styles them.
export const prose = [
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

/** A post with its table of contents. `children` follow the text. */
export function Article({
  title,
  html,
  tags,
  coverId,
  at,
  authorId = null,
  authorName = null,
  characters = readableLength(html),
  actions,
  children,
}: {
  title: string
  html: string
  tags: string[]
  coverId: string | null
  at: Date
  authorId?: string | null
  authorName?: string | null
  /** For the reading time: `readableLength` of the HTML. */
  characters?: number
  actions?: ReactNode
  children?: ReactNode
}) {
  const { html: pageHtml, outline } = toPageHtml(html)
  return (
    <div data-slot="post">
      <Outline entries={outline} />
      <div className="grid min-w-0 grid-cols-1 gap-10">
        <article className="grid grid-cols-1 gap-6">
          <header className="grid gap-3">
            <h1 className="wrap-anywhere font-semibold text-3xl tracking-tight sm:text-4xl">{title}</h1>
            <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
              <PostMeta authorId={authorId} authorName={authorName} at={at} characters={characters} />
              {actions}
            </div>
            <TagList tags={tags} />
          </header>
          {coverId && <PostCover id={coverId} coverId={coverId} isLarge />}
          {/* biome-ignore lint/security/noDangerouslySetInnerHtml: rendered by markdown.ts, which escapes all HTML in the text */}
          <div data-slot="prose" className={prose} dangerouslySetInnerHTML={{ __html: pageHtml }} />
        </article>
        {children}
      </div>
    </div>
  )
}
