import 'server-only'
import { cache } from 'react'
import { appName } from '@/brand'
import { moduleUis } from '@/module-uis'
import { modules } from '@/modules'
import { definePolicy, isAllowed } from '../auth/policy'
import { adminRole, type Role } from '../auth/roles'
import { checkEnv, coreEnv, env } from '../env'
import { log } from '../log'
import type { SetupStep } from '../module-ui'

const { can } = definePolicy({ 'app.set_up': [adminRole] })
const maySetUp = can('app.set_up')

/** The inbox of development is a mail server on this machine. */
const hasRealMail = () => !['localhost', '127.0.0.1', '[::1]'].includes(new URL(env.SMTP_URL).hostname)

/** Development has values for the mail server and the sender that the check of settings accepts, so look at them, too. */
function isReadyForProduction(): boolean {
  const owners = [coreEnv, ...modules.flatMap((module) => module.env ?? [])]
  const problems = checkEnv(owners, { ...process.env, NODE_ENV: 'production' })
  return !problems && hasRealMail() && !env.MAIL_FROM.endsWith('@example.com') && env.ADMIN_EMAIL !== undefined
}

const templateName: string = 'Plinth'

const coreSteps: SetupStep[] = [
  { title: 'Run the app', order: 10, isDone: async () => true },
  // Only admins see the steps.
  { title: 'Sign in as admin', order: 20, isDone: async () => true },
  {
    title: 'Name your app',
    hint: 'Change it in src/brand.ts.',
    order: 30,
    isDone: async () => appName !== templateName,
  },
  {
    title: 'Send a real email',
    hint: 'Set SMTP_URL in .env and restart.',
    order: 40,
    isDone: async () => hasRealMail(),
  },
  {
    title: 'Check production settings',
    hint: 'Set MAIL_FROM and ADMIN_EMAIL in .env, then run “npm run doctor”.',
    order: 60,
    isDone: async () => isReadyForProduction(),
  },
]

/** The steps of core and of all modules, and which of them are done. Checked once per request. */
export const findSetupSteps = cache(() => {
  const steps = [...coreSteps, ...moduleUis.flatMap(({ setup = [] }) => setup)].sort((a, b) => a.order - b.order)
  return Promise.all(
    steps.map(async ({ isDone, ...step }) => ({
      ...step,
      isDone: await isDone().catch((error) => {
        log.warn({ error, step: step.title }, 'could not check a setup step')
        return false
      }),
    })),
  )
})

/** What a user with this role sees of the setup; null if nothing is left to do, or if it is not theirs. */
export async function findSetup({ role }: { role: Role }) {
  if (!isAllowed(role, maySetUp)) return null
  const steps = await findSetupSteps()
  const next = steps.find(({ isDone }) => !isDone)
  return next ? { steps, next, done: steps.filter(({ isDone }) => isDone).length } : null
}
