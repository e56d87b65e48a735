interface Guide {
  title: string
  slug: string
  summary: string
  tags: string[]
  body: string
}

/** The first posts of a new app: about the app itself, and real. Delete them when you have your own. */
export const guide: Guide[] = [
  {
    title: 'Your first change',
    slug: 'your-first-change',
    summary: 'Where pages, colours and texts are, and how to see that nothing broke.',
    tags: ['guide', 'start'],
    body: `You have an app that runs. Make it yours in a quarter of an hour.

## Say what it is called

Open \`src/core/app-name.ts\`. The name there is in the head of every page, in mails, and in what an authenticator app shows.

## Change a colour

The colours are tokens at the top of \`src/app/globals.css\`, each once, with a half for light and a half for dark:

\`\`\`css
--primary: light-dark(oklch(0.42 0.075 175), oklch(0.79 0.09 175));
\`\`\`

Change the second number to 0 and the app turns grey. Look at \`/dev/ui\`: it shows every component in both themes.

## Change a page

A folder under \`src/app\` is an address. A folder in parentheses is a module, and adds nothing to the address: this post is
shown by \`src/app/(content)/posts/[slug]/page.tsx\`.

## See that it holds

| Command | Tells |
|---|---|
| \`npm run check\` | whether it is written well, fits together, and does what the tests say |
| \`npm run build && npm run e2e\` | whether people can still use it, in a real browser |
| \`npm run doctor\` | what is wrong with this machine or its settings |

Then commit. What you changed stays yours, also when you bring in a later version of Plinth.
`,
  },
  {
    title: 'Who may do what',
    slug: 'who-may-do-what',
    summary: 'Three roles, one table of permissions, and a check where the data is touched.',
    tags: ['guide', 'security'],
    body: `There are three roles. **Viewers** read. **Editors** write posts such as this one. **Admins** do everything, and look
after people.

Code never asks for a role. It asks for a permission, and each part of the app says in its \`policy.ts\` which roles hold it:

\`\`\`ts
export const { can, permissions } = definePolicy({
  'posts.write': ['editor', 'admin'],
  'posts.delete_others': ['admin'],
})
\`\`\`

An action names the permission that it needs. Without one it does not compile:

\`\`\`ts
export const createPost = defineAction({
  allow: can('posts.write'),
  input: z.object({ title: z.string() }),
  run: async ({ input, actor }) => { … },
})
\`\`\`

> A hidden button protects nothing. Anybody can send anything to any action, so the check is in the action.

With the admin module, a page shows the whole table.
`,
  },
  {
    title: 'Modules come and go',
    slug: 'modules-come-and-go',
    summary: 'Add one, take one out, keep its data; and bring in a later version without losing your work.',
    tags: ['guide', 'modules'],
    body: `A module is one folder: pages, actions, tables, settings, tests. It is installed because it is there.

\`\`\`sh
npx create-plinth list
npx create-plinth add admin
npx create-plinth remove admin
\`\`\`

Each command is one commit, and tells you how to undo it. When a module goes, its tables stay, and \`add\` finds them again.

## Later versions

\`\`\`sh
npx create-plinth upgrade --dry-run
npx create-plinth upgrade
\`\`\`

Lines that only you changed stay as they are. Lines that only Plinth changed are brought up to date. Where both changed the
same line, git shows an ordinary conflict, and you choose.

## Write your own

\`docs/modules.md\` makes a small one in ten steps. This module, the one with the posts, is a larger example: it has tables,
a job, a setting, public pages and an API.
`,
  },
  {
    title: 'How a post is made',
    slug: 'how-a-post-is-made',
    summary: 'Drafts that save themselves, versions that stay, and what happens when two people write at once.',
    tags: ['guide', 'content'],
    body: `Sign in as an editor and open **Write**. Give a post a title, and begin.

- What you write is saved a second after you pause. Until the server has it, your browser keeps it as well: close the tab,
  lose the network, come back, and it is there.
- Every version stays. Compare any two, and go on from an old one.
- **Publish** shows exactly what is in the fields. What you write afterwards is a draft again until you publish it.
- **Later** publishes a version at a time that you choose.
- A preview link shows the newest text to somebody without an account, for a week.

## When two people write

If somebody else has saved since you opened the post, your text is not saved over theirs. You are asked whose text goes on.
The other one stays among the versions, so nothing is lost.

## Markdown

Headings, lists, links, tables and code are as usual. HTML is shown as it is written, and does nothing. Pictures come from
this site; one from elsewhere becomes a link.
`,
  },
  {
    title: 'Before you go live',
    slug: 'before-you-go-live',
    summary: 'A short list: settings, people, mail, backups, and what to look at afterwards.',
    tags: ['guide', 'operations'],
    body: `1. **Settings.** \`npm run doctor\` says what production would still miss. The app refuses to start with settings that are
   wrong, and names them.
2. **People.** The three people of development must not be there: the app refuses to start with them. Set \`ADMIN_EMAIL\`, and
   the first admin gets a mail.
3. **Mail.** Set \`SMTP_URL\` and \`MAIL_FROM\`, then ask for a new password and see whether the mail arrives.
4. **Proxy.** Say in \`TRUSTED_PROXY_HOPS\` how many proxies of yours are in front, or limits are counted for the wrong address.
5. **Health.** \`/api/health\` tells that the process lives, \`/api/health/ready\` that it can work. Give the second to your
   balancer.
6. **Backups.** Back up PostgreSQL, and restore it once to see that you can.

\`docs/deploy.md\` has the details.
`,
  },
]
