import 'server-only'
import { toStoredHash } from '@/core/auth/password/hash'
import { defaultRole, isAtMost, type Role, roles } from '@/core/auth/roles'
import { normalizeEmail } from '@/core/auth/user/email'
import { normalizeName } from '@/core/auth/user/name'
import { isOpenToInvited } from '../invitations'
import type { RowProblem } from './problems'
import type { FileRecord } from './read-records'

export interface Row {
  row: number
  email: string
  name: string
  role: Role | null
  /** Null if the user is invited instead, and for a row with a problem. */
  hash: string | null
  problem: RowProblem | null
}

/** What can be stored of a text that is not valid, for the report. */
const excerpt = (text: string) =>
  text
    .trim()
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, 100)
    .toWellFormed()

/** An exclamation mark is how Django says that the user has no password. */
const readHash = (text: string) => (text.trim().startsWith('!') ? '' : text.trim())

/** Yes, or when it was verified. In many systems an empty cell means never, or a date of zeros. */
const isYes = (text: string) => /^(true|t|yes|y|1)$|^(?!0000)\d{4}-\d\d-\d\d|^(?!0+$)\d{10,13}$/i.test(text.trim())

/** Checks what the row alone tells. A user whose email was not verified there gets an invitation, which verifies it. */
export function toRow({ row, fields }: FileRecord, highestRole: Role): Row {
  const { email: typedEmail = '', name: typedName = '', role: typedRole = '', isVerified } = fields
  const typedHash = readHash(fields.hash ?? '')
  const email = normalizeEmail(typedEmail)
  const name = normalizeName(typedName.trim() === '' ? (email?.split('@')[0] ?? '') : typedName)
  const role = findRole(typedRole, highestRole)
  const stored = toStoredHash(typedHash)
  const hash = isVerified === undefined || isYes(isVerified) ? stored : null
  const findProblem = (): RowProblem | null => {
    if (!email) return 'email'
    if (!name) return 'name'
    if (!role) return 'role'
    if (typedHash !== '' && !stored) return 'hash'
    return hash || isOpenToInvited() ? null : 'closed'
  }
  const problem = findProblem()
  return {
    row,
    email: email ?? excerpt(typedEmail),
    name: name ?? excerpt(typedName),
    role: role ?? null,
    hash: problem ? null : hash,
    problem,
  }
}

/** An empty cell is the role of a user who signs up. */
function findRole(text: string, highestRole: Role): Role | undefined {
  const name = text.trim().toLowerCase()
  return name === '' ? defaultRole : roles.find((role) => role === name && isAtMost(role, highestRole))
}
