import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { SMTPServer } from 'smtp-server'
import { startInbox } from '../../scripts/inbox.ts'
import { freePort } from '../../scripts/ports.ts'
import { createDatabase, dropDatabase, findServer, runDb } from '../support/database.ts'
import { mailsTo } from '../support/inbox.ts'
import { expect, test } from '../support/journey.ts'
import { query } from '../support/query.ts'
import { startServer, startWorkerProcess } from '../support/server.ts'

/** Nodes that only put mails into the queue, workers that come and go, and a mail server that does, too. */
test.describe('a mail', () => {
  let postgres: Awaited<ReturnType<typeof findServer>>
  let database: Awaited<ReturnType<typeof createDatabase>>
  let folder: string
  let env: Record<string, string>
  test.beforeEach(async () => {
    postgres = await findServer()
    database = await createDatabase(postgres.url)
    runDb('migrate', database.url)
    folder = mkdtempSync(join(tmpdir(), 'plinth-mail-'))
    env = {
      DATABASE_URL: database.url,
      AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl',
      AUTH_URL: 'http://localhost:3000',
      SMTP_URL: `smtp://127.0.0.1:${await freePort()}`,
      MAIL_FROM: 'plinth@example.com',
    }
  })
  test.afterEach(async () => {
    await dropDatabase(postgres.url, database.name)
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const email = 'ada@example.com'
  const port = () => Number(new URL(env.SMTP_URL ?? '').port)
  const states = async () =>
    (await query<{ state: string }>("select state from jobs.job where name = 'mail.reset'", [], database.url)).map(
      ({ state }) => state,
    )

  /** A node takes a request for a new password, answers, and is gone before anything is sent. */
  async function askAndCrash(page: Page): Promise<void> {
    await query(
      'insert into users (email, name, email_verified_at) values ($1, $2, now())',
      [email, 'Ada'],
      database.url,
    )
    const { AUTH_URL: _, ...rest } = env
    const node = await startServer('start', rest)
    await page.goto(`${node.url}/forgot`)
    await page.getByLabel('E-mail').fill(email)
    await page.getByRole('button', { name: 'Send me a link' }).click()
    await expect(page.getByRole('main').getByRole('status')).toBeVisible()
    await node.kill()
    expect(await states()).toEqual(['created'])
  }

  test('that was promised by a node that crashed right after is sent once, by a worker that starts later', async ({
    page,
  }) => {
    await askAndCrash(page)
    const inbox = await startInbox(folder, port())
    const workers = await Promise.all([startWorkerProcess(env), startWorkerProcess(env)])
    try {
      await expect.poll(async () => (await mailsTo(email, folder)).length, { timeout: 15_000 }).toBe(1)
      await expect.poll(states).toEqual(['completed'])
      await new Promise((resolve) => setTimeout(resolve, 3_000))
      expect(await mailsTo(email, folder)).toHaveLength(1)
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()))
      await inbox.stop()
    }
  })

  test('waits while the mail server is away, and is sent once it is back', async ({ page }) => {
    test.setTimeout(90_000)
    await askAndCrash(page)
    const worker = await startWorkerProcess(env)
    try {
      await expect.poll(states, { timeout: 15_000 }).toEqual(['retry'])
      expect(worker.output()).toContain('ECONNREFUSED')
      const inbox = await startInbox(folder, port())
      await expect.poll(async () => (await mailsTo(email, folder)).length, { timeout: 60_000 }).toBe(1)
      await expect.poll(states).toEqual(['completed'])
      await inbox.stop()
      expect(worker.output()).not.toContain(email)
    } finally {
      await worker.stop()
    }
  })

  test('that a worker was sending when it died is sent by the next one', async ({ page }) => {
    test.setTimeout(180_000)
    await askAndCrash(page)
    // Takes the mail and never says that it did.
    let hasBegun = false
    const silent = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData(stream) {
        hasBegun = true
        stream.resume()
      },
    })
    await new Promise<void>((resolve) => silent.listen(port(), '127.0.0.1', resolve))
    const first = await startWorkerProcess(env)
    await expect.poll(() => hasBegun, { timeout: 15_000 }).toBe(true)
    await first.kill()
    await new Promise<void>((resolve) => silent.close(() => resolve()))
    expect(await states()).toEqual(['active'])

    const inbox = await startInbox(folder, port())
    const second = await startWorkerProcess(env)
    try {
      await expect.poll(async () => (await mailsTo(email, folder)).length, { timeout: 120_000 }).toBe(1)
      await expect.poll(states).toEqual(['completed'])
    } finally {
      await second.stop()
      await inbox.stop()
    }
  })

  test('is never sent for something that did not happen', async () => {
    const inbox = await startInbox(folder, port())
    const worker = await startWorkerProcess(env)
    try {
      await query(
        `begin;
         insert into users (email, name) values ('${email}', 'Ada');
         insert into jobs.job (name, data) select 'mail.reset', json_build_object('userId', id) from users;
         rollback`,
        [],
        database.url,
      )
      await new Promise((resolve) => setTimeout(resolve, 3_000))
      expect(await mailsTo(email, folder)).toEqual([])
    } finally {
      await worker.stop()
      await inbox.stop()
    }
  })
})

test('the first admin is named by ADMIN_EMAIL, once, and chooses a password by mail', async ({ page }) => {
  test.setTimeout(60_000)
  const postgres = await findServer()
  const database = await createDatabase(postgres.url)
  const folder = mkdtempSync(join(tmpdir(), 'plinth-mail-'))
  const inbox = await startInbox(folder)
  runDb('migrate', database.url)
  const env = { ...inbox.env, DATABASE_URL: database.url, AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl' }
  const admins = () => query('select email, role from users order by email', [], database.url)
  try {
    const nodes = await Promise.all([
      startServer('start', { ...env, WORKER: 'inside', ADMIN_EMAIL: 'Root@Example.com' }),
      startServer('start', { ...env, ADMIN_EMAIL: 'root@example.com' }),
    ])
    expect(await admins()).toEqual([{ email: 'root@example.com', role: 'admin' }])
    await expect.poll(async () => (await mailsTo('root@example.com', folder)).length, { timeout: 15_000 }).toBe(1)
    const [mail] = await mailsTo('root@example.com', folder)
    await page.goto(/https?:\/\/\S+\/reset\?\S+/.exec(mail?.text ?? '')?.[0] ?? '')
    await page.getByLabel('New password').fill('the very first admin')
    await page.getByRole('button', { name: 'Save the password' }).click()
    await page.getByLabel('E-mail').fill('root@example.com')
    await page.getByLabel('Password', { exact: true }).fill('the very first admin')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('main')).toContainText('You can do everything')
    await Promise.all(nodes.map((node) => node.stop()))

    const later = await startServer('start', { ...env, ADMIN_EMAIL: 'another@example.com' })
    expect(await admins()).toEqual([{ email: 'root@example.com', role: 'admin' }])
    await later.stop()
  } finally {
    await inbox.stop()
    await dropDatabase(postgres.url, database.name)
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
