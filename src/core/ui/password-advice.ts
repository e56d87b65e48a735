/**
 * What is still to do for a new password, in words, while it is typed. It knows less than `passwordProblem`, which decides: the
 * browser has no list of common passwords.
 */
export function passwordAdvice(
  password: string,
  { email = '', minLength }: { email?: string; minLength: number },
): { missing: number; verdict: string; isAccepted: boolean } {
  const missing = Math.max(0, minLength - [...password.normalize('NFC')].length)
  const refuse = (verdict: string) => ({ missing, verdict, isAccepted: false })
  const typed = password.toLowerCase()
  const localPart = email.toLowerCase().split('@')[0] ?? ''
  if (localPart.length >= 4 && typed.includes(localPart)) return refuse('Don’t include your email address')
  if (missing > 0) return refuse('')
  if (new Set(password.trim()).size < 4) return refuse('Too easy to guess')
  return { missing, verdict: 'Long enough', isAccepted: true }
}
