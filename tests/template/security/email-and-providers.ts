// Email links: what they allow, and how many are sent. OAuth providers: how far they are trusted.
import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import { submitAction } from '../../app/support/call-action.ts'
import { check, checkModule } from '../../app/support/checks.ts'
import { hasModule } from '../../app/support/has-module.ts'
import { call, Jar } from '../../app/support/http-client.ts'
import { randomIp } from '../../app/support/random-ip.ts'
import { registerSecret } from '../../app/support/response-invariants.ts'
import { verdict } from '../../app/support/server-actions.ts'
import { password, type TestUser, unusedEmail, type World } from '../../app/support/test-world.ts'
import { startBadProvider } from './support/misbehaving-provider.ts'
import { callCallback, giveConsent, signInWithProvider, startOAuth } from './support/oauth-flow.ts'
import { addOrganization } from './support/organization.ts'
import { addPasskey } from './support/passkey.ts'

const chosen = 'an entirely different horse 3'
registerSecret(chosen)

const requestEmail = (world: World, jar: Jar, email: string) => submitAction(world, 'changeEmail', { email }, { jar })
const verifyEmail = (world: World, token: string, jar?: Jar) =>
  submitAction(world, 'verifyNewEmail', { token }, jar ? { jar } : {})
/** Creates an organization. Its admin takes a name and invites an email, as often as this is called. */
async function newInviter(world: World) {
  const { id, jar } = await world.newSession()
  const { slug: scope } = await addOrganization(world.pool, [{ id, role: 'admin' }])
  return async (name: string, email: string) => {
    await world.query('update users set name = $2 where id = $1', [id, name])
    const input = { scope, emails: email, role: 'viewer' }
    assert.match(verdict(await submitAction(world, 'inviteMembers', input, { jar, path: '/signed-out' })), /^to /)
    return world.emailsTo(email)
  }
}
const emailOf = async (world: World, id: string): Promise<string> =>
  (await world.query('select email from users where id = $1', [id]))[0].email

/** The token in the newest email with that subject. */
async function tokenInEmail(world: World, email: string, subject: string): Promise<string> {
  const received = (await world.emailsTo(email)).findLast((one) => one.subject === subject)
  return /token=([\w-]{43})/.exec(received?.text ?? '')?.[1] ?? assert.fail(`no "${subject}" to ${email}`)
}
const newEmailToken = (world: World, email: string) => tokenInEmail(world, email, 'Confirm your new email')

async function changeEmailTo(world: World, jar: Jar, email: string): Promise<void> {
  assert.equal(verdict(await requestEmail(world, jar, email)), 'ok')
  assert.equal(verdict(await verifyEmail(world, await newEmailToken(world, email), jar)), 'ok')
}

checkModule(
  'account',
  'H-352',
  'a link to a new email changes nothing without the session that requested it',
  async (world) => {
    const owner = await world.newSession()
    const other = await world.newSession()
    const wanted = unusedEmail()
    await requestEmail(world, owner.jar, wanted)
    const token = await newEmailToken(world, wanted)
    assert.equal(verdict(await verifyEmail(world, token)), 'unauthenticated')
    assert.equal(verdict(await verifyEmail(world, token, other.jar)), 'forbidden')
    assert.equal(await emailOf(world, owner.id), owner.email)
    // Signed out, the page redirects to sign-in and back. To another user it does not reveal the account.
    const path = `/confirm-email?token=${token}`
    // Not `world.get`: it reports a token in a response as a leak, but this is the caller's own.
    const open = (cookie = '') =>
      fetch(new URL(path, world.app.url), { redirect: 'manual', headers: { cookie, 'x-forwarded-for': randomIp() } })
    const redirect = await open()
    assert.equal(redirect.headers.get('location'), `/signin?callbackUrl=${encodeURIComponent(path)}`)
    const shown = await (await open(String(other.jar))).text()
    assert.match(shown, /for another account/)
    assert.ok(!shown.includes(owner.email) && !shown.includes(wanted))
    // None of that used up the token.
    assert.equal(verdict(await verifyEmail(world, token, owner.jar)), 'ok')
    assert.equal(await emailOf(world, owner.id), wanted)
  },
)

