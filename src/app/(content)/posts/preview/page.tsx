import { notFound, redirect } from 'next/navigation'
import { alertVariants } from '@/core/ui/surface'
import { Article } from '../../_components/article'
import { PublicFrame } from '../../_components/public-frame'
import { toHtml } from '../../markdown'
import { findPreview } from '../../previews'

export const metadata = { title: 'Preview', robots: { index: false, follow: false } }

/** The newest text of a post, for whoever has the link. */
export default async function PreviewPage({ searchParams }: PageProps<'/posts/preview'>) {
  const { token } = await searchParams
  // Nobody was given an address without one.
  if (token === undefined) redirect('/posts')
  const post = typeof token === 'string' ? await findPreview(token) : null
  if (!post) notFound()
  return (
    <PublicFrame>
      <div className="grid grid-cols-1 gap-6">
        <p className={alertVariants({ tone: 'warning' })}>
          A preview of the newest text, which may still change. The public may see another one, or none.
        </p>
        <Article {...post} html={toHtml(post.body)} at={post.updatedAt} author={null} />
      </div>
    </PublicFrame>
  )
}
