import Link from 'next/link'
import { requirePermission } from '@/core/auth/actor'
import { Moment } from '@/core/ui/moment'
import { Heading } from '@/core/ui/section'
import { Badge } from '@/core/ui/surface'
import { Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { findRevisions } from '../../../drafts'
import { numberOf } from '../../../numbers'
import { openPost } from '../../../opened'
import { can } from '../../../policy'

export const metadata = { title: 'Versions' }

export default async function VersionsPage({ params, searchParams }: PageProps<'/content/[id]/versions'>) {
  const [{ id }, { below }] = await Promise.all([params, searchParams])
  const actor = await requirePermission(can('posts.write'), `/content/${id}/versions`)
  const post = await openPost(actor, id)
  const revisions = await findRevisions(id, numberOf(below) ?? undefined)
  const last = revisions.at(-1)
  return (
    <div className="grid grid-cols-1 gap-6">
      <p>
        <Link href={`/content/${id}`} className="text-muted-foreground text-sm underline-offset-4 hover:underline">
          Back to the text
        </Link>
      </p>
      <Heading title={`Versions of “${post.title}”`}>
        Each stays as it was. Open one to compare it with another, or to go back to it.
      </Heading>
      <Table label="Versions" className="min-w-xl">
        <TableHead>
          <tr>
            <TableHeading>Version</TableHeading>
            <TableHeading>Title</TableHeading>
            <TableHeading>By</TableHeading>
            <TableHeading>Written</TableHeading>
          </tr>
        </TableHead>
        <TableBody>
          {revisions.map(({ number, title, isAside, restoredFrom, authorName, updatedAt }) => (
            <TableRow key={number}>
              <TableCell>
                <span className="flex flex-wrap items-center gap-2">
                  <Link
                    href={`/content/${id}/versions/${number}`}
                    prefetch={false}
                    className="font-medium underline underline-offset-4"
                  >
                    {number}
                  </Link>
                  {number === post.draft && <Badge>newest</Badge>}
                  {number === post.publishedNumber && <Badge tone="success">public</Badge>}
                  {number === post.scheduled && <Badge tone="warning">scheduled</Badge>}
                  {isAside && <Badge>set aside</Badge>}
                  {restoredFrom && <Badge>as {restoredFrom}</Badge>}
                </span>
              </TableCell>
              <TableCell className="max-w-80 wrap-anywhere">{title}</TableCell>
              <TableCell>{authorName ?? 'Somebody who has left'}</TableCell>
              <TableCell className="whitespace-nowrap">
                <Moment at={updatedAt} />
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
      {last && last.number > 1 && (
        <Link href={`/content/${id}/versions?below=${last.number}`} className="text-sm underline underline-offset-4">
          Older versions
        </Link>
      )}
    </div>
  )
}
