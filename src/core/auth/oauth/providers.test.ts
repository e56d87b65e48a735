import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { root } from '../../../../scripts/root.ts'
import { checkEnv, coreEnv } from '../../env'
import { formTargetsAtBuild, listProviders } from './provider-files'
import { configuredProviders, findConfiguredProvider, findProvider, providerName } from './providers'

const acme = {
  AUTH_OIDC_ACME_EU_ISSUER: 'https://login.acme.example/tenant',
  AUTH_OIDC_ACME_EU_CLIENT_ID: 'an-id',
  AUTH_OIDC_ACME_EU_CLIENT_SECRET: 'a-secret',
}
const production = {
  NODE_ENV: 'production',
  AUTH_SECRET: 'Vq3kX0pYw8sTn5bRj2mCz7hLd4fGa9uE1iOo6',
  AUTH_URL: 'https://app.example.com',
  DATABASE_URL: 'postgres://app:app@db.internal:5432/app',
  SMTP_URL: 'smtps://app:app@mail.internal',
  MAIL_FROM: 'app@example.com',
}

const setEnv = (settings: Record<string, string>) => {
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value)
}
afterEach(() => vi.unstubAllEnvs())

describe('the providers', () => {
  test('have an id, a name and a logo each, and settings that .env can hold', () => {
    const providers = listProviders()
    expect(new Set(providers.map(({ id }) => id)).size).toBe(providers.length)
    for (const { id, name, logo } of providers) {
      expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      expect(name).not.toBe('')
      expect(logo.length).toBeGreaterThan(0)
    }
    for (const name of coreEnv.names) expect(name).toMatch(/^[A-Z][A-Z0-9_]*$/)
  })

  test('are described in .env.example, with the other settings of core', () => {
    const example = readFileSync(join(root, '.env.example'), 'utf8')
    expect(coreEnv.names.filter((name) => !example.includes(`\n${name}=`))).toEqual([])
    expect(example).toContain('\n# AUTH_OIDC_ACME_ISSUER=')
  })

  test('are offered when both id and secret are set', () => {
    setEnv({ AUTH_GOOGLE_ID: '', AUTH_GOOGLE_SECRET: '', AUTH_GITHUB_ID: 'id', AUTH_GITHUB_SECRET: '' })
    expect(configuredProviders()).toEqual([])
    setEnv({ AUTH_GITHUB_SECRET: 'secret' })
    expect(configuredProviders().map(({ id }) => id)).toEqual(['github'])
    expect(findConfiguredProvider('google')).toBeUndefined()
    expect(findProvider('google')?.name).toBe('Google')
  })

  test('are allowed as targets of forms, and so are their stand-ins', () => {
    expect(formTargetsAtBuild).toEqual(expect.arrayContaining(['https://accounts.google.com', 'https://github.com']))
    setEnv({ AUTH_GOOGLE_ISSUER: 'http://localhost:9999' })
    expect(findProvider('google')).toMatchObject({
      isStandIn: true,
      issuer: 'http://localhost:9999',
      formTargets: ['https://accounts.google.com', 'http://localhost:9999'],
    })
  })

  test('ask the user to authenticate again where they support it', () => {
    setEnv(acme)
    expect(findProvider('google')?.reauthentication).toMatchObject({
      max_age: '0',
      claims: expect.stringContaining('auth_time'),
    })
    expect(findProvider('github')?.reauthentication).toBeUndefined()
    expect(findProvider('oidc-acme-eu')?.reauthentication).toEqual({ prompt: 'login', max_age: '0' })
  })

  test('count an email as verified only if they say so', () => {
    for (const claim of [undefined, false, 'true', 1])
      expect(findProvider('google')?.isEmailVerified({ email_verified: claim }), String(claim)).toBe(false)
    expect(findProvider('google')?.isEmailVerified({ email_verified: true })).toBe(true)
  })

  test('are shown by their id once they no longer exist', () => {
    expect(providerName('github')).toBe('GitHub')
    expect(providerName('removed')).toBe('removed')
  })
})

