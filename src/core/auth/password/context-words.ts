import { appName } from '@/brand'
import { env } from '../../env'
import { roles } from '../policy'

const lettersOf = (text: string) => text.normalize('NFC').toLowerCase().replaceAll(/\P{L}/gu, '')

/** The labels of a host name without the top-level domain. */
const labelsOf = (host: string) => host.split('.').slice(0, -1)

/** Words that an attacker would try first: the app's name and host, the roles, and the parts of the user's email. */
function contextWords(email: string): string[] {
  const [name = '', domain = ''] = email.split('@')
  const words = [
    appName,
    ...appName.split(' '),
    ...labelsOf(new URL(env.AUTH_URL).hostname),
    ...roles,
    ...name.split(/[._+-]/),
    ...labelsOf(domain),
  ]
  return words
    .map(lettersOf)
    .filter((word) => word.length >= 3)
    .sort((a, b) => b.length - a.length)
}

/** Whether fewer than 4 letters remain without these words. Digits and symbols do not count. */
export function isMostlyContextWords(password: string, email: string): boolean {
  const letters = lettersOf(password)
  const rest = contextWords(email).reduce((text, word) => text.replaceAll(word, ''), letters)
  return rest !== letters && rest.length < 4
}
