import type { Metadata, Route } from 'next'
import Form from 'next/form'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { requirePermission } from '@/core/auth/session/actor'
import { scopePath } from '@/core/scope'
import { buttonVariants } from '@/core/ui/button'
import { inputClass, labelClass } from '@/core/ui/control'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { Page } from '@/core/ui/page'
import { pathWithQuery } from '@/core/ui/path-with-query'
import { RelativeTime } from '@/core/ui/relative-time'
import { ScopeField } from '@/core/ui/scope-field'
import { Card } from '@/core/ui/surface'
import { Segments } from '@/core/ui/tabs'
import { prose } from '../../../../_components/article'
import { CodeStyle } from '../../../../_components/blog-style'
import { restoreRevision } from '../../../../actions'
import { fieldLabels, fieldNames, fieldText } from '../../../../compare-draft'
import { diffText } from '../../../../diff-text'
import { findRevisions, findTexts } from '../../../../drafts'
import { openPost } from '../../../../open-post'
import type { ContentPageProps } from '../../../../page-props'
import { can } from '../../../../policy'
import { renderDraft } from '../../../../render-draft'
import { contentPath } from '../../../../require-posts'
import { parseRevisionNumber } from '../../../../revision-number'

export async function generateMetadata({
  params,
}: Pick<ContentPageProps<{ number: string }>, 'params'>): Promise<Metadata> {
  const number = parseRevisionNumber((await params).number)
  return { title: number === null ? 'Version' : `Version ${number}` }
}

/** Shows a version: compared with another one, the draft by default, or as readers would see it. */
export default async function VersionPage({ params, searchParams }: ContentPageProps<{ id: string; number: string }>) {
  const [{ id, number: given, scope: name }, { with: otherParam, view }] = await Promise.all([params, searchParams])
  const actor = await requirePermission(can('posts.write'), contentPath(name, `/${id}/versions/${given}`), name)
  const list = scopePath(actor.scope, '/content')
  const editor = `${list}/${id}` as Route
  const post = await openPost(actor, id)
  const number = parseRevisionNumber(given)
  const other = parseRevisionNumber(otherParam) ?? post.draft
  if (number === null) notFound()
  const [texts, revisions] = await Promise.all([findTexts(actor, id, number, other), findRevisions(actor, id)])
  if (!texts) notFound()
  const [one, two] = texts
  const path = `${editor}/versions/${number}` as Route
  const isText = view === 'text'
  return (
    <Page
      title={`Version ${number}`}
      crumbs={[
        { label: 'Posts', href: list },
        { label: post.title, href: editor },
        { label: 'Version history', href: `${editor}/versions` as Route },
      ]}
      lead={
        <>
          By {one.authorName ?? 'a deleted user'}, <RelativeTime at={one.updatedAt} />.
          {number === other || isText ? '' : ` Changes compared with version ${other} are highlighted.`}
        </>
      }
      actions={
        <Link href={`${editor}/versions` as Route} className={buttonVariants({ variant: 'outline' })}>
          All versions
        </Link>
      }
    >
      <Card className="mb-4 flex flex-wrap items-end gap-3">
        <Segments
          label="View"
          options={[
            { label: 'Changes', href: pathWithQuery(path, { with: other }), isCurrent: !isText },
            { label: 'Preview', href: pathWithQuery(path, { with: other, view: 'text' }), isCurrent: isText },
          ]}
        />
        {!isText && <CompareForm path={path} other={other} numbers={revisions.map((revision) => revision.number)} />}
        {number !== post.draft && (
          <ActionForm action={restoreRevision} className="grid gap-2 sm:ms-auto">
            <input type="hidden" name="id" value={id} />
            <ScopeField slug={actor.scope?.slug} />
            <input type="hidden" name="number" value={number} />
            <FormMessage />
            <SubmitButton className="max-sm:h-11">Restore this version</SubmitButton>
          </ActionForm>
        )}
      </Card>
      {isText ? (
        <Card className="grid grid-cols-1 gap-5">
          <CodeStyle />
          <h2 className="wrap-anywhere font-semibold text-3xl tracking-tight">{one.title}</h2>
          {/* biome-ignore lint/security/noDangerouslySetInnerHtml: rendered by markdown.ts, which escapes all HTML in the text */}
          <div className={prose} dangerouslySetInnerHTML={{ __html: await renderDraft(one.body) }} />
        </Card>
      ) : (
        <Card className="p-0">
          <dl className="divide-y">
            {fieldNames.map((name) => (
              <div key={name} className="grid gap-x-6 gap-y-1 px-4.5 py-3 text-sm lg:grid-cols-[8rem_minmax(0,1fr)]">
                <dt className="text-muted-foreground">{fieldLabels[name]}</dt>
                <dd className="wrap-anywhere whitespace-pre-wrap">
                  <Difference one={fieldText(one[name])} other={fieldText(two[name])} />
                </dd>
              </div>
            ))}
          </dl>
        </Card>
      )}
    </Page>
  )
}

/** Chooses the other version. The list has the newest ones, and the one that is compared now. */
function CompareForm({ path, other, numbers }: { path: Route; other: number; numbers: number[] }) {
  const choices = numbers.includes(other) ? numbers : [...numbers, other]
  return (
    <Form action={path} prefetch={false} className="flex items-end gap-2">
      <div className="grid gap-1.5">
        <label htmlFor="with" className={labelClass}>
          Compare with version
        </label>
        <select id="with" name="with" defaultValue={other} key={other} className={`${inputClass} w-28`}>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      </div>
      <button type="submit" className={buttonVariants({ variant: 'outline', className: 'max-sm:h-11' })}>
        Compare
      </button>
    </Form>
  )
}

const styles = {
  same: ['span', ''],
  added: ['ins', 'rounded-xs bg-success-soft text-success-text no-underline'],
  removed: ['del', 'rounded-xs bg-destructive-soft text-destructive'],
} as const

function Difference({ one, other }: { one: string; other: string }) {
  if (one === '' && other === '') return <span className="text-muted-foreground">Empty</span>
  let at = 0
  return diffText(one, other).map(({ text, kind }) => {
    at += text.length
    const [Tag, className] = styles[kind]
    return (
      <Tag key={at} className={className}>
        {text}
      </Tag>
    )
  })
}
