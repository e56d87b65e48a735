interface Guide {
  title: string
  slug: string
  summary: string
  tags: string[]
  body: string
}

/** Seeded posts that document the app. Delete them once you have your own. */
export const guide: Guide[] = [
  {
    title: 'Your first change',
    slug: 'your-first-change',
    summary: 'Where to find pages, colors and copy, and how to check that nothing broke.',
    tags: ['guide', 'first-steps'],
    body: `Your app is running. Make it yours in 15 minutes.

## Name it

Open \`src/brand.ts\`. The name appears in the header of every page, in emails and in authenticator apps.

## Change a color

Colors are tokens at the top of \`src/app/globals.css\`. Each has a light and a dark value:

\`\`\`css
--primary: light-dark(oklch(0.455 0.098 166), oklch(0.765 0.135 166));
\`\`\`

Change the second number of each value to 0 and the app turns gray. \`/dev/ui\` shows every component in the current theme.

## Change a page

A folder under \`src/app\` is a path in the URL. A folder in parentheses is a module and isn’t part of the URL. This page is
\`src/app/(content)/posts/[slug]/page.tsx\`.

## Check your work

| Command | What it checks |
|---|---|
| \`npm run check\` | formatting, types and unit tests |
| \`npm run build && npm run e2e\` | the app in a real browser |
| \`npm run doctor\` | this machine and its settings |

Then commit. Your changes stay when you upgrade to a later version of the template.
`,
  },
  {
    title: 'Who can do what',
    slug: 'who-may-do-what',
    summary: 'Three roles, one table of permissions, and a check next to the data.',
    tags: ['guide', 'security'],
    body: `There are three roles. **Viewers** read. **Editors** write posts like this one. **Admins** can do everything, including
managing users.

Code never checks a role. It checks a permission, and the \`policy.ts\` of each module lists the roles that have it:

\`\`\`ts
export const { can, permissions } = definePolicy({
  'posts.write': ['editor', 'admin'],
  'posts.delete_others': ['admin'],
})
\`\`\`

Every action names the permission it needs. Without one it doesn’t compile:

\`\`\`ts
export const createPost = defineAction({
  allow: can('posts.write'),
  input: z.object({ title: z.string() }),
  run: async ({ input, actor }) => { … },
})
\`\`\`

> A hidden button protects nothing. Anyone can send anything to any action, so the check is in the action.

With the admin module, one page shows the whole table.
`,
  },
  {
    title: 'Modules come and go',
    slug: 'modules-come-and-go',
    summary: 'Add modules, remove them, keep their data, and upgrade without losing your work.',
    tags: ['guide', 'modules'],
    body: `A module is one folder with pages, actions, tables, settings and tests. If the folder is there, the module is installed.
\`README.md\` has the commands that list, add and remove modules.

Adding or removing a module makes one commit and tells you how to undo it. When you remove a module, its tables stay, and adding
it again finds them.

## Upgrades

One command upgrades the whole app, also as one commit; \`--dry-run\` shows what it would change. Lines that only you changed stay.
Lines that only the template changed are updated. Where both changed the same line, you get an ordinary git conflict and choose.

## Write your own

\`docs/modules.md\` builds a small module in 10 steps. The content module, which shows this post, is a larger example. It has
tables, a job, a setting, public pages and an API.
`,
  },
  {
    title: 'How a post is made',
    slug: 'how-a-post-is-made',
    summary: 'Autosaved drafts, version history, and what happens when two users edit at once.',
    tags: ['guide', 'content'],
    body: `Sign in as an editor and open **Posts**. Select **New post** and give it a title.

- Drafts are saved a second after you stop typing. Until the server has them, your browser keeps a copy. Close the tab or lose
  the network, reopen the post, and your text is there.
- Paste or drop images into the text. They stay private until a published post uses them.
- Every version stays in the version history. Compare any two and restore an old one.
- **Publish** publishes exactly what is in the fields. Later changes are a draft until you publish again.
- **Schedule…** publishes a version at a time you choose.
- Anyone with a preview link can read the latest draft for 7 days.

## When two users edit

If someone else saved the post after you opened it, your draft doesn’t overwrite theirs. You choose which one to keep working
on, and the other stays in the version history.

## Markdown

Headings, lists, links, tables and code work as usual. HTML is shown as text. Images of the
library are embedded. Any other image becomes a link.
`,
  },
  {
    title: 'Before you go live',
    slug: 'before-you-go-live',
    summary: 'A short checklist of settings, users, email, health checks and backups.',
    tags: ['guide', 'operations'],
    body: `1. **Settings.** \`npm run doctor\` lists what production still needs. With invalid settings the app doesn’t start, and it
   names them.
2. **Users.** The app doesn’t start while the 3 seeded users exist. Set \`ADMIN_EMAIL\`, and the first admin gets an email.
3. **Email.** Set \`SMTP_URL\` and \`MAIL_FROM\`, then reset a password and check that the email arrives.
4. **Proxy.** Set \`TRUSTED_PROXY_HOPS\` to the number of your proxies in front of the app, or rate limits use the wrong IP.
5. **Health.** \`/api/health\` shows that the process is alive, \`/api/health/ready\` that it can serve requests. Point your
   load balancer at the second.
6. **Backups.** Back up PostgreSQL, and test a restore.

\`docs/deploy.md\` has the details.
`,
  },
]
