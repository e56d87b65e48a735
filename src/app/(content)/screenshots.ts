import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { query } from '../../../tests/app/support/query.ts'
import { newAda, type Screenshot, signInTo } from '../../../tests/app/support/screenshots.ts'

/** Screenshots of every page of the module, in each visually different state. */
export function shots(app: string, password: string): Screenshot[] {
  const signInAsEditor = async (page: Page) => {
    const email = await newAda({ role: 'editor' })
    await signInTo(page, email, password)
    return email
  }
  const open = (title: string) => async (page: Page) => {
    await page.getByRole('link', { name: title }).first().click()
    await page.getByLabel('Body', { exact: true }).waitFor()
  }
  const shot = (name: string, path: string, after?: Screenshot['after']): Screenshot => ({
    name: `content-${name}`,
    url: `${app}${path}`,
    before: signInAsEditor,
    ...(after && { after }),
  })
  return [
    shot('posts', '/posts'),
    shot('posts_found', '/posts?search=versions'),
    shot('posts_nothing', '/posts?search=xyzzy'),
    shot('posts_tag', '/posts?tag=guide'),
    shot('post', '/posts/your-first-change'),
    shot('post_code', '/posts/who-may-do-what', async (page) => {
      await page.getByRole('figure').first().hover()
    }),
    shot('list', '/content'),
    shot('list_nothing', '/content?mine=1'),
    shot('list_selected', '/content', async (page) => {
      await page.getByRole('checkbox', { name: 'Select How a post is made' }).check()
    }),
    shot('editor', '/content', open('How a post is made')),
    shot('publish', '/content', async (page) => {
      await open('How a post is made')(page)
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
    }),
    shot('images', '/content/images'),
    {
      ...shot('images_some', '/content/images'),
      before: async (page) => {
        await signInAsEditor(page)
        for (const image of sampleImages) await uploadImage(page, app, image)
      },
    },
    shot('images_new', '/content/images/new?problem=image'),
    shot('conflict', '/content', async (page) => {
      await open('Who can do what')(page)
      await query(`update content_posts set version = version + 1 where title = 'Who can do what'`)
      await page.getByLabel('Summary').fill('Roles and what they can do.')
      await page.getByRole('button', { name: 'Keep mine' }).waitFor()
      await page.evaluate(() => scrollTo(0, 0))
    }),
    shot('preview', '/content', async (page) => {
      await open('How a post is made')(page)
      await page.getByRole('button', { name: 'Share preview' }).click()
      await page.getByRole('button', { name: 'Create preview link' }).click()
      await page.goto(await page.locator('code').filter({ hasText: '/posts/preview?token=' }).innerText())
    }),
    shot('versions', '/content', async (page) => {
      await open('Before you go live')(page)
      await page.getByRole('link', { name: /^Version/ }).click()
      await page.getByRole('heading', { name: 'Version history' }).waitFor()
    }),
  ]
}

const sampleImages = [
  { name: 'harbor-at-dusk.png', alt: 'A harbor at dusk', colors: ['#f59e0b', '#1e3a8a'] },
  { name: 'first-snow.png', alt: 'A field under the first snow', colors: ['#e0f2fe', '#64748b'] },
  { name: 'forest-path.png', alt: 'A path through a forest', colors: ['#bef264', '#14532d'] },
  { name: 'red-cliffs.png', alt: 'Red cliffs above the sea', colors: ['#fca5a5', '#7f1d1d'] },
]

/** Uploads an image, unless an earlier screenshot has. */
async function uploadImage(
  page: Page,
  app: string,
  { name, alt, colors }: (typeof sampleImages)[number],
): Promise<void> {
  if ((await query('select 1 from content_images where name = $1', [name])).length > 0) return
  const [from, to] = colors
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="800">
    <linearGradient id="sky" x2="0" y2="1"><stop stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient>
    <rect width="1200" height="800" fill="url(#sky)"/>
    <path d="M0 620 300 420 520 560 820 340 1200 600V800H0Z" fill="${to}" fill-opacity=".6"/></svg>`
  await page.goto(`${app}/content/images/new`)
  const buffer = await sharp(Buffer.from(svg)).png().toBuffer()
  await page.getByLabel('Image file').setInputFiles({ name, mimeType: 'image/png', buffer })
  await page.getByLabel('Alt text').fill(alt)
  await page.getByRole('button', { name: 'Upload image' }).click()
  await page.getByText('Image uploaded.').waitFor()
}
