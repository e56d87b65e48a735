import 'server-only'

let commonPasswords: Promise<Set<string>> | undefined

/** 49,000 common passwords. Loaded when the first new password is checked, because they take a megabyte of memory. */
async function load(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].map(String))
}

const asLetters: Record<string, string> = { 0: 'o', 1: 'l', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's', '!': 'i' }

/** Removes repetition: `passwordpassword` becomes `password`. */
const withoutRepetition = (text: string) => /^(.+?)\1+$/.exec(text)?.[1] ?? text

/**
 * Whether this is a common password or a variant of one. Ignores digits and symbols around it, letters written as
 * digits, and repetition: `P4ssword2026!` counts as `password`.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  commonPasswords ??= load()
  const common = await commonPasswords
  const text = password.normalize('NFC').toLowerCase().replaceAll(/\s+/g, '')
  const spelledOut = text.replaceAll(/[013457@$!]/g, (sign) => asLetters[sign] ?? sign)
  const trimNonLetters = (value: string) => value.replace(/^[^\p{L}]+/u, '').replace(/[^\p{L}]+$/u, '')
  const trimmedAndSpelledOut = trimNonLetters(text).replaceAll(/[013457@$!]/g, (sign) => asLetters[sign] ?? sign)
  return [text, trimNonLetters(text), trimmedAndSpelledOut, spelledOut].some(
    (value) => common.has(value) || common.has(withoutRepetition(value)),
  )
}
