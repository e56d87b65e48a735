import { z } from 'zod'

const Text = z.object({ title: z.string(), text: z.string() })
const Link = z.object({ label: z.string(), href: z.string() })
const Heading = z.object({ kicker: z.string(), title: z.string(), lead: z.string() })

/** Schema of the JSON response. */
export const Content = z.object({
  title: z.string(),
  lead: z.string(),
  announcement: z.object({ version: z.string(), text: z.string(), href: z.string() }),
  commands: z.array(z.string()),
  docs: z.string(),
  ticks: z.array(z.string()),
  picture: z.string(),
  navigation: z.array(Link),
  start: z.object({ label: z.string(), title: z.string(), text: z.string() }),
  figures: z.array(z.object({ value: z.string(), label: z.string(), source: z.string() })),
  overview: Heading,
  highlights: z.object({
    signIn: Text.extend({ heading: z.string(), methods: z.array(z.string()), placeholder: z.string() }),
    audit: Text.extend({ events: z.array(z.object({ icon: z.string(), text: z.string(), time: z.string() })) }),
    remove: Text.extend({ command: z.string(), output: z.array(z.string()) }),
    write: Text.extend({ heading: z.string(), source: z.array(z.string()), items: z.array(z.string()) }),
  }),
  features: z.array(z.object({ icon: z.string(), title: z.string(), text: z.string() })),
  security: Heading,
  examples: z.array(z.object({ file: z.string(), code: z.array(z.string()), mark: z.string() })),
  roles: z.array(z.object({ role: z.string(), may: z.string() })),
  rolesHeading: Text,
  comparison: Heading.extend({
    columns: z.array(z.string()),
    rows: z.array(z.object({ about: z.string(), values: z.array(z.string()) })),
  }),
  modulesHeading: Heading,
  modules: z.array(z.object({ name: z.string(), title: z.string(), text: z.string() })),
  proofsHeading: Text,
  proofs: z.array(z.object({ promise: z.string(), command: z.string() })),
  faqTitle: z.string(),
  faq: z.array(z.object({ question: z.string(), answer: z.string() })),
  footer: z.object({
    text: z.string(),
    product: z.string(),
    developers: z.string(),
    site: z.string(),
    links: z.record(z.string(), z.string()),
  }),
})

