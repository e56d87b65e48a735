'use server'

import type { Route } from 'next'
import { refresh } from 'next/cache'
import { redirect } from 'next/navigation'
import { z } from 'zod'
import { defineAction, definePublicAction } from '@/core/action'
import { changePassword as change, setFirstPassword as setFirst } from '@/core/auth/flows/change-password'
import { returnPath } from '@/core/auth/flows/return-path'
import { roles, signedIn } from '@/core/auth/policy'
import { signOut } from '@/core/auth/session/browser-session'
import { deleteUser } from '@/core/auth/user/delete'
import { updatePreferences } from '@/core/auth/user/preferences'
import { renameUser } from '@/core/auth/user/rename'
import { userFieldInputs, userFieldNames } from '@/core/auth/user-fields'
import { AppError } from '@/core/errors'
import { closeDialog } from '@/core/ui/close-dialog'
import { changePicture, removePicture as remove } from './avatars'
import * as email from './email-change'
import * as passkeys from './passkeys'
import * as secondFactor from './second-factor'
import { endSessions } from './sessions'
import { disconnect } from './sign-in-methods'
import { signInWithCode } from './sign-in-with-code'
import * as tokens from './tokens'
import * as twoFactorSetup from './two-factor-setup'

const emptyInput = z.object({})
const afterSignInPath = (callbackUrl: string | undefined) => returnPath(callbackUrl, '/dashboard') as Route

export const updateProfile = defineAction({
  allow: signedIn,
  input: z.object({ name: z.string(), ...userFieldInputs('profile') }),
  preserve: ['name', ...userFieldNames('profile')],
  run: async ({ input, actor }) => {
    const name = await renameUser(actor.id, input.name, input)
    if (userFieldNames('profile').length > 0) refresh()
    return { name }
  },
})

export const savePreferences = defineAction({
  allow: signedIn,
  input: z.object({ timeZone: z.string(), locale: z.string() }),
  preserve: ['timeZone', 'locale'],
  run: async ({ input, actor }) => {
    await updatePreferences(actor.id, input)
    // Every time on the page follows them.
    refresh()
    return {}
  },
})

export const changePassword = defineAction({
  allow: signedIn,
  input: z.object({
    current: z.string().min(1, 'Enter your current password'),
    next: z.string().min(1, 'Choose a password'),
  }),
  run: async ({ input }) => {
    await change(input.current, input.next)
    return {}
  },
})

export const setFirstPassword = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: z.object({ password: z.string().min(1, 'Choose a password') }),
  run: async ({ input }) => {
    await setFirst(input.password)
    redirect('/account/password?done' as Route)
  },
})

export const endSession = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: z.object({ id: z.uuid() }),
  run: async ({ input, actor }) => {
    if ((await endSessions(actor.id, { only: input.id })) === 0)
      throw new AppError('not_found', 'That session has already ended.')
    closeDialog('/account/sessions')
  },
})

export const endOtherSessions = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: emptyInput,
  run: async ({ actor }) => {
    await endSessions(actor.id, 'others')
    closeDialog('/account/sessions')
  },
})

export const changeEmail = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: z.object({ email: z.string().trim().min(1, 'Enter your new email') }),
  preserve: ['email'],
  run: async ({ input, actor }) => ({ email: await email.requestEmailChange(actor, input.email) }),
})

export const cancelEmailChange = defineAction({
  allow: signedIn,
  input: emptyInput,
  run: async ({ actor }) => {
    await email.cancelEmailChange(actor.id)
    redirect('/account/email')
  },
})

/** Target of the link in the email. The token proves who owns the new email, the session proves who requested the change. */
export const verifyNewEmail = defineAction({
  allow: signedIn,
  input: z.object({ token: z.string() }),
  run: ({ input, actor }) => email.verifyEmailChange(actor, input.token),
})

export const disconnectProvider = defineAction({
  allow: signedIn,
  isSensitive: true,
  // Not only those that exist: what is connected can be disconnected after its provider was removed.
  input: z.object({ provider: z.string().regex(/^[a-z0-9-]{1,100}$/) }),
  run: async ({ input, actor }) => {
    await disconnect(actor.id, input.provider)
    closeDialog('/account/connections')
  },
})

export const prepareTwoFactor = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: emptyInput,
  run: async ({ actor }) => {
    await twoFactorSetup.prepareTwoFactor(actor.id)
    redirect('/account/two-factor/setup')
  },
})

export const enableTwoFactor = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: z.object({ code: z.string() }),
  run: async ({ input, actor }) => ({ codes: (await twoFactorSetup.enableTwoFactor(actor.id, input.code)).join('\n') }),
})

