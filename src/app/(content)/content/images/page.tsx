import { Images, Upload } from 'lucide-react'
import Form from 'next/form'
import Link from 'next/link'
import { z } from 'zod'
import { requirePermission } from '@/core/auth/session/actor'
import { buttonVariants } from '@/core/ui/button'
import { inputClass } from '@/core/ui/control'
import { Page } from '@/core/ui/page'
import { pathWithQuery } from '@/core/ui/path-with-query'
import { Alert, EmptyState } from '@/core/ui/surface'
import { ImageCard } from '../../_components/image-card'
import { findImages } from '../../_images/library'
import { can } from '../../policy'

export const metadata = { title: 'Images' }

const optionalText = z.string().trim().max(100).optional().catch(undefined)
const Query = z.object({
  search: optionalText,
  before: optionalText,
  done: z.enum(['uploaded', 'replaced', 'deleted']).optional().catch(undefined),
})

const doneTexts = { uploaded: 'Image uploaded.', replaced: 'Image replaced.', deleted: 'Image deleted.' }

export default async function ImagesPage({ searchParams }: PageProps<'/content/images'>) {
  const { search, before, done } = Query.parse(await searchParams)
  const actor = await requirePermission(can('posts.write'), '/content/images')
  const { images, next } = await findImages(actor, { search, before })
  return (
    <Page
      title="Images"
      crumbs={[{ label: 'Posts', href: '/content' }]}
      lead="Images for posts. Each stays private until a published post uses it."
      primary={
        <Link href="/content/images/new" prefetch={false} className={buttonVariants()}>
          <Upload aria-hidden="true" />
          Upload image
        </Link>
      }
    >
      {done && (
        <Alert as="p" tone="success" role="status" className="mb-3">
          {doneTexts[done]}
        </Alert>
      )}
      <Form action="/content/images" role="search" className="mb-3 flex flex-wrap gap-2">
        <input
          name="search"
          type="search"
          aria-label="Search images"
          placeholder="Search name or alt text"
          maxLength={100}
          defaultValue={search}
          key={search}
          data-slot="page-search"
          className={`${inputClass} w-44 sm:w-56`}
        />
        <button type="submit" className={buttonVariants({ variant: 'secondary' })}>
          Search
        </button>
        {search && (
          <Link href="/content/images" className={buttonVariants({ variant: 'outline' })}>
            Clear search
          </Link>
        )}
      </Form>
      {images.length === 0 ? (
        <EmptyState icon={Images} title={search || before ? 'No images found' : 'No images yet'}>
          {search || before ? 'Try another search.' : 'Upload one here, or paste it into a post.'}
        </EmptyState>
      ) : (
        <ul aria-label="Images" className="grid grid-cols-1 gap-6 md:grid-cols-2">
          {images.map((image) => (
            <li key={image.id}>
              <ImageCard image={image} actor={actor} />
            </li>
          ))}
        </ul>
      )}
      {next && (
        <Link
          href={pathWithQuery('/content/images', { search, before: next })}
          className={buttonVariants({ variant: 'outline', className: 'mt-3' })}
        >
          Older images
        </Link>
      )}
    </Page>
  )
}
