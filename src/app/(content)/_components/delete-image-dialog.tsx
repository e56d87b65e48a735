import { z } from 'zod'
import { DialogForm } from '@/core/ui/dialog-form'
import { findImageUses } from '../_images/image-uses'
import { findImage, mayDeleteImage } from '../_images/library'
import { deleteImage } from '../actions'
import type { Writer } from '../policy'

/** Asks before an image is deleted, as a dialog or as a page. The caller has checked the permission. */
export async function DeleteImageDialog({ frame, actor, id }: { frame: 'dialog' | 'page'; actor: Writer; id: string }) {
  const image = z.uuid().safeParse(id).success ? await findImage(id) : null
  const count = image ? ((await findImageUses(actor, [image.id])).get(image.id)?.count ?? 0) : 0
  return (
    <DialogForm
      frame={frame}
      path={`/content/images/delete/${id}`}
      cancelHref="/content/images"
      crumbs={[
        { label: 'Posts', href: '/content' },
        { label: 'Images', href: '/content/images' },
      ]}
      title={image ? `Delete ${image.name}?` : 'Delete image?'}
      consequences={[
        count === 0
          ? 'No post uses this image.'
          : `${count === 1 ? 'One post uses' : `${count} posts use`} this image and will show its alt text instead.`,
        'This can’t be undone.',
      ]}
      reason={reasonAgainst(actor, image)}
      action={deleteImage}
      fields={{ id }}
      submit="Delete image"
      isDangerous
    />
  )
}

function reasonAgainst(actor: Writer, image: { ownerId: string | null } | null): string | undefined {
  if (!image) return 'This image no longer exists.'
  return mayDeleteImage(actor, image.ownerId) ? undefined : 'You can delete only images that you uploaded.'
}
