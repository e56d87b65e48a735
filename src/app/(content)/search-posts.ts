import 'server-only'
import { and, desc, eq } from 'drizzle-orm'
import { isAllowed } from '@/core/auth/policy'
import { users } from '@/core/db/schema'
import { ofScope, readInScope } from '@/core/db/scoped'
import type { SearchResult } from '@/core/module-ui'
import { timeFormatFor } from '@/core/time/time-format'
import { can, type Writer } from './policy'
import { findByTitle, searchPublished } from './published'
import { posts, type Status } from './schema'
import { hasWords, maxCompared } from './title-words'

const maxResults = 5

/** In UTC, like the public pages. */
const times = timeFormatFor()
const statusLabels: Record<Status, string> = { draft: 'Draft', scheduled: 'Scheduled', published: 'Published' }

/** Posts that the user may edit, by their title, most recently updated first. */
export async function searchDrafts(actor: Writer, text: string): Promise<SearchResult[]> {
  const isOwnOnly = !isAllowed(actor.role, can('posts.write_others'))
  const [rows] = await readInScope(actor, (db) => {
    const newest = db
      .select({
        id: posts.id,
        title: posts.title,
        status: posts.status,
        authorId: posts.authorId,
        updatedAt: posts.updatedAt,
      })
      .from(posts)
      .where(and(ofScope(posts.scopeId), isOwnOnly ? eq(posts.authorId, actor.id) : undefined))
      .orderBy(desc(posts.updatedAt), desc(posts.id))
      .limit(maxCompared)
      .as('newest')
    return [
      db
        .select({ id: newest.id, title: newest.title, status: newest.status, authorName: users.name })
        .from(newest)
        .leftJoin(users, eq(users.id, newest.authorId))
        .where(hasWords(newest.title, text))
        .orderBy(desc(newest.updatedAt), desc(newest.id))
        .limit(maxResults),
    ]
  })
  return rows.map(({ id, title, status, authorName }) => ({
    label: title,
    hint: `${statusLabels[status]} · ${authorName ?? 'Deleted user'}`,
    href: `/content/${id}`,
  }))
}

/** Published posts: first those with the words in the title, then those with the words anywhere. */
export async function searchBlog(text: string): Promise<SearchResult[]> {
  const [byTitle, byText] = await Promise.all([findByTitle(text, maxResults), searchPublished(text)])
  const found = new Map([...byTitle, ...byText].map((post) => [post.slug, post]))
  return [...found.values()].slice(0, maxResults).map(({ slug, title, publishedAt }) => ({
    label: title,
    hint: times.date(publishedAt),
    href: `/posts/${slug}`,
  }))
}
