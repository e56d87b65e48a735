import { createServer, type Server } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { checkEmail, checkProviders } from './check-app'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A server that greets like a mail server. Returns its port. */
function startMailServer(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).end('220 ready\r\n')
  })
  servers.push(server)
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
}

test('emails go to the inbox of development unless a mail server is set', async () => {
  expect(await checkEmail({})).toMatchObject({ state: 'ok', message: 'Emails go to the inbox of "npm run dev"' })
  const SMTP_URL = `smtp://127.0.0.1:${await startMailServer()}`
  expect(await checkEmail({ SMTP_URL, DEV_INBOX: '/tmp/inbox' })).toMatchObject({
    state: 'ok',
    message: 'Emails are stored in the development inbox',
  })
  expect(await checkEmail({ SMTP_URL })).toEqual({ state: 'ok', message: 'Emails are sent through 127.0.0.1' })
})

test('a mail server that is down is worth a note, and its password is never shown', async () => {
  const finding = await checkEmail({ SMTP_URL: 'smtp://me:secret-word@127.0.0.1:1' })
  expect(finding).toMatchObject({ state: 'note', message: 'Can’t reach the mail server at 127.0.0.1:1' })
  expect(JSON.stringify(finding)).not.toContain('secret-word')
  expect(await checkEmail({ SMTP_URL: 'not a url' })).toMatchObject({ state: 'note' })
})

test('real providers are told from stand-ins', () => {
  const google = { name: 'Google', isConfigured: false, hasStandIn: true, isStandIn: false }
  const github = { ...google, name: 'GitHub' }
  const standIn = { ...google, isConfigured: true, isStandIn: true }
  const usesStandIns = 'Sign-in with Google and GitHub uses stand-ins on this machine'
  expect(checkProviders([google, github]).message).toBe(usesStandIns)
  expect(checkProviders([standIn, github]).message).toBe(usesStandIns)
  expect(checkProviders([standIn, { ...github, isConfigured: true }]).message).toBe('Sign-in with GitHub is configured')
  expect(checkProviders([]).message).toBe('No sign-in provider is configured')
})
