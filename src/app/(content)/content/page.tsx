import Link from 'next/link'
import { requirePermission } from '@/core/auth/actor'
import { addressWith } from '@/core/ui/address-with'
import { buttonVariants } from '@/core/ui/button'
import { navLinkClass } from '@/core/ui/control'
import { ActionForm, Field, FormMessage, SubmitButton } from '@/core/ui/form'
import { Moment } from '@/core/ui/moment'
import { Heading } from '@/core/ui/section'
import { alertVariants, EmptyState } from '@/core/ui/surface'
import { Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { StatusBadge } from '../_components/status-badge'
import { createPost } from '../actions'
import { DraftQuery, findDrafts } from '../drafts'
import { can } from '../policy'

export const metadata = { title: 'Write' }

type Query = Partial<Record<'status' | 'mine' | 'before', string>>

const addressOf = (query: Query) => addressWith('/content', query)

const parts: { label: string; query: Query }[] = [
  { label: 'All', query: {} },
  { label: 'Mine', query: { mine: '1' } },
  { label: 'Drafts', query: { status: 'draft' } },
  { label: 'Scheduled', query: { status: 'scheduled' } },
  { label: 'Published', query: { status: 'published' } },
]

export default async function ContentPage({ searchParams }: PageProps<'/content'>) {
  const { done, ...params } = await searchParams
  const actor = await requirePermission(can('posts.write'), '/content')
  const { status, mine, before } = DraftQuery.parse(params)
  const filter = { ...(status && { status }), ...(mine && { mine }) }
  const { posts, next } = await findDrafts(actor, { ...filter, before })
  return (
    <div className="grid grid-cols-1 gap-6">
      <Heading title="Write">Posts, those changed last first. Nothing is public before it is published.</Heading>
      {done === 'deleted' && (
        <p role="status" className={alertVariants({ tone: 'success' })}>
          The post is deleted.
        </p>
      )}
      <ActionForm action={createPost} className="grid gap-3">
        <FormMessage className={alertVariants({ tone: 'danger' })} />
        <div className="flex flex-wrap items-end gap-3">
          <Field label="New post" name="title" placeholder="Its title" maxLength={200} className="min-w-64 flex-1" />
          <SubmitButton className={buttonVariants()}>Begin</SubmitButton>
        </div>
      </ActionForm>
      <nav aria-label="Posts" className="flex flex-wrap gap-1 border-b pb-2">
        {parts.map(({ label, query }) => {
          const isCurrent = query.status === filter.status && query.mine === filter.mine
          return (
            <Link
              key={label}
              href={addressOf(query)}
              aria-current={isCurrent ? 'page' : undefined}
              className={navLinkClass}
            >
              {label}
            </Link>
          )
        })}
      </nav>
      {posts.length === 0 ? (
        <EmptyState title="There is nothing here">
          {before ? 'There is nothing older.' : 'Give a post a title, and begin to write.'}
        </EmptyState>
      ) : (
        <Table label="Posts" className="min-w-2xl">
          <TableHead>
            <tr>
              <TableHeading>Title</TableHeading>
              <TableHeading>Status</TableHeading>
              <TableHeading>By</TableHeading>
              <TableHeading>Changed</TableHeading>
            </tr>
          </TableHead>
          <TableBody>
            {posts.map((post) => (
              <TableRow key={post.id}>
                <TableCell className="max-w-80">
                  <Link
                    href={`/content/${post.id}`}
                    prefetch={false}
                    className="line-clamp-2 font-medium wrap-anywhere underline-offset-4 hover:underline"
                  >
                    {post.title}
                  </Link>
                </TableCell>
                <TableCell>
                  <StatusBadge
                    {...post}
                    hasChanges={post.publishedNumber !== null && post.publishedNumber !== post.draft}
                  />
                </TableCell>
                <TableCell>{post.authorName ?? 'Somebody who has left'}</TableCell>
                <TableCell className="whitespace-nowrap">
                  <Moment at={post.updatedAt} />
                </TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      )}
      {next && (
        <Link
          href={addressOf({ ...filter, before: next })}
          className={buttonVariants({ variant: 'outline', className: 'justify-self-start' })}
        >
          Older
        </Link>
      )}
    </div>
  )
}
