import { diffWordsWithSpace } from 'diff'
import Form from 'next/form'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { requirePermission } from '@/core/auth/actor'
import { buttonVariants } from '@/core/ui/button'
import { inputClass, labelClass } from '@/core/ui/control'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { Moment } from '@/core/ui/moment'
import { Heading } from '@/core/ui/section'
import { alertVariants } from '@/core/ui/surface'
import { restoreRevision } from '../../../../actions'
import { findTexts } from '../../../../drafts'
import { numberOf } from '../../../../numbers'
import { openPost } from '../../../../opened'
import { can } from '../../../../policy'

export const metadata = { title: 'Version' }

/** One version, beside another: what the other one has instead. */
export default async function VersionPage({ params, searchParams }: PageProps<'/content/[id]/versions/[number]'>) {
  const [{ id, number: given }, { with: wanted }] = await Promise.all([params, searchParams])
  const actor = await requirePermission(can('posts.write'), `/content/${id}/versions/${given}`)
  const post = await openPost(actor, id)
  const number = numberOf(given)
  const other = numberOf(wanted) ?? post.draft
  if (number === null) notFound()
  const texts = await findTexts(id, number, other)
  if (!texts) notFound()
  const [one, two] = texts
  return (
    <div className="grid grid-cols-1 gap-6">
      <p>
        <Link
          href={`/content/${id}/versions`}
          className="text-muted-foreground text-sm underline-offset-4 hover:underline"
        >
          All versions
        </Link>
      </p>
      <Heading title={`Version ${number}`}>
        By {one.authorName ?? 'somebody who has left'}, <Moment at={one.updatedAt} />.
        {number === other ? '' : ` Marked is what version ${other} has instead.`}
      </Heading>
      <div className="flex flex-wrap items-end gap-3">
        <Form action={`/content/${id}/versions/${number}`} className="flex items-end gap-2">
          <div className="grid gap-1.5">
            <label htmlFor="with" className={labelClass}>
              Compare with version
            </label>
            <input
              id="with"
              name="with"
              type="number"
              min={1}
              defaultValue={other}
              key={other}
              className={`${inputClass} w-28`}
            />
          </div>
          <button type="submit" className={buttonVariants({ variant: 'secondary' })}>
            Compare
          </button>
        </Form>
        {number !== post.draft && (
          <ActionForm action={restoreRevision}>
            <input type="hidden" name="id" value={id} />
            <input type="hidden" name="number" value={number} />
            <SubmitButton className={buttonVariants({ variant: 'outline' })}>Go on from version {number}</SubmitButton>
            <FormMessage className={alertVariants({ tone: 'danger' })} />
          </ActionForm>
        )}
      </div>
      <dl className="grid grid-cols-1 gap-4">
        {(['title', 'slug', 'summary', 'tags', 'body'] as const).map((name) => (
          <div key={name} className="grid gap-1">
            <dt className="font-medium text-sm">{labels[name]}</dt>
            <dd className="whitespace-pre-wrap wrap-anywhere rounded-md border bg-card p-3 text-sm">
              <Difference one={textOf(one[name])} other={textOf(two[name])} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

const labels = { title: 'Title', slug: 'Address', summary: 'Summary', tags: 'Tags', body: 'Text' }
const looks = {
  same: ['span', ''],
  added: ['ins', 'bg-success/15 text-success no-underline'],
  removed: ['del', 'bg-destructive/10 text-destructive'],
} as const
const textOf = (value: string | string[]) => (Array.isArray(value) ? value.join(', ') : value)

function Difference({ one, other }: { one: string; other: string }) {
  if (one === '' && other === '') return <span className="text-muted-foreground">nothing</span>
  // Of texts that have little in common, the way from one to the other is long: shown whole instead.
  const parts = diffWordsWithSpace(one, other, { timeout: 100 }) ?? [
    { value: one, removed: true, added: false },
    { value: other, removed: false, added: true },
  ]
  let at = 0
  return parts.map(({ value, added, removed }) => {
    at += value.length
    const [Tag, look] = added ? looks.added : removed ? looks.removed : looks.same
    return (
      <Tag key={at} className={look}>
        {value}
      </Tag>
    )
  })
}
