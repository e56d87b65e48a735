// Guessing with a session or a trusted device, locking the owner out, and expensive work.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { Secret, TOTP } from 'otpauth'
import { appSlug } from '../../../src/brand.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { check, checkModule } from '../../app/support/checks.ts'
import { hasModule } from '../../app/support/has-module.ts'
import { Jar } from '../../app/support/http-client.ts'
import { randomIp } from '../../app/support/random-ip.ts'
import { registerSecret } from '../../app/support/response-invariants.ts'
import { verdict } from '../../app/support/server-actions.ts'
import {
  password,
  randomToken,
  type TestUser,
  unusedEmail,
  type World,
  wrongPassword,
} from '../../app/support/test-world.ts'
import { insertToken } from './support/insert-token.ts'

const newPassword = 'quite another phrase of words 5'
registerSecret(newPassword)

const repeat = async <T>(fill: number, work: (index: number) => Promise<T>): Promise<T[]> => {
  const results: T[] = []
  for (let index = 0; index < fill; index++) results.push(await work(index))
  return results
}
const fill = <T>(count: number, value: T) => Array<T>(count).fill(value)

/** Resets these rate limits, as if their window had passed. */
const resetLimit = async (world: World, name: string) => {
  await world.query('delete from rate_limits where key like $1', [`${name}:%`])
  await waitForCacheExpiry()
}

/** A node caches for a second that a key is over its limit. */
const waitForCacheExpiry = () => pause(1_100)

/** A link to accept an invitation; returns its token. */
async function insertInvitation(world: World, email: string): Promise<string> {
  await world.query(`insert into admin_invitations (email, role) values ($1, 'viewer')`, [email])
  return insertToken(world, 'admin.invitation', { email })
}

const reauthenticate = (world: World, jar: Jar, typed: string) =>
  submitAction(world, 'reauthenticate', { password: typed }, { jar })
const change = (world: World, jar: Jar, current: string, next: string) =>
  submitAction(world, 'changePassword', { current, next }, { jar })

/** Uses up the account's attempts from ten IPs; the next one is rejected. */
async function exhaustAttempts(world: World, email: string): Promise<void> {
  const seen = await repeat(10, async () => (await world.trySignIn(email, wrongPassword)).status)
  assert.deepEqual([...new Set(seen)], [401])
  assert.equal((await world.trySignIn(email, wrongPassword)).status, 429)
}

/** Whether this trusted device's cookie is still valid, after all attempts of untrusted browsers are used up. */
async function isTrusted(world: World, email: string, typed: string, deviceCookie: string): Promise<boolean> {
  await exhaustAttempts(world, email)
  const { status } = await world.trySignIn(email, typed, { jar: new Jar({ [`${appSlug}.device`]: deviceCookie }) })
  assert.ok(status === 200 || status === 429, `${status}`)
  return status === 200
}

const failuresOf = async (world: World, { id }: TestUser) =>
  (await world.query('select failures from passwords where user_id = $1', [id]))[0].failures
const setFailures = (world: World, { id }: TestUser, failures: number) =>
  world.query('update passwords set failures = $2 where user_id = $1', [id, failures])

async function reset(world: World, email: string, next: string, jar = new Jar()): Promise<void> {
  await submitAction(world, 'askForReset', { email })
  const emails = (await world.emailsTo(email)).filter(({ subject }) => subject === 'Reset your password')
  const token = /token=([\w-]{43})/.exec(emails.at(-1)?.text ?? '')?.[1]
  const response = await submitAction(world, 'chooseNewPassword', { token, password: next }, { jar })
  assert.equal(verdict(response), 'to /signin?notice=password_changed')
}

