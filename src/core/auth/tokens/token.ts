import { hash, randomBytes } from 'node:crypto'

/** 256 random bits in base64url, for a cookie, a header or a URL. */
export const newToken = () => randomBytes(32).toString('base64url')

export const isToken = (text: string) => /^[\w-]{43}$/.test(text)

/** Only the hash is stored, so that a leaked database contains no usable tokens. */
export const hashToken = (token: string) => hash('sha256', token, 'buffer')
