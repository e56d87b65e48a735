import { agreeAt, continueWith, elsewhere, enterAsSomebody, sessionOf } from '../../../tests/support/enter.ts'
import { allMailIsSent, linkIn, mailsTo, mailTo } from '../../../tests/support/inbox.ts'
import { expect, expectAccessible, signIn, test } from '../../../tests/support/journey.ts'
import { newPerson } from '../../../tests/support/person.ts'
import { query } from '../../../tests/support/query.ts'

const someEmail = () => `Moved.${crypto.randomUUID().slice(0, 8)}@Example.com`

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a person changes their address: confirmed at the new one, told at the old one', async ({
      page,
      password,
    }) => {
      const former = await enterAsSomebody(page, password)
      const typed = someEmail()
      const email = typed.toLowerCase()
      await page.goto('/account/email')
      await page.getByLabel('New e-mail address').fill(typed)
      await page.getByRole('button', { name: 'Send the link' }).click()
      await expect(page.getByRole('main').getByRole('status')).toContainText(email)
      expect((await sessionOf(page)).user.email).toBe(former)
      const link = linkIn(await mailTo(email, 'Confirm your new e-mail address'))

      await page.goto(link)
      expect((await sessionOf(page)).user.email).toBe(former)
      await page.getByRole('button', { name: 'Use this address' }).click()
      await expect(page.getByRole('status')).toContainText(email)
      expect((await sessionOf(page)).user.email).toBe(email)
      await mailTo(former, 'Your e-mail address was changed')
      await page.goto(link)
      await expect(page.getByRole('main').getByRole('alert')).toContainText('used already, or is too old')
      await page.context().clearCookies()
      await signIn(page, email, password)
      await expect(page).toHaveURL('/dashboard')
    })
  })
}

test('an address that somebody has is asked for as any other, and cannot be taken', async ({ page, password }) => {
  const other = await newPerson()
  const former = await enterAsSomebody(page, password)
  await page.goto('/account/email')
  await page.getByLabel('New e-mail address').fill(other.toUpperCase())
  await page.getByRole('button', { name: 'Send the link' }).click()
  await expect(page.getByRole('main').getByRole('status')).toContainText(`We sent a link to ${other}`)
  const mail = await mailTo(other, 'This address has an account already')
  expect(mail.text).not.toContain('token=')
  expect((await sessionOf(page)).user.email).toBe(former)
})

test('the address that counts is the one whose link was used, whatever was asked for later', async ({
  page,
  password,
}) => {
  const former = await enterAsSomebody(page, password)
  const [first, second] = [someEmail().toLowerCase(), someEmail().toLowerCase()]
  for (const email of [first, second]) {
    await page.goto('/account/email')
    await page.getByLabel('New e-mail address').fill(email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await mailTo(email, 'Confirm your new e-mail address')
  }
  const [later] = await mailsTo(second)
  await page.goto(linkIn(await mailTo(first, 'Confirm your new e-mail address')))
  await page.getByRole('button', { name: 'Use this address' }).click()
  await expect(page.getByRole('status')).toContainText(first)
  expect((await sessionOf(page)).user.email).toBe(first)
  await page.goto(linkIn(later ?? (await mailTo(second, ''))))
  await expect(page.getByRole('main').getByRole('alert')).toContainText('used already')
  expect(former).not.toBe(first)
})

test('somebody who did not change it has their address back, and everybody else is out', async ({
  page,
  password,
  appUrl,
}) => {
  const former = await enterAsSomebody(page, password)
  const email = someEmail().toLowerCase()
  await page.goto('/account/email')
  await page.getByLabel('New e-mail address').fill(email)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await page.goto(linkIn(await mailTo(email, 'Confirm your new e-mail address')))
  await page.getByRole('button', { name: 'Use this address' }).click()
  await expect(page.getByRole('status')).toContainText(email)

  const owner = await elsewhere(page, appUrl)
  await owner.goto(linkIn(await mailTo(former, 'Your e-mail address was changed')))
  await expect(owner.getByText(`Your address is ${former} again`)).toBeVisible()
  await owner.getByRole('button', { name: 'Shut everybody out' }).click()
  await expect(owner.getByRole('status')).toContainText(former)
  expect(await sessionOf(page)).toBeNull()
  expect(await query('select 1 from users where email = $1', [former])).toHaveLength(1)
  await owner.context().close()
})

test('a link to choose a password that was sent before the change is dead', async ({ page, password }) => {
  const former = await enterAsSomebody(page, password)
  await page.goto('/forgot')
  await page.getByLabel('E-mail').fill(former)
  await page.getByRole('button', { name: /link/i }).click()
  const reset = linkIn(await mailTo(former, 'Choose a new password'))
  const email = someEmail().toLowerCase()
  await page.goto('/account/email')
  await page.getByLabel('New e-mail address').fill(email)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await page.goto(linkIn(await mailTo(email, 'Confirm your new e-mail address')))
  await page.getByRole('button', { name: 'Use this address' }).click()
  await expect(page.getByRole('status')).toContainText(email)
  await page.goto(reset)
  await expect(page.getByRole('heading', { name: 'This link does not work any more' })).toBeVisible()
})

test('a person who thinks better of it keeps their address', async ({ page, password }) => {
  const former = await enterAsSomebody(page, password)
  const email = someEmail().toLowerCase()
  await page.goto('/account/email')
  await page.getByLabel('New e-mail address').fill(email)
  await page.getByRole('button', { name: 'Send the link' }).click()
  const link = linkIn(await mailTo(email, 'Confirm your new e-mail address'))
  await page.goto('/account/email')
  await expectAccessible(page)
  await page.getByRole('button', { name: `Keep ${former}` }).click()
  await expect(page.getByText('waits to be confirmed')).toHaveCount(0)
  await page.goto(link)
  await expect(page.getByRole('main').getByRole('alert')).toContainText('used already, or is too old')
})

test('somebody without a password connects another service, sets a password, and can then leave the first', async ({
  page,
}) => {
  test.slow()
  const email = someEmail().toLowerCase()
  await continueWith(page, 'Google', email)
  await expect(page).toHaveURL('/dashboard')
  await page.goto('/account/connections')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Disconnect Google' }).click()
  await expect(page.getByRole('main').getByRole('alert')).toContainText('your only way to sign in')
  await page.getByRole('link', { name: 'Connect GitHub' }).click()
  await page.getByRole('button', { name: 'Connect GitHub' }).click()
  await agreeAt(page, 'GitHub', email)
  await expect(page.getByRole('heading', { name: 'GitHub is connected' })).toBeVisible()

  await page.goto('/account/password')
  await expectAccessible(page)
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByRole('button', { name: 'Set the password' }).click()
  await expect(page.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/Use at least/)
  await page.getByLabel('Password', { exact: true }).fill('an entirely new one')
  await page.getByRole('button', { name: 'Set the password' }).click()
  await expect(page.getByRole('main').getByRole('status')).toContainText('You have a password now')
  for (const name of ['Disconnect Google', 'Disconnect GitHub']) {
    await page.goto('/account/connections')
    await page.getByRole('button', { name }).click()
    await expect(page.getByRole('button', { name })).toHaveCount(0)
  }
  await allMailIsSent()
  await page.context().clearCookies()
  await signIn(page, email, 'an entirely new one')
  await expect(page).toHaveURL('/dashboard')
})