/** A signed-in user with a second factor, a function that makes its codes, and the recovery codes. */
async function withSecondFactor(world: World) {
  const testUser = await world.newSession()
  const { jar } = testUser
  assert.match(verdict(await submitAction(world, 'prepareTwoFactor', {}, { jar })), /two-factor\/setup/)
  const { text } = await world.get('/account/two-factor/setup', { jar })
  const key = /secret=([A-Z2-7]{32})/.exec(text)?.[1] ?? assert.fail('no secret on the page')
  registerSecret(key)
  const totp = new TOTP({ secret: Secret.fromBase32(key) })
  const on = await submitAction(world, 'enableTwoFactor', { code: totp.generate() }, { jar })
  assert.equal(verdict(on), 'ok')
  const { codes } = (on.value as { data: { codes: string } }).data
  /** The current code, as if none had been used yet. */
  const rightCode = async () => {
    await world.query('update account_totp set last_step = 0 where user_id = $1', [testUser.id])
    return totp.generate()
  }
  return {
    ...testUser,
    rightCode,
    isRight: (code: string) => totp.validate({ token: code, window: 2 }) !== null,
    codes: codes.split('\n'),
  }
}

const enterCode = (world: World, jar: Jar, code: string) =>
  world.get('/api/auth/challenge', { body: { code, redirect: false }, jar })

checkModule('account', 'H-342', 'a password change does not replace the second factor', async (world) => {
  const sensitive: [name: string, input: object][] = [
    ['disableTwoFactor', {}],
    ['createApiToken', { name: 'x', role: 'viewer', days: 30 }],
    ['changeEmail', { email: unusedEmail() }],
    ['beginPasskey', {}],
    ['renewRecoveryCodes', {}],
  ]
  const { jar, id } = await withSecondFactor(world)
  const age = () => world.setReauthenticatedAgo(id, '2 hours')
  await age()
  const outcomes = async () => {
    const seen: string[] = []
    for (const [name, input] of sensitive)
      seen.push(`${name}: ${verdict(await submitAction(world, name, input, { jar }))}`)
    return seen
  }
  const asked = sensitive.map(([name]) => `${name}: reauth_required`)
  assert.deepEqual(await outcomes(), asked)
  assert.equal(verdict(await change(world, jar, password, newPassword)), 'ok')
  assert.deepEqual(await outcomes(), asked, 'a new password reauthenticated the session without the second factor')
  // Nor does the reauthentication time change: it expires when it would have expired.
  const confirmed = 'select confirmed_at from sessions where user_id = $1'
  const before = await world.query(confirmed, [id])
  assert.equal(verdict(await change(world, jar, newPassword, password)), 'ok')
  assert.deepEqual(await world.query(confirmed, [id]), before)
  // For a user without a second factor the password is enough.
  const plain = await world.newSession()
  await world.setReauthenticatedAgo(plain.id, '2 hours')
  assert.equal(verdict(await change(world, plain.jar, password, newPassword)), 'ok')
  assert.equal(verdict(await submitAction(world, 'beginPasskey', {}, { jar: plain.jar })), 'ok')
})

checkModule(
  'account',
  'H-404',
  'a form reauthenticates with password and code, never with one of them',
  async (world) => {
    const { jar, id, rightCode, isRight } = await withSecondFactor(world)
    const age = () => world.setReauthenticatedAgo(id, '2 hours')
    await age()
    const attempt = async (fields: Record<string, unknown>) =>
      verdict(await submitAction(world, 'beginPasskey', fields as Record<string, string>, { jar }))
    const wrong = ['000000', '111111', '222222', '333333'].find((code) => !isRight(code))
    const without = 'reauthenticated without the second factor'
    assert.equal(await attempt({ ownPassword: password }), 'reauth_required', without)
    assert.equal(await attempt({ ownPassword: password, ownCode: [await rightCode()] }), 'reauth_required', without)
    assert.equal(await attempt({ ownPassword: password, ownCode: wrong }), 'invalid_credentials', without)
    assert.equal(await attempt({ ownCode: await rightCode() }), 'reauth_required')
    assert.equal(await attempt({ ownPassword: wrongPassword, ownCode: await rightCode() }), 'invalid_credentials')
    // None of these used the code up, and none reauthenticated the session.
    const code = await rightCode()
    assert.equal(await attempt({}), 'reauth_required')
    assert.equal(await attempt({ ownPassword: password, ownCode: code }), 'ok')
    assert.equal(await attempt({}), 'ok')
    await age()
    assert.equal(await attempt({ ownPassword: password, ownCode: code }), 'invalid_credentials', 'a code worked twice')
    await resetLimit(world, 'second_factor')
    const guess = () => attempt({ ownPassword: password, ownCode: wrong })
    assert.deepEqual(await repeat(6, guess), [...fill(5, 'invalid_credentials'), 'rate_limited'])
    assert.equal(await attempt({ ownPassword: password, ownCode: await rightCode() }), 'rate_limited')
  },
)

