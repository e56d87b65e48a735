import { expect, test } from '../../../tests/app/support/e2e-test.ts'
import { query } from '../../../tests/app/support/query.ts'
import { signInAsNewUser } from '../../../tests/app/support/sign-in.ts'

const uniqueTitle = (about: string) => `${about} ${crypto.randomUUID().slice(0, 8)}`

/** Inserts a post. In the future, because the dashboard shows only the newest and other tests write posts, too. */
async function insertDraft(email: string, title: string, scheduledAt: string | null = null): Promise<string> {
  const [post] = await query<{ id: string }>(
    `with post as (
       insert into content_posts (author_id, title, status, scheduled, scheduled_at, updated_at)
       select id, $2::text, case when $3::timestamptz is null then 'draft' else 'scheduled' end,
         case when $3::timestamptz is null then null else 1 end, $3::timestamptz, now() + interval '1 hour'
       from users where email = $1 returning id, author_id
     ), revision as (
       insert into content_revisions (post_id, number, author_id, title, slug, summary, body, tags)
       select id, 1, author_id, $2::text, '', '', '', '{}'::text[] from post
     )
     select id from post`,
    [email, title, scheduledAt],
  )
  if (!post) throw new Error('the post was not inserted')
  return post.id
}

const removePost = (id: string) => query('delete from content_posts where id = $1', [id])

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('an editor continues a draft from the dashboard, and sees what is scheduled', async ({ page, password }) => {
      const email = await signInAsNewUser(page, password, { role: 'editor' })
      const [draft, scheduled] = [uniqueTitle('Half a text'), uniqueTitle('Soon')]
      const soon = new Date(Date.now() + 3 * 60_000 + 30_000).toISOString()
      const ids = [await insertDraft(email, draft), await insertDraft(email, scheduled, soon)]
      await page.goto('/dashboard')
      const entry = page.getByRole('navigation', { name: 'Main' }).getByRole('listitem')
      await expect(entry.filter({ hasText: 'Posts' })).toHaveText(/^Posts[\d,]+\+? drafts?$/)
      const waiting = page.getByRole('region', { name: 'Drafts waiting for you' })
      await expect(waiting.getByRole('listitem').filter({ hasText: draft })).toContainText('by Test User')
      await expect(waiting.getByRole('listitem').filter({ hasText: scheduled })).toContainText('Scheduled in')
      await expect(page.getByRole('region', { name: 'Recently published' })).toHaveCount(0)
      await waiting.getByRole('link', { name: `Continue ${draft}` }).click()
      await expect(page).toHaveURL(`/content/${ids[0]}`)
      for (const id of ids) await removePost(id)
    })
  })
}

test('a viewer sees what was published, and no drafts', async ({ page, password }) => {
  await signInAsNewUser(page, password)
  const [latest] = await query<{ slug: string; title: string }>(
    'select slug, title from content_published order by published_at desc, post_id desc limit 1',
  )
  await page.goto('/dashboard')
  const recent = page.getByRole('region', { name: 'Recently published' })
  await expect(recent).toBeVisible()
  await expect(page.getByText('Drafts waiting for you')).toHaveCount(0)
  // Other tests publish at the same time, so this post may no longer be the first.
  if (latest) await expect(recent.getByRole('listitem').first().getByRole('link')).toHaveAttribute('href', /^\/posts\//)
  else await expect(recent).toContainText('No posts yet.')
})
