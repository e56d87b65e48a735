'use server'

import type { Route } from 'next'
import { refresh } from 'next/cache'
import { redirect } from 'next/navigation'
import { z } from 'zod'
import { defineAction, definePublicAction } from '@/core/action'
import { signOut } from '@/core/auth/browser-session'
import { findChallenged } from '@/core/auth/challenge'
import { changePassword as change, setFirstPassword as setFirst } from '@/core/auth/change-password'
import { deletePerson } from '@/core/auth/delete-person'
import { roles, signedIn } from '@/core/auth/policy'
import { renamePerson } from '@/core/auth/profile'
import { returnPath } from '@/core/auth/return-path'
import { AppError } from '@/core/errors'
import { changePicture, removePicture as remove } from './avatars'
import * as email from './email'
import * as passkeys from './passkeys'
import { endDevices } from './queries'
import * as twoStep from './second-factor'
import { signInWithCode } from './sign-in'
import * as tokens from './tokens'
import { disconnect } from './ways-in'

const nothing = z.object({})
const home = (callbackUrl: string | undefined) => returnPath(callbackUrl, '/dashboard') as Route

export const updateProfile = defineAction({
  allow: signedIn,
  input: z.object({ name: z.string() }),
  keep: ['name'],
  run: async ({ input, actor }) => ({ name: await renamePerson(actor.id, input.name) }),
})

export const changePassword = defineAction({
  allow: signedIn,
  input: z.object({
    current: z.string().min(1, 'Enter the password you have'),
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

export const endDevice = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: z.object({ id: z.uuid() }),
  run: async ({ input, actor }) => {
    if ((await endDevices(actor.id, { only: input.id })) === 0)
      throw new AppError('not_found', 'That one has ended already')
    redirect('/account/devices')
  },
})

export const endOtherDevices = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: nothing,
  run: async ({ actor }) => {
    await endDevices(actor.id, 'others')
    redirect('/account/devices')
  },
})

export const changeEmail = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: z.object({ email: z.string().trim().min(1, 'Enter the new address') }),
  keep: ['email'],
  run: async ({ input, actor }) => ({ email: await email.requestEmailChange(actor, input.email) }),
})

export const cancelEmailChange = defineAction({
  allow: signedIn,
  input: nothing,
  run: async ({ actor }) => {
    await email.cancelEmailChange(actor.id)
    redirect('/account/email')
  },
})

/** Behind the link in the mail: whoever has it has the new address. */
export const confirmEmail = definePublicAction({
  input: z.object({ token: z.string() }),
  run: ({ input }) => email.confirmEmailChange(input.token),
})

export const disconnectProvider = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: z.object({ provider: z.enum(['google', 'github']) }),
  run: async ({ input, actor }) => {
    await disconnect(actor.id, input.provider)
    redirect('/account/connections')
  },
})

export const prepareTwoStep = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: nothing,
  run: async ({ actor }) => {
    await twoStep.prepareTwoStep(actor.id)
    redirect('/account/two-step/setup')
  },
})

export const switchOnTwoStep = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: z.object({ code: z.string() }),
  run: async ({ input, actor }) => ({ codes: (await twoStep.switchOnTwoStep(actor.id, input.code)).join('\n') }),
})

export const renewRecoveryCodes = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: nothing,
  run: async ({ actor }) => ({ codes: (await twoStep.renewRecoveryCodes(actor.id)).join('\n') }),
})

export const switchOffTwoStep = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: nothing,
  run: async ({ actor }) => {
    await twoStep.switchOffTwoStep(actor.id)
    redirect('/account/two-step')
  },
})

/** The second step of signing in. */
export const enterCode = definePublicAction({
  input: z.object({ code: z.string().trim().min(1, 'Enter a code'), callbackUrl: z.string().optional() }),
  run: async ({ input }) => {
    await signInWithCode(input.code)
    redirect(home(input.callbackUrl))
  },
})

const owed = async () => {
  const userId = await findChallenged()
  if (!userId) throw new AppError('unauthenticated', 'That took too long. Sign in once more')
  return userId
}

/** For those who must have a second step, and have none yet. */
export const prepareTwoStepAtSignIn = definePublicAction({
  input: z.object({ callbackUrl: z.string().optional() }),
  run: async ({ input }) => {
    await twoStep.prepareTwoStep(await owed())
    redirect(`/signin/set-up?step=scan&callbackUrl=${encodeURIComponent(home(input.callbackUrl))}`)
  },
})

export const switchOnTwoStepAtSignIn = definePublicAction({
  input: z.object({ code: z.string() }),
  run: async ({ input }) => ({ codes: (await twoStep.switchOnAtSignIn(await owed(), input.code)).join('\n') }),
})

export const beginPasskey = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: nothing,
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
    redirect('/account/passkeys')
  },
})

export const beginPasskeySignIn = definePublicAction({
  input: z.object({ isSecondStep: z.boolean() }),
  run: ({ input }) => passkeys.beginUse(input.isSecondStep),
})

export const signInWithPasskey = definePublicAction({
  input: z.object({
    passkey: passkeys.UsedPasskey,
    isSecondStep: z.boolean(),
    callbackUrl: z.string().optional(),
  }),
  run: async ({ input }) => {
    if (input.isSecondStep) await passkeys.meetChallengeWithPasskey(input.passkey)
    else await passkeys.signInWithPasskey(input.passkey)
    redirect(home(input.callbackUrl))
  },
})

export const deleteAccount = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: z.object({ confirmation: z.string() }),
  keep: ['confirmation'],
  run: async ({ input, actor }) => {
    if (input.confirmation.trim().toLowerCase() !== actor.email.toLowerCase()) {
      throw new AppError('invalid_input', undefined, { fields: { confirmation: [`Type ${actor.email}`] } })
    }
    await deletePerson(actor.id)
    await signOut()
    redirect('/signed-out')
  },
})

/** Answers with the token, once. */
export const createApiToken = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: z.object({
    name: z.string(),
    role: z.enum(roles),
    days: z.coerce.number().pipe(z.literal(tokens.lifetimes)),
  }),
  keep: ['name', 'role', 'days'],
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
    redirect('/account/tokens')
  },
})

export const setPicture = defineAction({
  allow: signedIn,
  input: z.object({ picture: z.instanceof(File, { error: 'Choose a picture' }) }),
  run: async ({ input, actor }) => {
    await changePicture(actor.id, input.picture)
    // The frame shows it too, and a redirect alone leaves the frame as it was.
    refresh()
    redirect('/account/profile?picture=saved')
  },
})

export const removePicture = defineAction({
  allow: signedIn,
  input: nothing,
  run: async ({ actor }) => {
    await remove(actor.id)
    refresh()
    redirect('/account/profile?picture=removed')
  },
})
