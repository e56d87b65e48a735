import { loadPage } from '../../../tests/app/support/load-page'
import { act, testRoundTrips, withSession } from '../../../tests/app/support/round-trip-table'

// The imports above must come first: they prepare the app's requests and its connections.

import { desc } from 'drizzle-orm'
import { newSessionToken } from '../../../tests/app/support/new-session-token'
import { uncheckedDb as db } from '../../../tests/app/support/unchecked-db'
import { createPost, savePost } from './actions'
import ContentLayout from './content/layout'
import PostsPage from './content/page'
import { posts } from './schema'
import ui from './ui'

testRoundTrips(
  'content',
  {
    'open the list of posts': async () => {
      const headers = withSession(await newSessionToken('editor'))
      return () => loadPage(headers, [ContentLayout, PostsPage])
    },
    'publish a post': async () => {
      const headers = withSession(await newSessionToken('editor'))
      const title = `About ${crypto.randomUUID()}`
      await act(() => createPost({ title }), headers)
      const [post] = await db
        .select({ id: posts.id, version: posts.version })
        .from(posts)
        .orderBy(desc(posts.createdAt))
        .limit(1)
      const text = { title, slug: '', summary: '', tags: 'one, two', body: 'Some text' }
      const input = { id: post?.id ?? '', version: post?.version ?? 0, ...text, step: 'publish' as const }
      return () => act(() => savePost(input), headers)
    },
  },
  [ui],
)
