import 'server-only'
import { z } from 'zod'
import { moduleUis } from '@/module-uis'
import { isAllowed } from '../auth/policy'
import type { Actor } from '../auth/session/actor'
import { log } from '../log'

const maxPerGroup = 5
export const maxSearchLength = 100

export const SearchText = z
  .string()
  .trim()
  .max(maxSearchLength, `Use up to ${maxSearchLength} characters`)
  // PostgreSQL text cannot contain NUL; the query would fail with an error.
  .refine((text) => !text.includes('\0'), 'Remove the null character')

const SearchGroup = z
  .object({
    title: z.string(),
    results: z.array(
      z.object({
        label: z.string(),
        hint: z.string(),
        href: z.string().meta({ description: 'The path of a page of this app' }),
        avatarId: z.string().optional().meta({ description: 'The id of the user, if the result is one' }),
      }),
    ),
  })
  .meta({ id: 'SearchGroup', description: 'Results of one kind, at most five' })

export const SearchResponse = z.object({
  groups: z.array(SearchGroup),
  isComplete: z.boolean().meta({ description: 'False if a part of the search failed' }),
})

/** What the modules find for this user. If one search fails, the results of the others remain; if all fail, so does this one. */
export async function search(actor: Actor, text: string): Promise<z.output<typeof SearchResponse>> {
  const providers =
    text === '' ? [] : moduleUis.flatMap((ui) => ui.search ?? []).filter(({ allow }) => isAllowed(actor.role, allow))
  const outcomes = await Promise.allSettled(providers.map(({ find }) => find(actor, text)))
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected')
  if (failures[0] && failures.length === providers.length) throw failures[0].reason
  for (const { reason } of failures) log.warn({ error: reason }, 'a search of a module failed')
  const groups = providers.map(({ title }, index) => {
    const outcome = outcomes[index]
    return { title, results: outcome?.status === 'fulfilled' ? outcome.value.slice(0, maxPerGroup) : [] }
  })
  return { groups: groups.filter(({ results }) => results.length > 0), isComplete: failures.length === 0 }
}