check(
  'H-343',
  'ten wrong passwords in a session end it, count as failed attempts, and the user is notified',
  async (world) => {
    const testUser = await world.newSession()
    const { email, jar } = testUser
    const elsewhere = await world.signIn(testUser)
    const guess = async (index: number) => {
      if (index % 5 === 0) await resetLimit(world, 'confirm')
      return verdict(await reauthenticate(world, jar, `${wrongPassword} ${index}`))
    }
    assert.deepEqual(await repeat(10, guess), [...fill(9, 'invalid_credentials'), 'unauthenticated'])
    assert.equal(await failuresOf(world, testUser), 10)
    assert.equal(await world.getSession(jar), null)
    assert.equal((await world.getSession(elsewhere)).user.id, testUser.id)
    assert.deepEqual(
      (await world.emailsTo(email)).map(({ subject }) => subject),
      ['A session was signed out after 10 wrong passwords'],
    )
    // The right password resets the failure count.
    await resetLimit(world, 'confirm')
    const wrong = (count: number) =>
      repeat(count, async () => verdict(await reauthenticate(world, elsewhere, wrongPassword)))
    assert.deepEqual(await wrong(4), fill(4, 'invalid_credentials'))
    assert.match(verdict(await reauthenticate(world, elsewhere, password)), /^to /)
    assert.equal(await failuresOf(world, testUser), 0)
    await resetLimit(world, 'confirm')
    assert.deepEqual(await wrong(5), fill(5, 'invalid_credentials'))
    await resetLimit(world, 'confirm')
    assert.deepEqual(await wrong(4), fill(4, 'invalid_credentials'))
    assert.equal((await world.getSession(elsewhere)).user.id, testUser.id)
    // There is a daily limit, however many sessions the user has.
    const other = await world.newUser()
    const guesses: string[] = []
    for (let session = 0; session < 6; session++) {
      const stolen = await world.insertSession(other)
      for (let index = 0; index < 9; index++) {
        if (index % 5 === 0) await resetLimit(world, 'confirm')
        guesses.push(verdict(await reauthenticate(world, stolen, wrongPassword)))
      }
    }
    assert.deepEqual(guesses, [...fill(50, 'invalid_credentials'), ...fill(4, 'rate_limited')])
    await resetLimit(world, 'confirm')
    assert.equal(verdict(await reauthenticate(world, await world.insertSession(other), password)), 'rate_limited')
  },
  { full: 'takes long' },
)

check(
  'H-344',
  'the 100th wrong password locks untrusted browsers out, 20 more lock everything; only trusted attempts count toward those',
  async (world) => {
    const testUser = await world.newSession()
    const { email, jar } = testUser
    const deviceCookie = () => new Jar({ [`${appSlug}.device`]: jar.get(`${appSlug}.device`) })
    await setFailures(world, testUser, 99)
    assert.equal(verdict(await reauthenticate(world, jar, wrongPassword)), 'invalid_credentials')
    assert.equal(await failuresOf(world, testUser), 100)
    const subjects = async () => (await world.emailsTo(email)).map(({ subject }) => subject)
    assert.deepEqual(await subjects(), ['Someone is trying to guess your password'])
    assert.equal((await world.trySignIn(email)).status, 401)
    // Further attempts from untrusted browsers are not counted.
    assert.deepEqual(await repeat(3, async () => (await world.trySignIn(email, wrongPassword)).status), fill(3, 401))
    assert.equal(await failuresOf(world, testUser), 100)
    assert.equal((await world.trySignIn(email, password, { jar: deviceCookie() })).status, 200)

    await setFailures(world, testUser, 118)
    assert.equal((await world.trySignIn(email, wrongPassword, { jar: deviceCookie() })).status, 401)
    assert.equal(verdict(await reauthenticate(world, jar, wrongPassword)), 'invalid_credentials')
    assert.equal(await failuresOf(world, testUser), 120)
    assert.equal((await subjects()).length, 2)
    assert.equal(
      (await world.trySignIn(email, password, { jar: deviceCookie() })).status,
      401,
      'a trusted device is never locked',
    )
    const compared = await world.countPasswordComparisons(async () =>
      assert.equal(
        verdict(await reauthenticate(world, jar, password)),
        'invalid_credentials',
        'a session is never locked',
      ),
    )
    assert.equal(compared, 0)
    await reset(world, email, newPassword)
    assert.equal((await world.trySignIn(email, newPassword)).status, 200)
  },
  { full: 'takes long' },
)

