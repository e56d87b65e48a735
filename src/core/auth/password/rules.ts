import 'server-only'
import { env } from '../../env'
import { isCommonPassword } from './common-passwords'
import { isMostlyContextWords } from './context-words'
import { isPossiblePassword, maxInputLength } from './hash'

const maxPasswordLength = 128

/** Hint shown next to a new-password field. */
export const passwordHint = () => `At least ${env.PASSWORD_MIN_LENGTH} characters. A short phrase works well.`

/** For `NewPasswordField`, which says what is still to do while the password is typed. */
export const newPasswordRules = () => ({ hint: passwordHint(), minLength: env.PASSWORD_MIN_LENGTH })

/**
 * Returns a message for an unacceptable new password, else undefined. Only length and guessability count, not symbols.
 */
export async function passwordProblem(password: string, email: string): Promise<string | undefined> {
  if (password.length > maxInputLength) return `Use at most ${maxPasswordLength} characters`
  const length = [...password.normalize('NFC')].length
  if (length < env.PASSWORD_MIN_LENGTH) return `Use at least ${env.PASSWORD_MIN_LENGTH} characters`
  if (length > maxPasswordLength) return `Use at most ${maxPasswordLength} characters`
  if (!isPossiblePassword(password)) return 'Contains characters that aren’t allowed'
  if (new Set(password.trim()).size < 4) return 'Too easy to guess'
  if (await isCommonPassword(password)) return 'This is a commonly used password. Choose another.'
  const typed = password.toLowerCase()
  const lowerCaseEmail = email.toLowerCase()
  const localPart = lowerCaseEmail.split('@')[0] ?? ''
  // A local part under 4 characters occurs in many words, so look for the whole email instead.
  if (lowerCaseEmail && typed.includes(localPart.length >= 4 ? localPart : lowerCaseEmail))
    return 'Don’t include your email address'
  if (isMostlyContextWords(password, email)) return 'Too easy to guess from this app or your company. Choose another.'
}
