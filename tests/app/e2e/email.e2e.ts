import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { SMTPServer } from 'smtp-server'
import { startInbox } from '../../../scripts/inbox.ts'
import { findFreePort } from '../../../scripts/ports.ts'
import { appSlug } from '../../../src/brand.ts'
import { createDatabase, dropDatabase, findServer, runDb } from '../support/database.ts'
import { expect, test } from '../support/e2e-test.ts'
import { emailsTo } from '../support/inbox.ts'
import { query } from '../support/query.ts'
import { startServer, startWorkerProcess } from '../support/server.ts'

/** App processes that only enqueue emails, and workers and a mail server that are stopped and started. */
test.describe('an email', () => {
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
      SMTP_URL: `smtp://127.0.0.1:${await findFreePort()}`,
      MAIL_FROM: `${appSlug}@example.com`,
    }
  })
  test.afterEach(async () => {
    await dropDatabase(postgres.url, database.name)
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const email = 'ada@example.com'
  const port = () => Number(new URL(env.SMTP_URL ?? '').port)
  const jobStates = async () =>
    (await query<{ state: string }>("select state from jobs.job where name = 'mail.reset'", [], database.url)).map(
      ({ state }) => state,
    )

  /** Requests a password reset, and kills the app process after its response, before the email is sent. */
  async function requestResetAndCrash(page: Page): Promise<void> {
    await query(
      'insert into users (email, name, email_verified_at) values ($1, $2, now())',
      [email, 'Ada'],
      database.url,
    )
    const { AUTH_URL: _, ...rest } = env
    const node = await startServer('start', rest)
    await page.goto(`${node.url}/forgot`)
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Send reset link' }).click()
    await expect(page.getByRole('main').getByRole('status')).toBeVisible()
    await node.kill()
    expect(await jobStates()).toEqual(['created'])
  }

  test('enqueued by a process that crashed right after is sent once, by a worker that starts later', async ({
    page,
  }) => {
    await requestResetAndCrash(page)
    const inbox = await startInbox(folder, port())
    const workers = await Promise.all([startWorkerProcess(env), startWorkerProcess(env)])
    try {
      await expect.poll(async () => (await emailsTo(email, folder)).length).toBe(1)
      await expect.poll(jobStates).toEqual(['completed'])
      await new Promise((resolve) => setTimeout(resolve, 3_000))
      expect(await emailsTo(email, folder)).toHaveLength(1)
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()))
      await inbox.stop()
    }
  })

  test('is retried while the mail server is down, and sent once it is up again', async ({ page }) => {
    await requestResetAndCrash(page)
    const worker = await startWorkerProcess(env)
    try {
      await expect.poll(jobStates).toEqual(['retry'])
      expect(worker.output()).toContain('ECONNREFUSED')
      const inbox = await startInbox(folder, port())
      await expect.poll(async () => (await emailsTo(email, folder)).length).toBe(1)
      await expect.poll(jobStates).toEqual(['completed'])
      await inbox.stop()
      expect(worker.output()).not.toContain(email)
    } finally {
      await worker.stop()
    }
  })

  test('that a worker was sending when it was killed is sent by the next one', async ({ page }) => {
    await requestResetAndCrash(page)
    // Receives the email and never responds.
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
    await expect.poll(() => hasBegun).toBe(true)
    await first.kill()
    await new Promise<void>((resolve) => silent.close(() => resolve()))
    expect(await jobStates()).toEqual(['active'])
    // A job that does not report for a minute is started again. Instead of waiting, the test lets the time pass.
    await query("update jobs.job set started_on = started_on - interval '2 minutes'", [], database.url)

    const inbox = await startInbox(folder, port())
    const second = await startWorkerProcess(env)
    try {
      await expect.poll(async () => (await emailsTo(email, folder)).length).toBe(1)
      await expect.poll(jobStates).toEqual(['completed'])
    } finally {
      await second.stop()
      await inbox.stop()
    }
  })

  test('is not sent if the transaction that enqueued it was rolled back', async () => {
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
      expect(await emailsTo(email, folder)).toEqual([])
    } finally {
      await worker.stop()
      await inbox.stop()
    }
  })
})

test('the first admin is created from ADMIN_EMAIL, once, and chooses a password by email', async ({ page }) => {
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
    await expect.poll(async () => (await emailsTo('root@example.com', folder)).length).toBe(1)
    const [message] = await emailsTo('root@example.com', folder)
    await page.goto(/https?:\/\/\S+\/reset\?\S+/.exec(message?.text ?? '')?.[0] ?? '')
    await page.getByLabel('New password').fill('the very first admin')
    await page.getByRole('button', { name: 'Save password' }).click()
    await page.getByLabel('Email').fill('root@example.com')
    await page.getByLabel('Password', { exact: true }).fill('the very first admin')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page).toHaveURL(/\/dashboard$/)
    const session = await (await page.request.get(new URL('/api/auth/session', page.url()).href)).json()
    expect(session.user).toMatchObject({ email: 'root@example.com', role: 'admin' })
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