checkModule(
  'account',
  'H-353',
  'a newer request, a cancellation or a change invalidates older links',
  async (world) => {
    const { jar, id, email } = await world.newSession()
    const [typo, right, later] = [unusedEmail(), unusedEmail(), unusedEmail()]
    await requestEmail(world, jar, typo)
    const toTypo = await newEmailToken(world, typo)
    await requestEmail(world, jar, right)
    const toRight = await newEmailToken(world, right)
    assert.equal(verdict(await verifyEmail(world, toTypo, jar)), 'not_found')
    await requestEmail(world, jar, typo)
    for (const dead of [toTypo, toRight]) assert.equal(verdict(await verifyEmail(world, dead, jar)), 'not_found')
    const again = await newEmailToken(world, typo)
    await submitAction(world, 'cancelEmailChange', {}, { jar })
    assert.equal(verdict(await verifyEmail(world, again, jar)), 'not_found')
    // An email that was being sent while another change was requested contains a link that never works.
    await requestEmail(world, jar, right)
    const late = await newEmailToken(world, right)
    await world.query(`update account_email_changes set email = $2 where user_id = $1`, [id, later])
    assert.equal(verdict(await verifyEmail(world, late, jar)), 'not_found')
    assert.equal(await emailOf(world, id), email)

    // Links in notices to the old email are invalid after the change, except the one that undoes it. That one works once.
    assert.equal(
      verdict(await submitAction(world, 'createApiToken', { name: 'x', role: 'viewer', days: 7 }, { jar })),
      'ok',
    )
    const notice = await tokenInEmail(world, email, 'An API token was created')
    const moved = unusedEmail()
    await changeEmailTo(world, jar, moved)
    const reportCompromise = async (token: string) =>
      verdict(await submitAction(world, 'submitCompromiseReport', { token }))
    assert.equal(await reportCompromise(notice), 'not_found')
    const back = await tokenInEmail(world, email, 'Your email was changed')
    assert.equal(await reportCompromise(back), 'ok')
    assert.equal(await reportCompromise(back), 'not_found')
    assert.equal(await emailOf(world, id), email)
    // The email that loses the account is notified, without a link.
    const lastEmail = (await world.emailsTo(moved)).at(-1)
    assert.equal(lastEmail?.subject, 'An account no longer uses this email')
    assert.ok(!lastEmail.text.includes('token='))
  },
)

checkModule('account', 'H-354', 'a reset by a new email removes the sign-in methods from before', async (world) => {
  const addSignInMethods = async ({ id }: TestUser) => {
    await world.query(`insert into accounts (provider, provider_account_id, user_id) values ('github', $1, $2)`, [
      crypto.randomUUID(),
      id,
    ])
    await world.query(
      `insert into account_passkeys (id, user_id, public_key, counter, transports, name) values ($1, $2, '\\x00', 0, '{}', 'x')`,
      [crypto.randomUUID(), id],
    )
  }
  const countSignInMethods = async ({ id }: TestUser) => {
    const [row] = await world.query(
      `select (select count(*)::int from accounts where user_id = $1) as providers,
         (select count(*)::int from account_passkeys where user_id = $1) as passkeys,
         (select count(*)::int from account_api_tokens where user_id = $1) as tokens`,
      [id],
    )
    return [row.providers, row.passkeys, row.tokens]
  }
  const makeToken = async (jar: Jar): Promise<string> => {
    const { value } = await submitAction(world, 'createApiToken', { name: 'x', role: 'viewer', days: 7 }, { jar })
    const { token } = (value as { data: { token: string } }).data
    registerSecret(token)
    return token
  }
  const reset = async (email: string) =>
    assert.match(verdict(await world.resetPassword(email, chosen)), /password_changed/)
  const changed = async (email: string) =>
    (await world.emailsTo(email)).findLast(({ subject }) => subject === 'Your password was changed')?.text ?? ''

  // A user who never changed the email loses nothing.
  const unchangedUser = await world.newSession()
  await addSignInMethods(unchangedUser)
  const remainingToken = await makeToken(unchangedUser.jar)
  await reset(unchangedUser.email)
  assert.deepEqual(await countSignInMethods(unchangedUser), [1, 1, 1])
  assert.equal((await world.getSession(remainingToken)).user.id, unchangedUser.id)
  assert.doesNotMatch(await changed(unchangedUser.email), /were removed/)

  const attacker = await world.newSession()
  await addSignInMethods(attacker)
  const token = await makeToken(attacker.jar)
  const victim = unusedEmail()
  await changeEmailTo(world, attacker.jar, victim)
  assert.equal((await world.getSession(token)).user.email, victim)
  await reset(victim)
  assert.equal(await world.getSession(token), null)
  assert.deepEqual(await countSignInMethods(attacker), [0, 0, 0])
  assert.match(await changed(victim), /Passkeys, connected accounts and API tokens .* were removed/)
  const [event] = await world.query(
    `select details from audit_events where kind = 'password.changed' and target_id = $1`,
    [attacker.id],
  )
  assert.deepEqual(event.details, { way: 'reset', removed: 3 })
  // What the new owner adds remains.
  await addSignInMethods(attacker)
  await reset(victim)
  assert.deepEqual(await countSignInMethods(attacker), [1, 1, 0])
})

