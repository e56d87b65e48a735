import { hash, randomBytes } from 'node:crypto'

/** 256 bits that nobody can guess, as text that fits into a cookie, a header or a link. */
export const newToken = () => randomBytes(32).toString('base64url')

export const isToken = (text: string) => /^[\w-]{43}$/.test(text)

/** Only the hash is stored: who reads the database can do nothing with what they find. */
export const hashToken = (token: string) => hash('sha256', token, 'buffer')
