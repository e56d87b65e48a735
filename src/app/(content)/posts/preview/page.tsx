import { notFound, redirect } from 'next/navigation'
import { Alert } from '@/core/ui/surface'
import { Article } from '../../_components/article'
import { PublicFrame } from '../../_components/public-frame'
import { renderBody } from '../../_images/render-body'
import { findPreview } from '../../previews'

/** Anyone who has the link sees the draft. */
export const access = 'public'

export const metadata = { title: 'Preview', robots: { index: false, follow: false } }

/** The draft of a post, for callers with a valid preview token. */
export default async function PreviewPage({ searchParams }: PageProps<'/posts/preview'>) {
  const { token } = await searchParams
  // No preview link lacks the token, so this is not an expired link: show the list.
  if (token === undefined) redirect('/posts')
  const post = typeof token === 'string' ? await findPreview(token) : null
  if (typeof token !== 'string' || !post) notFound()
  return (
    <PublicFrame>
      <div className="grid grid-cols-1 gap-6">
        <Alert as="p" tone="warning">
          Draft preview. This might not be published yet and can still change.
        </Alert>
        <Article {...post} html={await renderBody(post.body, { token })} at={post.updatedAt} />
      </div>
    </PublicFrame>
  )
}