checkModule(
  'account',
  'H-345',
  'a trusted device is no longer trusted after a password change, a reset or “Secure my account”',
  async (world) => {
    const changes: [how: string, work: (testUser: TestUser, jar: Jar) => Promise<void>][] = [
      ['a password reset', ({ email }) => reset(world, email, newPassword)],
      [
        'a new password',
        async (_, jar) => {
          const old = jar.get(`${appSlug}.device`)
          assert.equal(verdict(await change(world, jar, password, newPassword)), 'ok')
          assert.notEqual(jar.get(`${appSlug}.device`), old)
        },
      ],
      [
        '“Secure my account”',
        async ({ email }, jar) => {
          assert.equal(verdict(await change(world, jar, password, `${newPassword} too`)), 'ok')
          const token = /token=([\w-]{43})/.exec((await world.emailsTo(email)).at(-1)?.text ?? '')?.[1]
          assert.equal(verdict(await submitAction(world, 'submitCompromiseReport', { token })), 'ok')
          await reset(world, email, newPassword)
        },
      ],
    ]
    for (const [how, work] of changes) {
      const testUser = await world.newUser()
      const owner = await world.signIn(testUser)
      const attackerDevice = (await world.signIn(testUser)).get(`${appSlug}.device`)
      await work(testUser, owner)
      assert.equal(
        await isTrusted(world, testUser.email, newPassword, attackerDevice),
        false,
        `the device survived ${how}`,
      )
    }
    // The browser that set the new password is trusted from then on.
    for (const method of ['change', 'reset']) {
      const { email, jar } = await world.newSession()
      if (method === 'change') await change(world, jar, password, newPassword)
      else await reset(world, email, newPassword, jar)
      assert.equal(await isTrusted(world, email, newPassword, jar.get(`${appSlug}.device`)), true, method)
    }
    if (!hasModule('admin')) return
    const email = unusedEmail()
    const token = await insertInvitation(world, email)
    const jar = new Jar()
    await submitAction(world, 'acceptInvitation', { token, name: 'Test User', password: newPassword }, { jar })
    assert.equal(await isTrusted(world, email, newPassword, jar.get(`${appSlug}.device`)), true, 'invitation')
  },
)

check(
  'H-346',
  'a trusted device has 30 wrong attempts a day, and they count toward the lock',
  async (world) => {
    const testUser = await world.newSession()
    const jar = () => new Jar({ [`${appSlug}.device`]: testUser.jar.get(`${appSlug}.device`) })
    const seen = await repeat(31, async (index) => {
      if (index % 5 === 0) await resetLimit(world, 'signin_device')
      return world.trySignIn(testUser.email, wrongPassword, { jar: jar() })
    })
    assert.deepEqual(
      seen.map(({ status }) => status),
      [...fill(30, 401), 429],
    )
    assert.ok(Number(seen.at(-1)?.headers['retry-after']) > 3600)
    assert.equal(await failuresOf(world, testUser), 30)
    // The daily limit of this device is used up, so the right password is rejected there too, but not elsewhere.
    assert.equal((await world.trySignIn(testUser.email, password, { jar: jar() })).status, 429)
    assert.equal((await world.trySignIn(testUser.email)).status, 200)
  },
  { full: 'takes long' },
)

