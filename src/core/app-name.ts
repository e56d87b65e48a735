/** What the app is called, wherever people read it. */
export const appName = 'Plinth'
