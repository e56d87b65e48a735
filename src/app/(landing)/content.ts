import { z } from 'zod'

/** What the page needs, for those who read it as JSON. */
export const Content = z.object({
  title: z.string(),
  lead: z.string(),
  commands: z.array(z.string()),
  features: z.array(z.object({ icon: z.string(), title: z.string(), text: z.string() })),
  roles: z.array(z.object({ role: z.string(), may: z.string() })),
  proofs: z.array(z.object({ promise: z.string(), command: z.string() })),
})

/** Everything the page says. The API serves this same object. */
export const content = {
  title: 'Start on solid ground',
  lead: 'Plinth is the base that a web application stands on. Sign-in, people, roles and a clear place for everything, on Next.js and PostgreSQL, in modules that you take or leave.',
  commands: ['npm create plinth@latest shop', 'cd shop', 'npm run dev'],
  features: [
    {
      icon: 'folder',
      title: 'A module is a folder',
      text: 'Pages, API, actions, tables, settings and tests in one place. Delete the folder and the app is as if it had never been there.',
    },
    {
      icon: 'shield',
      title: 'Who may do what, in one table',
      text: 'An action that does not say who may call it does not compile. Guards, navigation and tests read the same table.',
    },
    {
      icon: 'database',
      title: 'A real database from the first minute',
      text: 'PostgreSQL comes with npm install: no account, no container, nothing to edit. Point it at your own when you have one.',
    },
    {
      icon: 'gauge',
      title: 'Static stays static',
      text: 'This page is made once, carries a strict content security policy, and ships no script beyond the framework.',
    },
    {
      icon: 'key',
      title: 'Sessions that can be ended',
      text: 'Kept in the database and stored as a hash. Ended, suspended or demoted holds at the very next request.',
    },
    {
      icon: 'check',
      title: 'Promises with proof',
      text: 'The checks behind this page come with the code, and run against a real database and a real browser.',
    },
  ],
  roles: [
    { role: 'viewer', may: 'Reads what is open to everybody with an account.' },
    { role: 'editor', may: 'Creates and edits content.' },
    { role: 'admin', may: 'Everything, people and their roles included.' },
  ],
  proofs: [
    { promise: 'Runs in two commands on a bare machine', command: 'npm run test:first-run' },
    { promise: 'A module leaves without a trace', command: 'npm run test:modules' },
    { promise: 'No page weighs more than it should', command: 'npm run test:budget' },
    { promise: 'Usable by everybody, in both themes', command: 'npm run e2e' },
  ],
} as const
