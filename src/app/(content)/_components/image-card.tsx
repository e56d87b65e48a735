import Link from 'next/link'
import { buttonVariants } from '@/core/ui/button'
import { CopyButton } from '@/core/ui/copy-button'
import { RelativeTime } from '@/core/ui/relative-time'
import { Badge, Card } from '@/core/ui/surface'
import { unusedDays } from '../_images/clean-up'
import type { ImageUse, ImageUses } from '../_images/image-uses'
import { type LibraryImage, mayDeleteImage, mayReplace } from '../_images/library'
import { markdownOf } from '../markdown'
import type { Writer } from '../policy'
import { Thumbnail } from './thumbnail'

/** An image of the library: what it is, where it is used, the Markdown that embeds it, and what can be done with it. */
export function ImageCard({ image, actor }: { image: LibraryImage; actor: Writer }) {
  const { id, name, alt, width, height, ownerId, ownerName, createdAt, uses } = image
  const markdown = markdownOf(id, alt)
  return (
    <Card className="grid h-full grid-cols-1 content-start gap-3">
      <Thumbnail image={image} />
      <div className="grid gap-1">
        <h2 className="wrap-anywhere font-semibold">{name}</h2>
        <p className="wrap-anywhere text-sm">{alt}</p>
        <p className="text-muted-foreground text-sm">
          {width} × {height} · {ownerName ?? 'Deleted user'} · <RelativeTime at={createdAt} />
        </p>
      </div>
      <Uses uses={uses} />
      <code className="truncate rounded-md bg-muted px-2 py-1 text-xs">{markdown}</code>
      <p className="flex flex-wrap gap-2">
        <CopyButton text={markdown} label={`of ${name}`}>
          Copy Markdown
        </CopyButton>
        {mayReplace(actor, ownerId) && (
          <Link
            href={`/content/images/replace/${id}`}
            prefetch={false}
            className={buttonVariants({ variant: 'outline', size: 'small' })}
          >
            Replace<span className="sr-only"> {name}</span>
          </Link>
        )}
        {mayDeleteImage(actor, ownerId) && (
          <Link
            href={`/content/images/delete/${id}`}
            prefetch={false}
            className={buttonVariants({ variant: 'danger', size: 'small' })}
          >
            Delete…<span className="sr-only"> {name}</span>
          </Link>
        )}
      </p>
    </Card>
  )
}

function Uses({ uses: { isPublic, count, posts } }: { uses: ImageUses }) {
  return (
    <div className="grid justify-items-start gap-1 text-sm">
      <Badge tone={isPublic ? 'success' : 'neutral'}>{isPublic ? 'Public' : 'Private'}</Badge>
      {count === 0 ? (
        <p className="text-muted-foreground">Not used. Deleted after {unusedDays} days without a post.</p>
      ) : (
        <>
          <p className="text-muted-foreground">Used in</p>
          <ul className="grid gap-1">
            {posts.map((use) => (
              <li key={use.postId} className="wrap-anywhere">
                <UseLabel use={use} />
              </li>
            ))}
            {count > posts.length && <li>{count - posts.length} more</li>}
          </ul>
        </>
      )}
    </div>
  )
}

function UseLabel({ use: { postId, title, isPublic, isInDraft } }: { use: ImageUse }) {
  const where = isPublic ? '' : isInDraft ? ' (draft)' : ' (older version)'
  if (title === null) return <>A post of another author{where}</>
  return (
    <>
      <Link href={`/content/${postId}`} prefetch={false} className="underline underline-offset-4">
        {title}
      </Link>
      {where}
    </>
  )
}