export const renewRecoveryCodes = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: emptyInput,
  run: async ({ actor }) => ({ codes: (await secondFactor.renewRecoveryCodes(actor.id)).join('\n') }),
})

export const disableTwoFactor = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: emptyInput,
  run: async ({ actor }) => {
    await secondFactor.disableTwoFactor(actor.id)
    redirect('/account/two-factor')
  },
})

/** Completes a pending sign-in with a second-factor code. */
export const enterCode = definePublicAction({
  input: z.object({ code: z.string().trim().min(1, 'Enter a code'), callbackUrl: z.string().optional() }),
  run: async ({ input }) => {
    await signInWithCode(input.code)
    redirect(afterSignInPath(input.callbackUrl))
  },
})

/** For users who are required to have a second factor and have none yet. */
export const prepareTwoFactorAtSignIn = definePublicAction({
  input: z.object({ callbackUrl: z.string().optional() }),
  run: async ({ input }) => {
    await twoFactorSetup.prepareTwoFactorAtSignIn()
    redirect(`/signin/set-up?step=scan&callbackUrl=${encodeURIComponent(afterSignInPath(input.callbackUrl))}`)
  },
})

export const enableTwoFactorAtSignIn = definePublicAction({
  input: z.object({ code: z.string() }),
  run: async ({ input }) => ({ codes: (await twoFactorSetup.enableTwoFactorAtSignIn(input.code)).join('\n') }),
})

export const beginPasskey = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: emptyInput,
  run: ({ actor }) => passkeys.beginPasskey(actor),
})

export const addPasskey = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: z.object({ passkey: passkeys.NewPasskey }),
  run: async ({ input, actor }) => {
    await passkeys.addPasskey(actor.id, input.passkey)
    redirect('/account/passkeys')
  },
})

export const renamePasskey = defineAction({
  allow: signedIn,
  input: z.object({ id: z.string(), name: z.string() }),
  run: async ({ input, actor }) => {
    await passkeys.renamePasskey(actor.id, input.id, input.name)
    redirect('/account/passkeys')
  },
})

export const removePasskey = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: z.object({ id: z.string() }),
  run: async ({ input, actor }) => {
    await passkeys.removePasskey(actor.id, input.id)
    closeDialog('/account/passkeys')
  },
})

export const beginPasskeySignIn = definePublicAction({
  input: z.object({ isSecondFactor: z.boolean(), isAutofill: z.boolean().default(false) }),
  run: ({ input }) => passkeys.beginPasskeySignIn(input),
})

export const signInWithPasskey = definePublicAction({
  input: z.object({
    passkey: passkeys.UsedPasskey,
    isSecondFactor: z.boolean(),
    isAutofill: z.boolean().default(false),
    callbackUrl: z.string().optional(),
  }),
  run: async ({ input }) => {
    if (input.isSecondFactor) await passkeys.completeSignInWithPasskey(input.passkey)
    else await passkeys.signInWithPasskey(input.passkey, input.isAutofill)
    redirect(afterSignInPath(input.callbackUrl))
  },
})

export const deleteAccount = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: z.object({ typedEmail: z.string() }),
  preserve: ['typedEmail'],
  run: async ({ input, actor }) => {
    if (input.typedEmail.trim().toLowerCase() !== actor.email.toLowerCase()) {
      throw new AppError('invalid_input', undefined, { fields: { typedEmail: [`Type ${actor.email}`] } })
    }
    await deleteUser(actor, signedIn, actor.id)
    await signOut()
    redirect('/signed-out')
  },
})

/** Returns the token. It is not stored in plain text and cannot be shown again. */
export const createApiToken = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: z.object({ name: z.string(), role: z.enum(roles), days: z.coerce.number().pipe(z.literal(tokens.lifetimes)) }),
  preserve: ['name', 'role', 'days'],
  run: async ({ input, actor }) => {
    const token = await tokens.createToken(actor.id, input)
    refresh()
    return { token }
  },
})

export const revokeApiToken = defineAction({
  allow: signedIn,
  input: z.object({ id: z.uuid() }),
  run: async ({ input, actor }) => {
    await tokens.revokeToken(actor.id, input.id)
    closeDialog('/account/tokens')
  },
})

export const setPicture = defineAction({
  allow: signedIn,
  input: z.object({ picture: z.instanceof(File, { error: 'Choose a photo' }) }),
  run: async ({ input, actor }) => {
    await changePicture(actor.id, input.picture)
    // The layout shows the picture, too, and a redirect alone does not re-render the layout.
    refresh()
    redirect('/account/profile?picture=saved')
  },
})

export const removePicture = defineAction({
  allow: signedIn,
  input: emptyInput,
  run: async ({ actor }) => {
    await remove(actor.id)
    refresh()
    redirect('/account/profile?picture=removed')
  },
})
