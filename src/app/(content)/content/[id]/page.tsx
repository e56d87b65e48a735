import { History } from 'lucide-react'
import type { Route } from 'next'
import { headers } from 'next/headers'
import Link from 'next/link'
import { isAllowed } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { scopePath } from '@/core/scope'
import { getTimeFormat } from '@/core/time/get-time-format'
import { buttonVariants } from '@/core/ui/button'
import { Page } from '@/core/ui/page'
import { Alert } from '@/core/ui/surface'
import { Cover, prose } from '../../_components/article'
import { CodeStyle } from '../../_components/blog-style'
import { ConflictNotice } from '../../_components/editor/conflict-notice'
import { EditorMessage, SaveButton } from '../../_components/editor/editor-controls'
import { EditorForm } from '../../_components/editor/editor-form'
import { EditorPanes } from '../../_components/editor/editor-panes'
import { PreviewPane } from '../../_components/editor/preview-pane'
import { EditorForms, PublishMenu } from '../../_components/editor/publish-menu'
import { SaveStatus } from '../../_components/editor/save-status'
import { SettingsPanel } from '../../_components/editor/settings-panel'
import { ShareButton, ShareMenu } from '../../_components/editor/share-menu'
import { TextFooter } from '../../_components/editor/text-footer'
import { Toolbar } from '../../_components/editor/toolbar'
import { readView } from '../../_components/editor/view'
import { ViewSwitch } from '../../_components/editor/view-switch'
import { WritingPane } from '../../_components/editor/writing-pane'
import { ImageField } from '../../_components/image-field'
import { StatusBadge } from '../../_components/status-badge'
import { postPath } from '../../api-post'
import type { Draft } from '../../drafts'
import { openPost } from '../../open-post'
import type { ContentPageProps } from '../../page-props'
import { can } from '../../policy'
import { mayDelete } from '../../posts'
import { renderDraft } from '../../render-draft'
import { contentPath } from '../../require-posts'

export const metadata = { title: 'Edit post' }

export default async function PostPage({ params, searchParams }: ContentPageProps<{ id: string }>) {
  const [{ id, scope: name }, { done, view }] = await Promise.all([params, searchParams])
  const actor = await requirePermission(can('posts.write'), contentPath(name, `/${id}`), name)
  const scope = actor.scope?.slug
  const list = scopePath(actor.scope, '/content')
  const post = await openPost(actor, id)
  const { version, title, slug, summary, tags, body, coverId } = post
  const mayPublish = isAllowed(actor.role, can('posts.publish'))
  const isApple = /Mac OS|iPhone|iPad/.test((await headers()).get('user-agent') ?? '')
  const fields = { title, slug, summary, tags: tags.join(', '), body }
  return (
    <>
      <CodeStyle />
      <EditorForm post={{ id, scope, userId: actor.id, version, fields }} view={readView(view)}>
        <Page
          title={title}
          crumbs={[{ label: 'Posts', href: list }]}
          // The title is a field of the page.
          heading={<h1 className="sr-only">{title}</h1>}
          isFlush
          tools={
            <>
              <SaveButton />
              {mayPublish && <PublishMenu post={post} path={list} mayDelete={mayDelete(actor, post.authorId)} />}
            </>
          }
        >
          <EditorBar post={post} versionsHref={`${list}/${id}/versions` as Route} />
          <div className="px-4 not-empty:pb-4 lg:px-7">
            {done === 'restored' && (
              <Alert as="p" tone="success" role="status" className="mt-4">
                Version restored as a draft.{post.publishedNumber !== null && ' The published post hasn’t changed.'}
              </Alert>
            )}
            <EditorMessage />
            <ConflictNotice />
          </div>
          <EditorPanes panel={<SettingsPanel post={post} mayPublish={mayPublish} hasImages={!scope} />}>
            <WritingPane
              toolbar={<Toolbar hasImages={!scope} />}
              footer={
                <>
                  {!scope && <ImageField />}
                  <TextFooter modifier={isApple ? '⌘' : 'Ctrl'} />
                </>
              }
            />
            <PreviewPane
              html={await renderDraft(body)}
              proseClass={prose}
              cover={coverId && <Cover id={coverId} className="max-h-120 w-full" />}
            />
          </EditorPanes>
        </Page>
      </EditorForm>
      <EditorForms id={id} scope={scope} />
      <ShareMenu postId={id} scope={scope} />
    </>
  )
}

/** The state of the post, and the other pages and views of it. */
async function EditorBar({ post, versionsHref }: { post: Draft; versionsHref: Route }) {
  const { status, draft, publishedNumber, publishedSlug, scheduled, scheduledAt } = post
  const times = await getTimeFormat()
  const path = publishedSlug === null ? null : postPath(publishedSlug)
  const scheduledFor = scheduledAt && times.dateTime(scheduledAt)
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b px-4 py-1.5 text-sm lg:px-7">
      <StatusBadge status={status} hasChanges={publishedNumber !== null && publishedNumber !== draft} />
      {path && (
        <Link href={path} className="underline underline-offset-4">
          {publishedNumber === draft ? 'View post' : 'View published version'}
        </Link>
      )}
      {scheduledFor && (
        <span>
          {scheduled === draft ? 'Scheduled' : `Version ${scheduled} is scheduled`} for {scheduledFor}
        </span>
      )}
      <SaveStatus scheduled={scheduledFor} path={path} timeZone={times.timeZone} />
      <div className="flex flex-wrap items-center gap-2 sm:ms-auto">
        <ViewSwitch />
        <Link href={versionsHref} prefetch={false} className={buttonVariants({ variant: 'ghost', size: 'small' })}>
          <History aria-hidden="true" />
          Version {draft}
        </Link>
        <ShareButton />
      </div>
    </div>
  )
}
