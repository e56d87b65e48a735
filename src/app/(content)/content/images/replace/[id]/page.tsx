import { z } from 'zod'
import { requirePermission } from '@/core/auth/session/actor'
import { Page } from '@/core/ui/page'
import { Card, EmptyState } from '@/core/ui/surface'
import { ImageForm } from '../../../../_components/image-form'
import { Thumbnail } from '../../../../_components/thumbnail'
import { findImage, mayReplace } from '../../../../_images/library'
import { can } from '../../../../policy'

export const metadata = { title: 'Replace image' }

export default async function ReplaceImagePage({ params, searchParams }: PageProps<'/content/images/replace/[id]'>) {
  const [{ id }, { problem }] = await Promise.all([params, searchParams])
  const actor = await requirePermission(can('posts.write'), `/content/images/replace/${id}`)
  const image = z.uuid().safeParse(id).success ? await findImage(id) : null
  return (
    <Page
      title="Replace image"
      crumbs={[
        { label: 'Posts', href: '/content' },
        { label: 'Images', href: '/content/images' },
      ]}
      lead="Every post that uses it shows the new image. The alt text stays."
      isNarrow
    >
      {image && mayReplace(actor, image.ownerId) ? (
        <Card className="grid grid-cols-1 gap-4">
          <Thumbnail image={image} />
          <p className="wrap-anywhere text-sm">{image.name}</p>
          <ImageForm replacedId={image.id} problem={problem} />
        </Card>
      ) : (
        <EmptyState title="This image can’t be replaced">
          {image ? 'You can replace only images that you uploaded.' : 'It no longer exists.'}
        </EmptyState>
      )}
    </Page>
  )
}
