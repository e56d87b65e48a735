import 'server-only'

let known: Promise<Set<string>> | undefined

/** 49,000 passwords that people really use. Loaded with the first new password: it is a megabyte in memory. */
async function load(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].map(String))
}

const asLetters: Record<string, string> = { 0: 'o', 1: 'l', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's', '!': 'i' }

/** `passwordpassword` is as easy as `password`. */
const once = (text: string) => /^(.+?)\1+$/.exec(text)?.[1] ?? text

/**
 * Is it one that everybody tries, or such a one dressed up? Digits and signs around it, letters written as digits and
 * repetition add nothing: `P4ssword2026!` is `password`.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  known ??= load()
  const common = await known
  const text = password.normalize('NFC').toLowerCase().replaceAll(/\s+/g, '')
  const spelledOut = text.replaceAll(/[013457@$!]/g, (sign) => asLetters[sign] ?? sign)
  const core = (value: string) => value.replace(/^[^\p{L}]+/u, '').replace(/[^\p{L}]+$/u, '')
  const undressed = core(text).replaceAll(/[013457@$!]/g, (sign) => asLetters[sign] ?? sign)
  return [text, core(text), undressed, spelledOut].some((value) => common.has(value) || common.has(once(value)))
}
