import { Ellipsis } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import type { ComponentProps } from 'react'
import { getTimeFormat } from '@/core/time/get-time-format'
import { cn } from '@/core/ui/cn'
import { RelativeTime } from '@/core/ui/relative-time'
import { SelectAll } from '@/core/ui/selection-form'
import { rowLinkClass, Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import type { DraftRow } from '../../drafts'
import { Author } from '../author'
import { PostStatus } from '../status-badge'
import { PostRowMenu, type RowRights } from './post-row-menu'

/** On phones an item has two lines: the title, then status and time. */
const phoneRow = 'max-sm:grid-cols-[auto_minmax(0,1fr)_auto_auto]! max-sm:gap-x-1.5!'

/** A page of posts. `from` is the list to return to. */
export function PostTable({
  posts,
  path,
  from,
  rightsOf,
}: {
  posts: DraftRow[]
  /** The path that the path of each post begins with. */
  path: Route
  from: string
  rightsOf: (post: DraftRow) => RowRights
}) {
  return (
    // The roles stay when CSS shows the table as a list.
    <Table label="Posts" isList role="table">
      <TableHead role="rowgroup" className="sm:sticky sm:top-13 sm:z-5 lg:top-14">
        <tr>
          <Heading>
            <span className="flex items-center gap-3">
              <span className="max-sm:hidden">
                <SelectAll />
              </span>
              Title
            </span>
          </Heading>
          <Heading>Status</Heading>
          <Heading data-hide="small">Author</Heading>
          <Heading>Updated</Heading>
          <Heading className="w-11">
            <span className="sr-only">Actions</span>
          </Heading>
        </tr>
      </TableHead>
      <TableBody role="rowgroup">
        {posts.map((post) => (
          <PostRow key={post.id} post={post} path={path} from={from} rights={rightsOf(post)} />
        ))}
      </TableBody>
    </Table>
  )
}

const Heading = (props: ComponentProps<typeof TableHeading>) => <TableHeading role="columnheader" {...props} />
const Cell = (props: ComponentProps<typeof TableCell>) => <TableCell role="cell" {...props} />

function PostRow({ post, path, from, rights }: { post: DraftRow; path: Route; from: string; rights: RowRights }) {
  return (
    <TableRow role="row" className={phoneRow}>
      <Cell className="max-sm:col-span-3 max-sm:col-start-1 max-sm:row-start-1 sm:w-full sm:max-w-0">
        <div className="flex items-center gap-3">
          <label className="relative z-1 -m-2 grid size-8 shrink-0 place-items-center">
            <input type="checkbox" name="ids" value={post.id} data-slot="select" />
            <span className="sr-only">Select {post.title}</span>
          </label>
          <div className="min-w-0 flex-1">
            <Link
              href={`${path}/${post.id}` as Route}
              prefetch={false}
              className={cn('block truncate font-medium leading-4.5', rowLinkClass)}
            >
              {post.title}
            </Link>
            {post.summary && (
              <span className="block truncate text-[0.78125rem] text-muted-foreground leading-4.25">
                {post.summary}
              </span>
            )}
          </div>
        </div>
      </Cell>
      <Cell className="max-sm:col-start-1 max-sm:row-start-2 max-sm:ms-7 max-sm:text-xs">
        <PostStatus
          status={post.status}
          hasChanges={post.publishedNumber !== null && post.publishedNumber !== post.draft}
        />
        {post.scheduledAt && <ScheduledTime at={post.scheduledAt} />}
      </Cell>
      <Cell data-hide="small">
        <Author id={post.authorId} name={post.authorName} image={post.authorImage} />
      </Cell>
      <Cell className="whitespace-nowrap text-muted-foreground max-sm:col-start-2 max-sm:row-start-2 max-sm:text-xs">
        <span aria-hidden="true" className="sm:hidden">
          ·{' '}
        </span>
        <RelativeTime at={post.updatedAt} />
      </Cell>
      <Cell className="ps-0 pe-2 max-sm:col-start-4 max-sm:row-span-2 max-sm:row-start-1">
        <PostRowMenu post={post} path={path} from={from} rights={rights}>
          <Ellipsis aria-hidden="true" className="size-3.75" />
        </PostRowMenu>
      </Cell>
    </TableRow>
  )
}

async function ScheduledTime({ at }: { at: Date }) {
  const times = await getTimeFormat()
  return (
    <time dateTime={at.toISOString()} className="block ps-3.75 text-muted-foreground text-xs max-sm:hidden">
      {times.dateTime(at)}
    </time>
  )
}
