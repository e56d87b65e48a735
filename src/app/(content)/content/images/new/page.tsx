import { requirePermission } from '@/core/auth/session/actor'
import { Page } from '@/core/ui/page'
import { Card } from '@/core/ui/surface'
import { ImageForm } from '../../../_components/image-form'
import { can } from '../../../policy'

export const metadata = { title: 'Upload image' }

export default async function NewImagePage({ searchParams }: PageProps<'/content/images/new'>) {
  const { problem } = await searchParams
  await requirePermission(can('posts.write'), '/content/images/new')
  return (
    <Page
      title="Upload image"
      crumbs={[
        { label: 'Posts', href: '/content' },
        { label: 'Images', href: '/content/images' },
      ]}
      lead="It stays private until a published post uses it."
      isNarrow
    >
      <Card>
        <ImageForm problem={problem} />
      </Card>
    </Page>
  )
}
