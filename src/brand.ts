// The name and the look of the app. Pages, emails, icons and everything else that shows them read this file.

export const appName = 'Plinth'

/**
 * The name where no spaces fit: in the names of cookies and files, API tokens, and the types of API errors. Lowercase
 * letters, digits and hyphens. After a change, users have to sign in again; API tokens stay valid.
 */
export const appSlug = 'plinth'

/** One sentence about the app, for search engines, shared links and the installed app. */
export const appDescription = 'Sign-in, users, roles and modules on Next.js and PostgreSQL.'

/**
 * The colors of emails and icons, which support neither variables nor oklch. Change them together with the tokens in
 * globals.css.
 */
export const lightColors = {
  canvas: '#f6f6f3',
  card: '#ffffff',
  border: '#e3e3df',
  borderStrong: '#cecec9',
  text: '#171a15',
  muted: '#5b5d56',
  primary: '#00674a',
  onPrimary: '#f7fefa',
}

export const darkColors: typeof lightColors = {
  canvas: '#0b0d0c',
  card: '#171918',
  border: '#2d2f2e',
  borderStrong: '#3e403f',
  text: '#eff1ee',
  muted: '#a3a6a0',
  primary: '#48ce9f',
  onPrimary: '#001910',
}
