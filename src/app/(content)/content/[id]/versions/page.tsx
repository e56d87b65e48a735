import type { Route } from 'next'
import Link from 'next/link'
import { requirePermission } from '@/core/auth/session/actor'
import { scopePath } from '@/core/scope'
import { buttonVariants } from '@/core/ui/button'
import { Page } from '@/core/ui/page'
import { RelativeTime } from '@/core/ui/relative-time'
import { Badge } from '@/core/ui/surface'
import { rowLinkClass, Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { Author } from '../../../_components/author'
import { findRevisions } from '../../../drafts'
import { openPost } from '../../../open-post'
import type { ContentPageProps } from '../../../page-props'
import { can } from '../../../policy'
import { contentPath } from '../../../require-posts'
import { parseRevisionNumber } from '../../../revision-number'

export const metadata = { title: 'Version history' }

export default async function VersionsPage({ params, searchParams }: ContentPageProps<{ id: string }>) {
  const [{ id, scope: name }, { below }] = await Promise.all([params, searchParams])
  const actor = await requirePermission(can('posts.write'), contentPath(name, `/${id}/versions`), name)
  const list = scopePath(actor.scope, '/content')
  const editor = `${list}/${id}` as Route
  const post = await openPost(actor, id)
  const revisions = await findRevisions(actor, id, parseRevisionNumber(below) ?? undefined)
  const last = revisions.at(-1)
  return (
    <Page
      title="Version history"
      crumbs={[
        { label: 'Posts', href: list },
        { label: post.title, href: editor },
      ]}
      lead="Open a version to compare or restore it."
      actions={
        <Link href={editor} className={buttonVariants({ variant: 'outline' })}>
          Back to editor
        </Link>
      }
    >
      <Table label="Versions" isList>
        <TableHead>
          <tr>
            <TableHeading>Version</TableHeading>
            <TableHeading>Title</TableHeading>
            <TableHeading>Author</TableHeading>
            <TableHeading>Saved</TableHeading>
          </tr>
        </TableHead>
        <TableBody>
          {revisions.map(({ number, title, isAside, restoredFrom, authorId, authorName, authorImage, updatedAt }) => (
            <TableRow key={number}>
              <TableCell className="py-2 max-sm:col-span-3">
                <span className="flex flex-wrap items-center gap-2">
                  <Link
                    href={`${editor}/versions/${number}` as Route}
                    prefetch={false}
                    className={`font-medium ${rowLinkClass}`}
                  >
                    <span className="sm:sr-only">Version </span>
                    {number}
                  </Link>
                  {number === post.draft && <Badge>Latest</Badge>}
                  {number === post.publishedNumber && <Badge tone="success">Published</Badge>}
                  {number === post.scheduled && <Badge tone="warning">Scheduled</Badge>}
                  {isAside && <Badge>Conflict copy</Badge>}
                  {restoredFrom && <Badge>Restored from v{restoredFrom}</Badge>}
                </span>
              </TableCell>
              <TableCell className="py-2 max-sm:col-span-3">
                <span className="wrap-anywhere line-clamp-2">{title}</span>
              </TableCell>
              <TableCell className="max-sm:col-span-2">
                <Author id={authorId} name={authorName} image={authorImage} />
              </TableCell>
              <TableCell className="whitespace-nowrap text-muted-foreground">
                <RelativeTime at={updatedAt} />
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
      {last && last.number > 1 && (
        <Link
          href={`${editor}/versions?below=${last.number}` as Route}
          className={buttonVariants({ variant: 'outline', className: 'mt-3' })}
        >
          Older versions
        </Link>
      )}
    </Page>
  )
}