interface TwoFactorUser extends TestUser {
  jar: Jar
  key: string
  codes: string[]
}

/** A user who enabled two-factor authentication as the setup page does. */
async function userWithTwoFactor(world: World): Promise<TwoFactorUser> {
  const { id, email, jar } = await world.newSession()
  assert.match(verdict(await submitAction(world, 'prepareTwoFactor', {}, { jar })), /^to /)
  const page = await world.get('/account/two-factor/setup', { jar })
  const key = (/([A-Z2-7]{4} ){7}[A-Z2-7]{4}/.exec(page.text)?.[0] ?? assert.fail('no key')).replaceAll(' ', '')
  const on = await submitAction(world, 'enableTwoFactor', { code: codeOf(key) }, { jar })
  const { codes } = (on.value as { data: { codes: string } }).data
  registerSecret(key, ...codes.split('\n'))
  return { id, email, jar, key, codes: codes.split('\n') }
}
const codeOf = (key: string) => new TOTP({ secret: Secret.fromBase32(key) }).generate()

/** What an attacker with access only to the inbox can do: "Secure my account", then a new password. */
async function attackByEmail(world: World, { email }: TestUser): Promise<void> {
  const token = await tokenInEmail(world, email, 'Two-factor authentication is on')
  assert.equal(verdict(await submitAction(world, 'submitCompromiseReport', { token })), 'ok')
  assert.match(verdict(await world.resetPassword(email, chosen)), /password_changed/)
}
const secondFactorOf = async (world: World, { email }: TestUser, jar = new Jar()) => {
  const response = await world.trySignIn(email, chosen, { jar })
  assert.equal(response.status, 200, response.text)
  return response.json().challenge ?? null
}
const removalOf = async (world: World, { id }: TestUser): Promise<Date | undefined> =>
  (await world.query('select removal_at from account_totp where user_id = $1', [id]))[0]?.removal_at