/** All texts of the page. The API serves the same object. */
export const content = {
  title: 'Start on solid ground',
  lead: 'Sign-in, users, roles, content and an API, ready for production on Next.js and PostgreSQL. Take the modules you need, remove the rest, and upgrade without losing your work.',
  announcement: { version: '0.3', text: 'Upgrades that keep your changes', href: '#faq' },
  commands: ['npm create plinth@latest shop', 'cd shop', 'npm run dev'],
  docs: 'Read the API reference',
  ticks: ['No account, no Docker', 'Real PostgreSQL in one install', 'MIT licensed'],
  picture: 'The users page of a new app, with search, filters and the menu of a user',
  navigation: [
    { label: 'Features', href: '#features' },
    { label: 'Modules', href: '#modules' },
    { label: 'Security', href: '#security' },
  ],
  start: {
    label: 'Get started',
    title: 'Three commands to a running app',
    text: 'The last one starts PostgreSQL, creates three users and prints the URL. There is nothing to configure.',
  },
  figures: [
    { value: '370+', label: 'attack checks you can run', source: 'npm run test:security' },
    { value: '0 of 253', label: 'ASVS 5.0 L1–L2 items unmet', source: 'docs/asvs.md' },
    { value: '10 M', label: 'users, same list speed', source: 'npm run bench:users' },
    { value: '1.00×', label: 'create-next-app’s JavaScript', source: 'npm run test:budget' },
  ],
  overview: {
    kicker: 'Everything before your first feature',
    title: 'The parts every app needs, done right',
    lead: 'One core, and the modules you choose. A module is a folder: delete it, and its pages, API and tests are gone.',
  },
  highlights: {
    signIn: {
      title: 'Sign-in users can trust',
      text: 'Passwords, passkeys, Google and GitHub, two-factor authentication, sessions you can end.',
      heading: 'Sign in to Acme',
      methods: ['Continue with a passkey', 'Google', 'GitHub'],
      placeholder: 'you@company.com',
    },
    audit: {
      title: 'An audit log that reads like sentences',
      text: 'Who did what, to whom, from where. Append-only, even for the app itself.',
      events: [
        { icon: 'role', text: 'Ada changed Alan’s role from Viewer to Editor', time: '2 min ago' },
        { icon: 'signIn', text: 'Grace signed in with a passkey', time: '7 min ago' },
        { icon: 'suspend', text: 'Ada suspended Margaret', time: '1 hour ago' },
        { icon: 'publish', text: 'Edith published Quarterly update', time: 'Yesterday' },
      ],
    },
    remove: {
      title: 'Modules you can remove',
      text: 'No leftovers. Tested for every combination.',
      command: 'npx plinth remove content',
      output: ['Remove content: done.', 'To undo: git reset --keep HEAD~1'],
    },
    write: {
      title: 'Write and publish',
      text: 'Autosave, preview, scheduling, version history. Two authors can write at once and neither loses text.',
      heading: 'Quarterly update',
      source: ['# Quarterly update', '', 'This quarter we shipped:', '', '- a new editor', '- faster search'],
      items: ['a new editor', 'faster search'],
    },
  },
  features: [
    {
      icon: 'folder',
      title: 'A module is a folder',
      text: 'Pages, API, tables, settings and tests live together. Delete the folder and it’s gone without a trace.',
    },
    {
      icon: 'shield',
      title: 'Permissions in one place',
      text: 'An action without a permission doesn’t compile. Guards, navigation, API docs and tests read the same table.',
    },
    {
      icon: 'database',
      title: 'PostgreSQL out of the box',
      text: 'It comes with npm install. No account, no container, nothing to configure. Switch to your own database when you have one.',
    },
    {
      icon: 'gauge',
      title: 'Static stays static',
      text: 'Static pages stay static, with a strict CSP and no JavaScript beyond the framework.',
    },
    {
      icon: 'key',
      title: 'Sessions you can revoke',
      text: 'Stored hashed in the database. Sign someone out, suspend or demote them and it applies to their next request.',
    },
    {
      icon: 'check',
      title: 'Promises with proof',
      text: 'The checks behind this page come with the code, and run against a real database and a real browser.',
    },
  ],
  security: {
    kicker: 'Built for developers',
    title: 'An action without permissions doesn’t compile',
    lead: 'One table says who can do what. Guards, navigation, API docs and tests all read it, so a hidden button is never the only lock.',
  },
  examples: [
    {
      file: 'actions.ts',
      code: [
        'export const publishPost = defineAction({',
        '  input: z.object({ id: z.uuid() }),',
        "  allow: can('posts.publish'),",
        '  run: async ({ input, actor }) => {',
        '    await publish(input.id, actor)',
        '  },',
        '})',
      ],
      mark: 'allow',
    },
    {
      file: 'policy.ts',
      code: [
        'export const { can, permissions } = definePolicy({',
        "  'posts.write': ['editor', 'admin'],",
        "  'posts.publish': ['editor', 'admin'],",
        "  'posts.delete': ['admin'],",
        '})',
      ],
      mark: 'posts.publish',
    },
    {
      file: 'posts.e2e.ts',
      code: [
        "test('a viewer cannot publish', async ({ page, password }) => {",
        "  await signIn(page, 'viewer@example.com', password)",
        "  await page.goto('/content')",
        "  await expect(page.getByText('Page not found')).toBeVisible()",
        '})',
      ],
      mark: 'Page not found',
    },
  ],
  rolesHeading: {
    title: 'Three roles, enforced in every request',
    text: 'Permission checks live next to the data, in the action or route itself.',
  },
  roles: [
    { role: 'Viewer', may: 'Read-only access.' },
    { role: 'Editor', may: 'Creates and edits content.' },
    { role: 'Admin', may: 'Full access, including user management.' },
  ],
  comparison: {
    kicker: 'How it compares',
    title: 'Your code, without writing all of it',
    lead: 'What you get with each approach on the day you begin, and what is left to you.',
    columns: ['This template', 'From scratch', 'A cloned starter', 'A hosted service'],
    rows: [
      { about: 'Sign-in, users and roles', values: ['Included', 'You write them', 'Often included', 'Included'] },
      { about: 'User data', values: ['Your PostgreSQL', 'Your database', 'Your database', 'At the provider'] },
      { about: 'Code you can change', values: ['All of it', 'All of it', 'All of it', 'Your side of it'] },
      { about: 'Remove a part', values: ['1 command', 'By hand', 'By hand', 'Turn it off'] },
      { about: 'Upgrade', values: ['1 command, keeps your changes', 'By hand', 'By hand', 'By the provider'] },
      { about: 'Price per user', values: ['None', 'None', 'None', 'Often'] },
    ],
  },
  modulesHeading: {
    kicker: 'Modules',
    title: 'Add what you need, remove the rest',
    lead: 'Each command is one commit and says how to undo it. Your own code and your data stay.',
  },
  modules: [
    { name: 'account', title: 'Account', text: 'Profile, password, two-factor authentication, passkeys, API tokens.' },
    { name: 'admin', title: 'Admin', text: 'Users, invitations, roles, impersonation and the audit log.' },
    { name: 'content', title: 'Content', text: 'A blog with drafts, versions, scheduling, search and a feed.' },
    { name: 'docs', title: 'API reference', text: 'OpenAPI from the schemas that validate each request.' },
    { name: 'organizations', title: 'Organizations', text: 'Teams with members, roles and rows of their own.' },
    { name: 'email-code', title: 'Email codes', text: 'Sign in with a code or a link from one email.' },
    { name: 'landing', title: 'Landing page', text: 'This page. All its words are in one file.' },
  ],
  proofsHeading: {
    title: 'Don’t take our word for it',
    text: 'The tests behind these claims come with the code. Run them on your own app, after your own changes.',
  },
  proofs: [
    { promise: 'Runs on a clean machine in three commands', command: 'npm run test:first-run' },
    { promise: 'Modules leave no trace when removed', command: 'npm run test:modules' },
    { promise: 'JavaScript budgets on every page', command: 'npm run test:budget' },
    { promise: 'Accessible in light and dark', command: 'npm run e2e' },
  ],
  faqTitle: 'Questions',
  faq: [
    {
      question: 'Do upgrades overwrite my changes?',
      answer:
        'No. An upgrade is a git merge of what changed in the template. Lines that only you changed stay. Where both sides changed the same lines, you get an ordinary git conflict, and one command undoes everything.',
    },
    {
      question: 'Do I need Docker or a database account?',
      answer:
        'No. A PostgreSQL server comes with npm install and is started for you. In production you name your own with one setting.',
    },
    {
      question: 'Can I remove a module later?',
      answer:
        'Yes, with one command and one commit. The tables and their data stay until you drop them, so you can add the module again.',
    },
    {
      question: 'Does it work without JavaScript?',
      answer:
        'Yes. Signing in, managing users and writing posts are forms and links first. JavaScript makes them faster. Passkeys and cover images need it.',
    },
    {
      question: 'Where can I host it?',
      answer:
        'Anywhere that runs Node and PostgreSQL. One process and one database are enough to begin. A Dockerfile and examples for Compose and Kubernetes are included.',
    },
    {
      question: 'What does it cost?',
      answer: 'Nothing. It is open source under the MIT license.',
    },
  ],
  footer: {
    text: 'The foundation for your next app. Open source under the MIT license.',
    product: 'Product',
    developers: 'Developers',
    site: 'Site',
    links: { compare: 'Compare', faq: 'Questions', signIn: 'Sign in' },
  },
} as const
