import { appName } from '../app-name'
import { env } from '../env'
import { roles } from './policy'

const lettersOf = (text: string) => text.normalize('NFC').toLowerCase().replaceAll(/\P{L}/gu, '')

/** The parts of a host that say something: not its ending. */
const labelsOf = (host: string) => host.split('.').slice(0, -1)

/** What anybody would try here first: the app, where it is, what people are in it, their own address and whose it is. */
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

/** Is there hardly a letter in it besides such words? Digits and signs between them add little. */
export function isOnlyContext(password: string, email: string): boolean {
  const letters = lettersOf(password)
  const rest = contextWords(email).reduce((text, word) => text.replaceAll(word, ''), letters)
  return rest !== letters && rest.length < 4
}
