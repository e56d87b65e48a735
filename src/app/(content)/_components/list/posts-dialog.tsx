import { redirect } from 'next/navigation'
import { z } from 'zod'
import type { ScopedActor } from '@/core/auth/session/actor'
import { scopePath } from '@/core/scope'
import { DialogForm } from '@/core/ui/dialog-form'
import { deletePost, deletePosts, publishPosts, unpublishPosts } from '../../actions'
import { findSelectedPosts, maxSelected, type SelectedPost } from '../../bulk-posts'
import { can } from '../../policy'
import { contentReturnPath } from '../../results'
import { PostStatus } from '../status-badge'

const shownPosts = 5

/** The parameters of a page. */
type Query = Record<string, string | string[] | undefined>

/** The ids in `?ids=`, which a form repeats. */
function selectedIds({ ids }: Query): string[] {
  const given = [ids ?? []].flat().map((id) => id.toLowerCase())
  return [...new Set(given)].filter((id) => z.uuid().safeParse(id).success).slice(0, maxSelected)
}

/** What a user is about to do to the selected posts, as a dialog or as a page. The caller has checked the permission. */
export async function PostsDialog({
  act,
  frame,
  actor,
  query,
}: {
  act: 'publish' | 'unpublish' | 'delete'
  frame: 'dialog' | 'page'
  actor: ScopedActor
  query: Query
}) {
  const returnTo = contentReturnPath(query.from, actor.scope)
  const list = scopePath(actor.scope, '/content')
  const scopeField: Record<string, string> = actor.scope ? { scope: actor.scope.slug } : {}
  const ids = selectedIds(query)
  if (ids.length === 0) redirect(returnTo)
  const others = can(act === 'delete' ? 'posts.delete_others' : 'posts.write_others')
  const posts = await findSelectedPosts(actor, ids, others)
  const [first] = posts
  const what = posts.length === 1 && first ? `“${first.title}”` : `${posts.length} posts`
  const button = posts.length === 1 ? 'post' : `${posts.length} posts`
  const props = {
    frame,
    path: `${list}/${act}?${new URLSearchParams(ids.map((id) => ['ids', id]))}`,
    cancelHref: returnTo,
    crumbs: [{ label: 'Posts', href: list }],
    fields: { ids: posts.map(({ id }) => id), returnTo, ...scopeField },
    fieldNames: ['ids', 'slug'],
    reason: posts.length > 0 ? undefined : 'You can’t change these posts, or they no longer exist.',
  }
  const selected = posts.length > 1 && (
    <SelectedPosts posts={posts} note={posts.length < ids.length ? 'Posts you can’t change are left out.' : null} />
  )
  if (act === 'publish')
    return (
      <DialogForm
        {...props}
        title={`Publish ${what}?`}
        consequences={['Everyone can read the latest draft at once.']}
        action={publishPosts}
        submit={`Publish ${button}`}
      >
        {selected}
      </DialogForm>
    )
  if (act === 'unpublish')
    return (
      <DialogForm
        {...props}
        title={`Unpublish ${what}?`}
        consequences={['Readers get “Page not found” at once.', 'The text and its versions stay.']}
        action={unpublishPosts}
        submit={`Unpublish ${button}`}
      >
        {selected}
      </DialogForm>
    )
  if (posts.length === 1 && first)
    return (
      <DialogForm
        {...props}
        title={`Delete ${what}?`}
        consequences={['Deletes the post and its version history. This can’t be undone.']}
        action={deletePost}
        fields={{ id: first.id, ...scopeField }}
        submit="Delete post"
        isDangerous
      />
    )
  return (
    <DialogForm
      {...props}
      title={`Delete ${what}?`}
      consequences={['Deletes the posts and their version histories. This can’t be undone.']}
      action={deletePosts}
      submit={`Delete ${button}`}
      isDangerous
    >
      {selected}
    </DialogForm>
  )
}

function SelectedPosts({ posts, note }: { posts: SelectedPost[]; note: string | null }) {
  const rest = posts.length - shownPosts
  return (
    <div className="grid grid-cols-1 gap-2 text-sm">
      <ul aria-label="Selected posts" className="grid grid-cols-1 gap-2">
        {posts.slice(0, shownPosts).map(({ id, title, status }) => (
          <li key={id} className="flex min-w-0 items-center gap-2.5">
            <span className="min-w-0 flex-1 truncate font-medium">{title}</span>
            <PostStatus status={status} />
          </li>
        ))}
      </ul>
      {rest > 0 && <p className="text-muted-foreground">and {rest} more</p>}
      {note && <p className="text-muted-foreground">{note}</p>}
    </div>
  )
}
