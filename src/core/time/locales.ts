/**
 * The languages and regions that users can choose. The texts of the app are in English; the region decides how dates look.
 * Add a language here once its texts exist.
 */
export const locales = {
  'en-US': 'English (United States)',
  'en-GB': 'English (United Kingdom)',
  'en-AU': 'English (Australia)',
  'en-CA': 'English (Canada)',
  'en-IN': 'English (India)',
} as const

export const isLocale = (value: unknown): value is keyof typeof locales =>
  typeof value === 'string' && Object.hasOwn(locales, value)
