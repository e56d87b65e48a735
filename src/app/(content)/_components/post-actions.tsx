import { Link as LinkIcon, Pencil } from 'lucide-react'
import Link from 'next/link'
import { isAllowed } from '@/core/auth/policy'
import { absoluteUrl } from '@/core/site/origin'
import { buttonVariants } from '@/core/ui/button'
import { CopyButton } from '@/core/ui/copy-button'
import { postPath } from '../api-post'
import { can, type Writer } from '../policy'
import type { PublishedPost } from '../published'

const mayEdit = ({ id, role }: Writer, authorId: string | null) =>
  isAllowed(role, can('posts.write')) && (authorId === id || isAllowed(role, can('posts.write_others')))

/** Copies the link of a post, and opens its editor for users who may edit it. */
export function PostActions({
  post: { id, slug, authorId },
  actor,
}: {
  post: Pick<PublishedPost, 'id' | 'slug' | 'authorId'>
  actor: Writer | null
}) {
  return (
    <div className="flex items-center gap-1 print:hidden">
      <CopyButton
        text={absoluteUrl(postPath(slug))}
        icon={<LinkIcon aria-hidden="true" />}
        className={buttonVariants({ variant: 'ghost', size: 'small' })}
      >
        Copy link
      </CopyButton>
      {actor && mayEdit(actor, authorId) && (
        <Link href={`/content/${id}`} prefetch={false} className={buttonVariants({ variant: 'ghost', size: 'small' })}>
          <Pencil aria-hidden="true" />
          Edit
        </Link>
      )}
    </div>
  )
}
