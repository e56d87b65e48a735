import Link from 'next/link'
import { requirePermission } from '@/core/auth/actor'
import { isAllowed } from '@/core/auth/policy'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { alertVariants, Card } from '@/core/ui/surface'
import { Cover } from '../../_components/article'
import { CoverField } from '../../_components/cover-field'
import { Editor } from '../../_components/editor'
import { PreviewLink } from '../../_components/preview-link'
import { StatusBadge } from '../../_components/status-badge'
import { createPreview, deletePost, endPreviews, removeCover, unpublishPost, unschedulePost } from '../../actions'
import type { Draft } from '../../drafts'
import { openPost } from '../../opened'
import { can } from '../../policy'
import { mayDelete } from '../../posts'
import { postAddress } from '../../shown'

export const metadata = { title: 'Write' }

const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
const small = (variant: 'outline' | 'destructive') => buttonVariants({ variant, size: 'small' })

export default async function PostPage({ params, searchParams }: PageProps<'/content/[id]'>) {
  const [{ id }, { done }] = await Promise.all([params, searchParams])
  const actor = await requirePermission(can('posts.write'), `/content/${id}`)
  const post = await openPost(actor, id)
  const { title, slug, summary, tags, body } = post
  return (
    <div className="grid grid-cols-1 gap-6">
      <p>
        <Link href="/content" className="text-muted-foreground text-sm underline-offset-4 hover:underline">
          All posts
        </Link>
      </p>
      <div className="grid gap-2">
        <h1 className="wrap-anywhere font-semibold text-2xl">{title}</h1>
        <Standing post={post} />
      </div>
      {done === 'restored' && (
        <p role="status" className={alertVariants({ tone: 'success' })}>
          The old text is the newest version now. What the public sees has not changed.
        </p>
      )}
      <Editor
        post={{
          id,
          userId: actor.id,
          version: post.version,
          fields: { title, slug, summary, tags: tags.join(', '), body },
        }}
        mayPublish={isAllowed(actor.role, can('posts.publish'))}
        at={post.scheduledAt?.toISOString().slice(0, 16) ?? ''}
        classes={{
          primary: buttonVariants(),
          secondary: buttonVariants({ variant: 'secondary' }),
          outline: buttonVariants({ variant: 'outline' }),
          danger: alertVariants({ tone: 'danger' }),
          warning: alertVariants({ tone: 'warning' }),
        }}
      />
      <div className="grid grid-cols-1 gap-6 md:grid-cols-2">
        <Card className="grid content-start gap-4">
          <h2 className="font-semibold">Cover</h2>
          {post.coverId && <Cover id={post.coverId} className="max-h-48 w-full" />}
          <CoverField postId={id} />
          {post.coverId && (
            <ActionForm action={removeCover}>
              <input type="hidden" name="id" value={id} />
              <SubmitButton className={small('outline')}>Remove the cover</SubmitButton>
              <FormMessage className={alertVariants({ tone: 'danger' })} />
            </ActionForm>
          )}
        </Card>
        <Card className="grid content-start gap-4">
          <h2 className="font-semibold">Preview</h2>
          <p className="text-muted-foreground text-sm">
            A link shows the newest text to whoever has it, for a week, without an account.
          </p>
          <ActionForm action={createPreview} className="grid justify-items-start gap-3">
            <input type="hidden" name="id" value={id} />
            <FormMessage className={alertVariants({ tone: 'danger' })} />
            <PreviewLink className="wrap-anywhere text-sm" buttonClassName={small('outline')} />
            <SubmitButton className={small('outline')}>Make a link</SubmitButton>
          </ActionForm>
          <ActionForm action={endPreviews}>
            <input type="hidden" name="id" value={id} />
            <FormMessage
              className={alertVariants({ tone: 'danger' })}
              done="No link shows this post any more."
              doneClassName="text-sm"
            />
            <SubmitButton className={small('outline')}>End all links</SubmitButton>
          </ActionForm>
        </Card>
      </div>
      {mayDelete(actor, post.authorId) && (
        <details className="rounded-lg border p-4">
          <summary className="cursor-pointer font-medium text-sm">Delete this post</summary>
          <ActionForm action={deletePost} className="mt-4 grid justify-items-start gap-3">
            <input type="hidden" name="id" value={id} />
            <p className="text-sm">It goes with all its versions, and cannot be brought back.</p>
            <FormMessage className={alertVariants({ tone: 'danger' })} />
            <SubmitButton className={small('destructive')}>Delete for good</SubmitButton>
          </ActionForm>
        </details>
      )}
    </div>
  )
}

/** What the public sees, and what comes next. */
function Standing({ post }: { post: Draft }) {
  const { id, status, draft, publishedNumber, publishedSlug, scheduled, scheduledAt } = post
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
      <StatusBadge status={status} hasChanges={publishedNumber !== null && publishedNumber !== draft} />
      <Link href={`/content/${id}/versions`} className="underline underline-offset-4">
        Version {draft}
      </Link>
      {publishedSlug && publishedNumber && (
        <>
          <Link href={postAddress(publishedSlug)} className="underline underline-offset-4">
            {publishedNumber === draft ? 'See it' : `See version ${publishedNumber}, which is public`}
          </Link>
          <ActionForm action={unpublishPost}>
            <input type="hidden" name="id" value={id} />
            <SubmitButton className={small('outline')}>Unpublish</SubmitButton>
            <FormMessage className={alertVariants({ tone: 'danger' })} />
          </ActionForm>
        </>
      )}
      {scheduledAt && (
        <>
          <span>
            Version {scheduled} is published on {exact.format(scheduledAt)} UTC
          </span>
          <ActionForm action={unschedulePost}>
            <input type="hidden" name="id" value={id} />
            <SubmitButton className={small('outline')}>Do not publish it then</SubmitButton>
            <FormMessage className={alertVariants({ tone: 'danger' })} />
          </ActionForm>
        </>
      )}
    </div>
  )
}