/** Makes the removal job due now, and waits until the worker has run it. */
async function advanceRemoval(world: World, { id }: TestUser, hours: number): Promise<void> {
  await world.query(
    `with moved as (update account_totp set removal_at = removal_at - make_interval(hours => $2) where user_id = $1 returning removal_at)
     update jobs.job set start_after = now(), data = jsonb_set(data, '{at}', to_jsonb(to_char(moved.removal_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
     from moved where name = 'account.continue_two_step_removal' and state = 'created' and data ->> 'userId' = $1::text`,
    [id, hours],
  )
  await world.query(
    `select pg_notify('pgboss_' || left(encode(sha224('jobs'), 'hex'), 24), 'account.continue_two_step_removal')`,
  )
  const waiting = `select 1 from jobs.job where name = 'account.continue_two_step_removal' and state in ('created', 'active', 'retry')
    and start_after <= now() and data ->> 'userId' = $1::text`
  const deadline = Date.now() + 30_000
  while ((await world.query(waiting, [id])).length > 0) {
    if (Date.now() > deadline) throw new Error('the worker did not run the job within 30 seconds')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

checkModule(
  'account',
  'H-355',
  'access to the inbox alone does not remove the second factor for 72 hours',
  async (world) => {
    const user = await userWithTwoFactor(world)
    await attackByEmail(world, user)
    assert.equal(await secondFactorOf(world, user), 'totp', 'the second factor was not asked for')
    const inHours = ((await removalOf(world, user))?.getTime() ?? 0) / 3_600_000 - Date.now() / 3_600_000
    assert.ok(inHours > 71.9 && inHours <= 72.1, `${inHours} hours`)
    const warnings = async () =>
      (await world.emailsTo(user.email)).filter(
        ({ subject }) => subject === 'Two-factor authentication will be removed',
      ).length
    assert.equal(await warnings(), 1)
    // A second "Secure my account" neither speeds up nor restarts the removal.
    const before = await removalOf(world, user)
    const again = await tokenInEmail(world, user.email, 'Your password was changed')
    assert.equal(verdict(await submitAction(world, 'submitCompromiseReport', { token: again })), 'ok')
    assert.deepEqual(await removalOf(world, user), before)
    await world.resetPassword(user.email, chosen)
    // A day before, another email is sent; after 72 hours the second factor is removed, and the user is notified.
    await advanceRemoval(world, user, 48)
    assert.equal(await warnings(), 2)
    assert.equal(await secondFactorOf(world, user), 'totp')
    await advanceRemoval(world, user, 24)
    assert.equal(await secondFactorOf(world, user), null)
    const subjects = (await world.emailsTo(user.email)).map(({ subject }) => subject)
    assert.equal(subjects.at(-1), 'Two-factor authentication was removed')
    const kinds = await world.query(
      `select kind from audit_events where target_id = $1 and kind like 'two_step.%' order by id`,
      [user.id],
    )
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      ['two_step.on', 'two_step.removal_scheduled', 'two_step.off'],
    )
  },
)

checkModule(
  'account',
  'H-356',
  'a sign-in with the second factor cancels its removal, and an admin can remove it',
  async (world) => {
    const withCode = async (jar: Jar, code: string) => {
      const response = await call(world.app.url, '/api/auth/challenge', { body: { code, redirect: false }, jar })
      assert.equal(response.status, 200, response.text)
    }
    const proofs: Record<string, (user: TwoFactorUser, jar: Jar) => Promise<void>> = {
      'a code': ({ key }, jar) => withCode(jar, codeOf(key)),
      'a recovery code': ({ codes }, jar) => withCode(jar, codes[0] ?? ''),
      'a passkey': async ({ id }, jar) => {
        const passkey = await addPasskey(world, id)
        const input = { isSecondFactor: true }
        const path = '/signin/second'
        const { value } = await submitAction(world, 'beginPasskeySignIn', input, { jar, path })
        const { challenge } = (value as { data?: { challenge: string } }).data ?? assert.fail(JSON.stringify(value))
        const given = { ...input, passkey: passkey.respond(challenge) }
        assert.match(verdict(await submitAction(world, 'signInWithPasskey', given, { jar, path })), /^to /)
      },
    }
    for (const [what, prove] of Object.entries(proofs)) {
      const user = await userWithTwoFactor(world)
      await attackByEmail(world, user)
      assert.ok(await removalOf(world, user), what)
      await world.query('update account_totp set last_step = 0 where user_id = $1', [user.id])
      const jar = new Jar()
      await secondFactorOf(world, user, jar)
      await prove(user, jar)
      assert.equal(await removalOf(world, user), null, what)
      // The removal job then finds nothing to do.
      await world.query(
        `update jobs.job set start_after = now() where name = 'account.continue_two_step_removal' and data ->> 'userId' = $1`,
        [user.id],
      )
      await advanceRemoval(world, user, 0)
      assert.equal(await secondFactorOf(world, user), 'totp', what)
    }
    const lockedOutUser = await userWithTwoFactor(world)
    await attackByEmail(world, lockedOutUser)
    const admin = await world.newSession({ role: 'admin' })
    await submitAction(world, 'removeUserSecondFactor', { userId: lockedOutUser.id }, { jar: admin.jar })
    assert.equal(await secondFactorOf(world, lockedOutUser), null)
  },
)

const makeTokens = async (world: World, jar: Jar, count: number) => {
  for (let made = 0; made < count; made++)
    assert.equal(
      verdict(await submitAction(world, 'createApiToken', { name: 'x', role: 'viewer', days: 7 }, { jar })),
      'ok',
    )
}

checkModule('account', 'H-357', 'one inbox gets a few emails an hour, across all actions', async (world) => {
  const victim = await world.newSession()
  const senders = await Promise.all(Array.from({ length: 3 }, () => world.newSession()))
  for (let round = 0; round < 4; round++) {
    await submitAction(world, 'askForReset', { email: victim.email })
    await submitAction(world, 'signUp', { name: 'X', email: victim.email, password: chosen })
    for (const { jar } of senders) assert.equal(verdict(await requestEmail(world, jar, victim.email)), 'ok')
  }
  const flood = await world.emailsTo(victim.email)
  const resetCount = flood.filter(({ subject }) => subject === 'Reset your password').length
  assert.ok(flood.length - resetCount >= 5 && flood.length <= 13, `${flood.length} emails for 20 requests`)
  // Flooding the inbox suppresses neither a link to reset the password nor notices about the account.
  await submitAction(world, 'askForReset', { email: victim.email })
  assert.equal((await world.emailsTo(victim.email)).at(-1)?.subject, 'Reset your password')
  await makeTokens(world, victim.jar, 1)
  assert.equal((await world.emailsTo(victim.email)).at(-1)?.subject, 'An API token was created')
  // The same limit applies to an email without an account.
  const unknownEmail = unusedEmail()
  for (const { jar } of senders) {
    await world.query(`delete from rate_limits where key like 'email_change%'`)
    for (let tries = 0; tries < 5; tries++) await requestEmail(world, jar, unknownEmail)
  }
  assert.ok((await world.emailsTo(unknownEmail)).length <= 10)
  if (!hasModule('organizations')) return
  // Nor does a new subject help, which has the name of the inviter.
  const invite = await newInviter(world)
  const invitedEmail = unusedEmail()
  for (let sent = 0; sent < 12; sent++) await invite(`Name ${sent}`, invitedEmail)
  assert.equal((await world.emailsTo(invitedEmail)).length, 10)
})

checkModule('account', 'H-358', 'actions that notify the user by email send at most a few an hour', async (world) => {
  const { jar, email } = await world.newSession()
  await makeTokens(world, jar, 20)
  const noticeCount = (await world.emailsTo(email)).length
  assert.ok(noticeCount >= 5 && noticeCount <= 13, `${noticeCount} emails for 20 tokens`)
  // Each kind of notice has its own limit, so a flood of one does not suppress another.
  assert.equal(verdict(await submitAction(world, 'changePassword', { current: password, next: chosen }, { jar })), 'ok')
  assert.equal((await world.emailsTo(email)).at(-1)?.subject, 'Your password was changed')
  const user = await userWithTwoFactor(world)
  for (let tries = 0; tries < 15; tries++) await submitAction(world, 'renewRecoveryCodes', {}, { jar: user.jar })
  assert.ok((await world.emailsTo(user.email)).length <= 14)
  await submitAction(world, 'disableTwoFactor', {}, { jar: user.jar })
  assert.equal((await world.emailsTo(user.email)).at(-1)?.subject, 'Two-factor authentication is off')
})

check('H-359', 'sign-ups and resets requested by third parties do not block the owner of the email', async (world) => {
  const ip = randomIp()
  const email = unusedEmail()
  const signUp = (options: { ip: string; jar?: Jar }) =>
    submitAction(world, 'signUp', { name: 'X', email, password: chosen }, options)
  const verdicts: string[] = []
  for (let tries = 0; tries < 4; tries++) verdicts.push(verdict(await signUp({ ip })))
  assert.deepEqual(verdicts, ['ok', 'ok', 'ok', 'rate_limited'])
  const jar = new Jar()
  const before = (await world.emailsTo(email)).length
  assert.equal(verdict(await signUp({ ip: randomIp(), jar })), 'ok')
  assert.equal((await world.emailsTo(email)).length, before + 1)
  const token = await tokenInEmail(world, email, 'Confirm your email')
  assert.equal(
    verdict(await submitAction(world, 'verifySignUpEmail', { token, password: chosen }, { jar })),
    'to /dashboard',
  )

  const testUser = await world.newUser()
  for (let tries = 0; tries < 4; tries++)
    assert.equal(verdict(await submitAction(world, 'askForReset', { email: testUser.email }, { ip })), 'ok')
  assert.equal((await world.emailsTo(testUser.email)).length, 3)
  await submitAction(world, 'askForReset', { email: testUser.email })
  assert.equal((await world.emailsTo(testUser.email)).length, 4)
})

check(
  'H-360',
  'no email to an unverified email contains a link that a third party chose as their name',
  async (world) => {
    const name = 'Claim your prize at evil.example'
    const joining = unusedEmail()
    assert.equal(verdict(await submitAction(world, 'signUp', { name, email: joining, password: chosen })), 'ok')
    const inboxes = [joining]
    if (hasModule('account')) {
      const { jar, id } = await world.newSession()
      await world.query('update users set name = $2 where id = $1', [id, name])
      inboxes.push(unusedEmail())
      await requestEmail(world, jar, inboxes[1] ?? '')
    }
    if (hasModule('organizations')) {
      inboxes.push(unusedEmail())
      const invite = await newInviter(world)
      await invite(name, inboxes.at(-1) ?? '')
    }
    for (const inbox of inboxes) {
      const [received] = await world.emailsTo(inbox)
      assert.ok(received, 'no email')
      assert.ok(!JSON.stringify(received).includes('evil.example'), received.text)
      assert.match(received.text, /^Hello,\n/)
    }
  },
)

check('H-361', 'failed provider sign-ins are limited by IP and recorded in the audit log', async (world) => {
  const ip = randomIp()
  const path = '/api/auth/callback/github?code=made-up&state=x'
  const statuses = new Map<number, number>()
  for (let tries = 0; tries < 61; tries++) {
    const { status } = await world.get(path, { ip })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  assert.deepEqual(
    [...statuses],
    [
      [302, 60],
      [429, 1],
    ],
  )
  const events = await world.query(
    `select details from audit_events where kind = 'signin.failed' and ip = $1 and details ->> 'reason' = 'provider'`,
    [ip],
  )
  assert.equal(events.length, 60)
  assert.equal(events[0].details.provider, 'github')
  // This IP can no longer complete a started sign-in either; other IPs can.
  const jar = new Jar()
  const callback = await giveConsent(await startOAuth(world.app, 'github', jar), 'github', unusedEmail())
  const refused = await call(world.app.url, callback.pathname + callback.search, { jar: jar.copy(), ip })
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers['retry-after']) > 0)
  assert.match((await callCallback(world.app, callback, jar)).headers.location ?? '', /\/dashboard$/)
})