check(
  'H-347',
  'a password reset unlocks sign-in on every node, whatever attempts others used up',
  async (world) => {
    const { email } = await world.newUser()
    const second = await world.node('second')
    const before = new Set((await world.query('select key from rate_limits')).map(({ key }) => key))
    await exhaustAttempts(world, email)
    const counts = await world.query(`select key from rate_limits where key like 'signin_account_day:%'`)
    const day = counts.map(({ key }) => key).find((key) => !before.has(key)) ?? assert.fail('no daily count')
    await world.query('update rate_limits set points = 60 where key = $1', [day])
    await resetLimit(world, 'signin_account')
    for (const node of [world.app, second]) assert.equal((await world.trySignIn(email, password, { node })).status, 429)
    const owner = new Jar()
    await reset(world, email, newPassword, owner)
    await waitForCacheExpiry()
    for (const node of [second, world.app])
      assert.equal((await world.trySignIn(email, newPassword, { node })).status, 200, 'locked out after a reset')
    await exhaustAttempts(world, email)
    assert.equal(
      (await world.trySignIn(email, newPassword, { jar: owner })).status,
      200,
      'the browser of the reset is not trusted',
    )
  },
  { full: 'needs other servers' },
)

/** Four at a time, because requests that wait too long for the hash queue would fail. */
async function inBatches<T, R>(items: T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += 4)
    results.push(...(await Promise.all(items.slice(start, start + 4).map(work))))
  return results
}

check(
  'H-348',
  'many users sign in from one IP, and guessing from there does not block trusted devices',
  async (world) => {
    const ip = randomIp()
    const users = await world.newUsers(62)
    const seen = await inBatches(users, async ({ email }) => (await world.trySignIn(email, password, { ip })).status)
    assert.deepEqual([...new Set(seen)], [200])
    const trusted = await world.newSession()
    const guesses = await inBatches(
      fill(64, ''),
      async () => (await world.trySignIn(unusedEmail(), wrongPassword, { ip })).status,
    )
    assert.ok(guesses.filter((status) => status === 401).length <= 60, String(guesses))
    assert.equal((await world.trySignIn(trusted.email, password, { ip })).status, 429)
    assert.equal((await world.trySignIn(trusted.email, password, { ip, jar: trusted.jar })).status, 200)
  },
  { full: 'needs other servers' },
)

checkModule(
  'admin',
  'H-349',
  'many users accept invitations, reset passwords and sign up from one IP',
  async (world) => {
    const ip = randomIp()
    const users = await world.newUsers(32)
    const resets = await inBatches(users, async ({ id }) => {
      const link = await insertToken(world, 'reset', { userId: id })
      return verdict(await submitAction(world, 'chooseNewPassword', { token: link, password: newPassword }, { ip }))
    })
    assert.deepEqual([...new Set(resets)], ['to /signin?notice=password_changed'])
    const acceptedInvitations = await inBatches(
      fill(32, unusedEmail).map((make) => make()),
      async (email) => {
        const link = await insertInvitation(world, email)
        return verdict(
          await submitAction(
            world,
            'acceptInvitation',
            { token: link, name: 'Test User', password: newPassword },
            { ip },
          ),
        )
      },
    )
    assert.deepEqual([...new Set(acceptedInvitations)], ['to /dashboard'])
    const signUps = await inBatches(fill(22, unusedEmail), async (make) =>
      verdict(await submitAction(world, 'signUp', { name: 'Test User', email: make(), password: newPassword }, { ip })),
    )
    assert.deepEqual([...new Set(signUps)], ['ok'])
    // Invalid links count fully toward the limit.
    const guesses = await inBatches(fill(32, randomToken), async (make) =>
      verdict(await submitAction(world, 'chooseNewPassword', { token: make(), password: newPassword }, { ip })),
    )
    assert.equal(guesses.at(-1), 'rate_limited')
  },
  { full: 'takes long' },
)

