import 'server-only'
import { z } from 'zod'
import { AppError } from '@/core/errors'
import { getTimeFormat } from '@/core/time/get-time-format'
import { formatRelativeTime } from '@/core/ui/format-relative-time'
import { diffText } from './diff-text'
import { findTexts, requireDraft } from './drafts'
import type { Writer } from './policy'

export const Comparison = z.object({
  written: z.string().meta({ description: 'Who wrote the draft, and when' }),
  changes: z.array(
    z.object({
      field: z.string(),
      parts: z.array(z.object({ text: z.string(), kind: z.enum(['same', 'added', 'removed']) })),
    }),
  ),
})

export const fieldLabels = { title: 'Title', slug: 'URL slug', summary: 'Summary', tags: 'Tags', body: 'Body' }
export const fieldNames = ['title', 'slug', 'summary', 'tags', 'body'] as const

/** A field of a revision as the editor shows it. */
export const fieldText = (value: string | string[]) => (Array.isArray(value) ? value.join(', ') : value)

/** What a text that is not saved has instead of the draft. */
export async function compareDraft(
  actor: Writer,
  id: string,
  text: Record<(typeof fieldNames)[number], string>,
): Promise<z.output<typeof Comparison>> {
  const { draft } = await requireDraft(actor, id)
  const [revision] = (await findTexts(actor, id, draft, draft)) ?? []
  if (!revision) throw new AppError('not_found')
  const changed = fieldNames.filter((name) => fieldText(revision[name]) !== text[name].replaceAll('\r\n', '\n'))
  return {
    written: `by ${revision.authorName ?? 'a deleted user'}, ${formatRelativeTime(revision.updatedAt, await getTimeFormat())}`,
    changes: changed.map((name) => ({
      field: fieldLabels[name],
      parts: diffText(fieldText(revision[name]), text[name].replaceAll('\r\n', '\n')),
    })),
  }
}