checkModule(
  'account',
  'H-362',
  'a provider sign-in reauthenticates only if the user has just authenticated there',
  async (world) => {
    const make = (jar: Jar, node = world.app) =>
      submitAction(world, 'createApiToken', { name: 'x', role: 'viewer', days: 7 }, { jar, node })
    // A user who has only Google must authenticate there again.
    const { jar } = await signInWithProvider(world.app, 'google', unusedEmail())
    assert.equal(verdict(await make(jar)), 'ok')
    const { id } = (await world.getSession(jar)).user
    await world.setReauthenticatedAgo(id, '61 minutes')
    assert.equal(verdict(await make(jar)), 'reauth_required')
    const page = await world.get('/confirm', { jar })
    assert.ok(page.text.includes('name="isReauthenticating" value="yes"'), 'Google is not asked to reauthenticate')
    const input = { provider: 'google', callbackUrl: '/account/tokens', isReauthenticating: 'yes' }
    const started = await submitAction(world, 'startWithProvider', input, { jar })
    assert.equal(new URL(verdict(started).slice('to '.length)).searchParams.get('max_age'), '0')

    // The provider's auth_time decides.
    const provider = await startBadProvider()
    registerSecret(provider.secret)
    const node = await world.node('forgetful provider', provider.env)
    world.atEndOfGroup(() => provider.stop())
    const now = Math.floor(Date.now() / 1000)
    for (const [ago, expected] of [
      [0, 'ok'],
      [-3_600, 'ok'],
      [3_601, 'reauth_required'],
      [86_400, 'reauth_required'],
      [null, 'reauth_required'],
    ] as const) {
      const time = ago === null ? {} : { auth_time: now - ago }
      provider.setBehavior({ claims: { email: unusedEmail(), email_verified: true, name: 'Test User', ...time } })
      const visitor = new Jar()
      const redirect = await fetch(await startOAuth(node, 'google', visitor), { redirect: 'manual' })
      await callCallback(node, new URL(redirect.headers.get('location') ?? ''), visitor)
      registerSecret(...provider.issued)
      assert.equal(verdict(await make(visitor, node)), expected, `signed in there ${ago} seconds ago`)
    }

    // A user with a password reauthenticates with it, however recent the provider sign-in is.
    for (const providerId of ['google', 'github'] as const) {
      const email = unusedEmail()
      const first = await signInWithProvider(world.app, providerId, email)
      assert.match(
        verdict(await submitAction(world, 'setFirstPassword', { password: chosen }, { jar: first.jar })),
        /^to /,
      )
      const { jar: again } = await signInWithProvider(world.app, providerId, email)
      assert.equal(verdict(await make(again)), 'reauth_required', providerId)
      assert.match(verdict(await submitAction(world, 'reauthenticate', { password: chosen }, { jar: again })), /^to /)
      assert.equal(verdict(await make(again)), 'ok')
    }
  },
)

check('H-363', 'signing in with a provider ends the previous session of the browser', async (world) => {
  for (const provider of ['google', 'github'] as const) {
    const { jar, token, id } = await world.newSession()
    const { result } = await signInWithProvider(world.app, provider, unusedEmail(), jar)
    assert.match(result.headers.location ?? '', /\/dashboard$/)
    assert.notEqual((await world.getSession(jar)).user.id, id)
    assert.equal(await world.getSession(token), null, `${provider}: the previous session is still valid`)
  }
})