checkModule(
  'account',
  'H-350',
  'wrong codes after a right password are reported by email, locked after 100, and do not block the owner',
  async (world) => {
    const testUser = await withSecondFactor(world)
    const { email, id, jar } = testUser
    // The owner's browser has completed both factors, so it is a trusted device.
    await world.trySignIn(email, password, { jar })
    assert.equal((await enterCode(world, jar, await testUser.rightCode())).status, 200)
    const first = async (who: Jar) => {
      const response = await world.trySignIn(email, password, { jar: who })
      assert.equal(response.json().challenge, 'totp')
      return who
    }
    const trusted = () => first(new Jar({ [`${appSlug}.device`]: jar.get(`${appSlug}.device`) }))
    const wrong = ['111111', '222222', '333333', '444444'].find((code) => !testUser.isRight(code)) ?? ''
    const emails = async () =>
      (await world.emailsTo(email)).filter(({ subject }) => subject === 'Someone may know your password').length

    const attacker = await first(new Jar())
    for (const expected of [0, 1]) {
      await resetLimit(world, 'second_factor')
      const guesses = await repeat(5, async () => (await enterCode(world, attacker, wrong)).status)
      assert.deepEqual(guesses, fill(5, 401))
      assert.equal(await emails(), expected)
    }
    // The daily attempts are used up; the owner has separate ones on the trusted device, and recovery codes.
    await world.query(`update rate_limits set points = 60 where key like 'second_factor_day:%' and points >= 10`)
    await resetLimit(world, 'second_factor')
    assert.equal((await enterCode(world, attacker, wrong)).status, 429)
    assert.equal((await enterCode(world, await trusted(), await testUser.rightCode())).status, 200)
    assert.equal((await enterCode(world, await first(new Jar()), testUser.codes[0] ?? '')).status, 200)

    const failures = async (count: number) => {
      await resetLimit(world, 'second_factor%')
      await world.query('update account_totp set failures = $2 where user_id = $1', [id, count])
    }
    await failures(99)
    const late = await first(new Jar())
    assert.equal((await enterCode(world, late, wrong)).status, 401)
    assert.equal(await emails(), 2)
    assert.equal(
      (await enterCode(world, late, await testUser.rightCode())).status,
      401,
      'guessed after a hundred wrong codes',
    )
    assert.equal((await enterCode(world, await trusted(), await testUser.rightCode())).status, 200)
    await failures(120)
    assert.equal((await enterCode(world, await trusted(), await testUser.rightCode())).status, 401)
    assert.equal((await enterCode(world, late, testUser.codes[1] ?? '')).status, 200)
    assert.equal((await enterCode(world, await first(new Jar()), await testUser.rightCode())).status, 200)
  },
  { full: 'takes long' },
)

checkModule(
  'account',
  'H-351',
  'a user cannot keep the hash queue busy with their own password',
  async (world) => {
    const { jar } = await world.newSession()
    const confirmed = await repeat(55, async () => verdict(await reauthenticate(world, jar, password)))
    assert.equal(confirmed.at(-1), 'rate_limited')
    assert.ok(confirmed.filter((one) => one.startsWith('to ')).length > 30, String(confirmed))
    // A first password is hashed only for a user without one, and only a few times.
    const first = (who: Jar) => submitAction(world, 'setFirstPassword', { password: newPassword }, { jar: who })
    const taken = await repeat(12, async () => verdict(await first(jar)))
    assert.deepEqual([...new Set(taken)], ['conflict'])
    const userWithoutPassword = await world.newUser({ hash: null })
    const own = await world.insertSession(userWithoutPassword)
    const set = await repeat(11, async () => {
      const response = await first(own)
      await world.query('delete from passwords where user_id = $1', [userWithoutPassword.id])
      return verdict(response)
    })
    assert.deepEqual(set, [...fill(10, 'to /account/password?done'), 'rate_limited'])
  },
  { full: 'measures time or memory' },
)
