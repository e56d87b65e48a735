import 'server-only'
import { AppError } from '../../errors'
import { maxInputLength } from '../password/hash'

/**
 * Returns the trimmed name, or null: a name has 1 to 100 characters, at least one of them visible, and no control
 * characters, line breaks or bidirectional overrides.
 */
export function normalizeName(text: string): string | null {
  if (text.length > maxInputLength) return null
  const name = text.normalize('NFC').trim()
  const isValid =
    [...name].length <= 100 &&
    name.isWellFormed() &&
    !/\p{Cc}|\p{Bidi_Control}|[\p{Zl}\p{Zp}]/u.test(name) &&
    /[^\p{Default_Ignorable_Code_Point}\p{White_Space}]/u.test(name)
  return isValid ? name : null
}

/** Like `normalizeName`, but throws `invalid_input` for the field `name`. */
export function requireName(text: string): string {
  const name = normalizeName(text)
  if (!name)
    throw new AppError('invalid_input', undefined, { fields: { name: ['Enter a name (up to 100 characters)'] } })
  return name
}
