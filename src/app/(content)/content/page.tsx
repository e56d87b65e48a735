import { Plus, SquarePen } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { isAllowed } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { scopePath } from '@/core/scope'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { MenuNavigation } from '@/core/ui/menu-navigation'
import { Page } from '@/core/ui/page'
import { pathWithQuery } from '@/core/ui/path-with-query'
import { ScopeField } from '@/core/ui/scope-field'
import { SelectionForm } from '@/core/ui/selection-form'
import { EmptyState } from '@/core/ui/surface'
import { Tabs } from '@/core/ui/tabs'
import { duplicateFormId } from '../_components/list/post-row-menu'
import { PostTable } from '../_components/list/post-table'
import { SearchForm } from '../_components/list/search-form'
import { SelectionBar } from '../_components/list/selection-bar'
import { createPost, duplicatePost } from '../actions'
import { countDrafts, DraftQuery, findDrafts } from '../drafts'
import type { ContentPageProps } from '../page-props'
import { can } from '../policy'
import { mayDelete } from '../posts'
import { arePostsEnabled, contentPath } from '../require-posts'

export const metadata = { title: 'Posts' }

const tabs = [
  { label: 'All', count: 'all', query: {} },
  { label: 'Mine', count: 'mine', query: { mine: '1' } },
  { label: 'Drafts', count: 'draft', query: { status: 'draft' } },
  { label: 'Scheduled', count: 'scheduled', query: { status: 'scheduled' } },
  { label: 'Published', count: 'published', query: { status: 'published' } },
] as const satisfies readonly { label: string; count: string; query: Pick<DraftQuery, 'status' | 'mine'> }[]

export default async function ContentPage({ params, searchParams }: ContentPageProps) {
  const [{ scope: name }, { done, ...given }] = await Promise.all([params, searchParams])
  const actor = await requirePermission(can('posts.write'), contentPath(name), name)
  const { scope } = actor
  if (!arePostsEnabled(scope)) notFound()
  const list = scopePath(scope, '/content')
  const pathWith = (changed: Partial<DraftQuery>) => pathWithQuery(list, changed)
  const query = DraftQuery.parse(given)
  const { before, ...filter } = query
  const [{ posts, next }, counts] = await Promise.all([findDrafts(actor, query), countDrafts(actor)])
  const mayPublish = isAllowed(actor.role, can('posts.publish'))
  const path = pathWith(query)
  return (
    <Page
      title="Posts"
      lead="Drafts stay private until you publish them."
      actions={
        !scope && (
          <Link href="/content/images" prefetch={false} className={buttonVariants({ variant: 'outline' })}>
            Images
          </Link>
        )
      }
      primary={<NewPost scope={scope?.slug} />}
    >
      <Tabs
        label="Posts"
        tabs={tabs.map((tab) => {
          const own: Pick<DraftQuery, 'status' | 'mine'> = tab.query
          return {
            label: tab.label,
            href: pathWith({ search: filter.search, ...own }),
            isCurrent: own.status === filter.status && own.mine === filter.mine,
            // They count all posts, not those that a search finds.
            count: filter.search ? undefined : counts[tab.count],
          }
        })}
      />
      <SearchForm path={list} query={query} />
      {posts.length === 0 ? (
        <NoPosts query={query} pathWith={pathWith} />
      ) : (
        <MenuNavigation>
          {/* Another list, or the list after an action, begins without a selection. */}
          <SelectionForm key={done ? crypto.randomUUID() : path} action={`${list}/publish` as Route}>
            <PostTable
              posts={posts}
              path={list}
              from={path}
              rightsOf={({ authorId }) => ({ mayPublish, mayDelete: mayDelete(actor, authorId) })}
            />
            <SelectionBar path={list} mayPublish={mayPublish} mayDelete={isAllowed(actor.role, can('posts.delete'))} />
            <input type="hidden" name="from" value={path} />
          </SelectionForm>
        </MenuNavigation>
      )}
      {/* For the buttons in the rows: a form cannot contain another one. */}
      <ActionForm id={duplicateFormId} action={duplicatePost}>
        <ScopeField slug={scope?.slug} />
        <FormMessage className="mt-3" />
      </ActionForm>
      {next && (
        <Link
          href={pathWith({ ...filter, before: next })}
          className={buttonVariants({ variant: 'outline', className: 'mt-3' })}
        >
          Older posts
        </Link>
      )}
    </Page>
  )
}

/** Creates a draft at once: its title is set in the editor, as everything else. */
function NewPost({ scope }: { scope: string | undefined }) {
  return (
    <ActionForm action={createPost} className="relative">
      <input type="hidden" name="title" value="Untitled post" />
      <ScopeField slug={scope} />
      <SubmitButton aria-keyshortcuts="c">
        <Plus aria-hidden="true" />
        New post
      </SubmitButton>
      <FormMessage className="absolute end-0 top-full z-10 mt-1.5 w-64 shadow-e2" />
    </ActionForm>
  )
}

function NoPosts({
  query: { search, status, mine, before },
  pathWith,
}: {
  query: DraftQuery
  pathWith: (changed: Partial<DraftQuery>) => Route
}) {
  if (search)
    return (
      <EmptyState
        title="No posts match"
        action={
          <Link href={pathWith({ status, mine })} prefetch={false} className={buttonVariants({ variant: 'outline' })}>
            Clear search
          </Link>
        }
      >
        Try different or fewer words.
      </EmptyState>
    )
  if (status || mine || before)
    return (
      <EmptyState title="No posts found">
        {before ? 'No older posts.' : 'Choose another filter or create a post.'}
      </EmptyState>
    )
  return (
    <EmptyState icon={SquarePen} title="No posts yet">
      Create your first post to get started.
    </EmptyState>
  )
}