describe('an OpenID issuer', () => {
  test('is a provider as soon as its settings exist', async () => {
    expect(findProvider('oidc-acme-eu')).toBeUndefined()
    setEnv(acme)
    expect(findConfiguredProvider('oidc-acme-eu')).toMatchObject({
      name: 'Acme Eu',
      issuer: acme.AUTH_OIDC_ACME_EU_ISSUER,
      formTargets: ['https://login.acme.example'],
    })
    setEnv({ AUTH_OIDC_ACME_EU_NAME: 'Acme staff' })
    const config = await findProvider('oidc-acme-eu')?.load({ options: {}, fetchFn: fetch })
    expect(config).toMatchObject({
      id: 'oidc-acme-eu',
      name: 'Acme staff',
      type: 'oidc',
      clientId: 'an-id',
      checks: ['pkce', 'state', 'nonce'],
    })
  })

  test('has users of its own: another issuer with the same subjects does not get their accounts', async () => {
    const idAt = async (provider: string, issuer: string, sub?: string) => {
      setEnv({ ...acme, AUTH_OIDC_ACME_EU_ISSUER: issuer, AUTH_GOOGLE_ID: 'id', AUTH_GOOGLE_SECRET: 'secret' })
      const config = await findProvider(provider)?.load({ options: {}, fetchFn: fetch })
      // Auth.js keeps what its own providers were given in `options`.
      const { profile, options } = config as unknown as { profile: unknown; options?: { profile?: unknown } }
      const toUser = (options?.profile ?? profile) as (profile: object) => { id?: string }
      return toUser({ sub, id: 7 }).id
    }
    const [one, other] = ['https://login.acme.example/one', 'https://login.acme.example/other']
    const id = await idAt('oidc-acme-eu', one, 'ada')
    expect(id).toMatch(/^[\w-]{16}:ada$/)
    expect(await idAt('oidc-acme-eu', one, 'ada')).toBe(id)
    expect(await idAt('oidc-acme-eu', other, 'ada')).not.toBe(id)
    expect(await idAt('oidc-acme-eu', one, undefined)).toBeUndefined()
    expect(await idAt('google', one, 'ada')).toBe('ada')
    expect(await idAt('github', one)).toBe('7')
  })

  test('stands beside others', () => {
    setEnv(acme)
    setEnv({ AUTH_OIDC_A_ISSUER: 'https://a.example', AUTH_OIDC_A_CLIENT_ID: 'x', AUTH_OIDC_A_CLIENT_SECRET: 'y' })
    const issuers = listProviders().filter(({ id }) => id.startsWith('oidc-'))
    expect(issuers.map(({ id }) => id)).toEqual(['oidc-a', 'oidc-acme-eu'])
  })

  test('vouches for emails without a claim only if that is set', () => {
    setEnv(acme)
    expect(findProvider('oidc-acme-eu')?.isEmailVerified({ email: 'ada@example.com' })).toBe(false)
    setEnv({ AUTH_OIDC_ACME_EU_TRUST_EMAIL: 'true' })
    expect(findProvider('oidc-acme-eu')?.isEmailVerified({ email: 'ada@example.com' })).toBe(true)
    const unverified = { email: 'ada@example.com', email_verified: false }
    expect(findProvider('oidc-acme-eu')?.isEmailVerified(unverified)).toBe(false)
  })

  test.each([
    [{ AUTH_OIDC_ACME_EU_CLIENT_SECRET: '' }, 'AUTH_OIDC_ACME_EU_CLIENT_SECRET: is missing'],
    [{ AUTH_OIDC_ACME_EU_ISSUER: '' }, 'AUTH_OIDC_ACME_EU_ISSUER: is missing'],
    [{ AUTH_OIDC_ACME_EU_ISSUER: 'login.acme.example' }, 'AUTH_OIDC_ACME_EU_ISSUER: is not a URL'],
    [{ AUTH_OIDC_ACME_EU_ISSUER: 'http://login.acme.example' }, 'AUTH_OIDC_ACME_EU_ISSUER: must be https'],
    [{ AUTH_OIDC_ACME_EU_ISSUER: 'http://localhost:9999' }, 'AUTH_OIDC_ACME_EU_ISSUER: must be https'],
    [{ AUTH_OIDC_ACME_EU_ISSUER: 'https://a.example?b' }, 'AUTH_OIDC_ACME_EU_ISSUER: is not an issuer'],
    [{ AUTH_OIDC_ACME_EU_TRUST_EMAIL: 'yes' }, 'AUTH_OIDC_ACME_EU_TRUST_EMAIL: can only be true'],
    [{ AUTH_OIDC_ACME_EU_CLIENTID: 'x' }, 'AUTH_OIDC_ACME_EU_CLIENTID: is not a setting'],
    [{ AUTH_OIDC_ISSUER: 'https://a.example' }, 'AUTH_OIDC_ISSUER: is not a setting'],
  ])('with %j keeps production from starting', (change, problem) => {
    expect(checkEnv([coreEnv], { ...production, ...acme })).toBe('')
    expect(checkEnv([coreEnv], { ...production, ...acme, ...change })).toContain(problem)
  })

  test('may run on this machine while the app does, too', () => {
    const local = { ...acme, AUTH_OIDC_ACME_EU_ISSUER: 'http://localhost:9999' }
    expect(checkEnv([coreEnv], { ...production, ...local, AUTH_URL: 'http://localhost:3000' })).toBe('')
  })
})
