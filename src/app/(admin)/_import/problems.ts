import { AppError } from '@/core/errors'

/** Why a row of the file is not imported. */
const rowProblems = {
  email: 'Not a valid email',
  name: 'Not a valid name (up to 100 characters)',
  role: 'Unknown role, or one above your own',
  hash: 'Unsupported password hash. Leave it empty to invite the user instead',
  closed: 'Needs an invitation (no password hash, or an unverified email), but sign-up is closed',
  duplicate: 'The same email is in an earlier row',
  exists: 'Already a user',
}

export type RowProblem = keyof typeof rowProblems

export const describeProblem = (problem: RowProblem): string => rowProblems[problem]

/** The limits of one file. */
export const maxRows = 100_000
export const maxMegabytes = 32
/** Characters of one row, which is held in memory. */
export const maxRecordLength = 16_384

/** Why a file could not be read. The page shows the text for the key in its URL, and no other. */
const uploadProblems = {
  file: 'Choose a file.',
  empty: 'The file has no rows.',
  columns: 'The file needs a column named email.',
  verified: 'Some objects have email_verified, but the first has not. Add it to the first.',
  encoding: 'The file isn’t UTF-8 text. Save it as UTF-8 and try again.',
  incomplete: 'The file ends in the middle of a row.',
  json: 'The file isn’t valid JSON. It must be a list of objects.',
  record: `A row has more than ${maxRecordLength.toLocaleString('en')} characters.`,
  rows: `The file has more than ${maxRows.toLocaleString('en')} rows. Split it into several files.`,
  too_large: `The file is larger than ${maxMegabytes} MB. Split it into several files.`,
  reauth_required: 'Confirm it’s you, then choose the file again.',
  rate_limited: 'Too many imports. Try again later.',
  conflict: 'This upload was replaced by another one.',
  unknown: 'The file could not be read. Try again.',
}

type UploadProblem = keyof typeof uploadProblems

const isUploadProblem = (key: string): key is UploadProblem => Object.hasOwn(uploadProblems, key)

/** An error about the file as a whole. Nothing of it is kept. */
export function uploadError(problem: UploadProblem): AppError {
  const message = uploadProblems[problem]
  return new AppError('invalid_input', message, { fields: { file: [message] } })
}

/** The key of an error for the URL of the page. */
export function uploadProblemOf(error: AppError): UploadProblem {
  if (isUploadProblem(error.code)) return error.code
  const keys = Object.keys(uploadProblems).filter(isUploadProblem)
  return keys.find((key) => uploadProblems[key] === error.message) ?? 'unknown'
}

export const describeUploadProblem = (key: unknown): string | undefined =>
  typeof key === 'string' && isUploadProblem(key) ? uploadProblems[key] : undefined
