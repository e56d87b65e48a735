import { Example, Section } from './example'

/** Components that are a page, or act on one. They can’t be shown within a page, so this is their code and what they do. */
const components: { name: string; text: string; code: string }[] = [
  {
    name: 'SiteHeader',
    text: 'The header of public pages, as at the top of this one. Its links are in a menu on phones.',
    code: '<SiteHeader>\n  <a href="#pages">Pages</a>\n</SiteHeader>\n<main id="main">…</main>',
  },
  {
    name: 'AppShell, Page',
    text: 'The layout of every page behind sign-in: sidebar, breadcrumb, title and actions. Ctrl K opens the palette, ? the shortcuts.',
    code: '// layout.tsx\n<AppShell>{children}</AppShell>\n\n// page.tsx\n<Page title="Users" lead="Everyone with an account." primary={<Link href="…">Invite</Link>}>…</Page>',
  },
  {
    name: 'SettingsPage, SettingsHome',
    text: 'A page of the settings beside the list of their sections, and the page that lists them.',
    code: '<SettingsPage title="Password" lead="Last changed 3 months ago.">\n  <SettingCard … />\n</SettingsPage>\n<SettingsHome />',
  },
  {
    name: 'FormPage, ExpiredLinkPage',
    text: 'A page with a single form, and the page for a link of an email that is too old.',
    code: '<FormPage title="Reset your password" lead="Choose a new one.">…</FormPage>\n<ExpiredLinkPage lead="Reset links work once, for 30 minutes." href="/forgot" label="Send a new link" />',
  },
  {
    name: 'ErrorPanel',
    text: 'What a page shows in place of itself when it fails, with the ID to search the logs for.',
    code: '// error.tsx, a client component\n<ErrorPanel error={error} retry={retry} />',
  },
  {
    name: 'DialogForm, RouteDialog',
    text: 'A form that asks before something happens. It is a page with a URL of its own; an intercepting route shows it as a dialog.',
    code: '<DialogForm frame="dialog" title="Suspend Victor?" consequences={[…]} action={suspendUser} submit="Suspend" isDangerous … />\n<RouteDialog labelledBy="title">…</RouteDialog>',
  },
  {
    name: 'ResultToast, UndoForm',
    text: 'The result of the last action, which travels in the URL. In a layout, so that it is announced.',
    code: "<ResultToast read={(params) => (params.get('done') === 'saved' ? { text: 'Saved', undo: <UndoForm action={undo} token={token} /> } : null)} />",
  },
  {
    name: 'AutoSubmit',
    text: 'Submits the form around it when a field changes. Without JavaScript the form needs a button.',
    code: '<form action="/users">\n  <Select name="role">…</Select>\n  <AutoSubmit values={{ role }} />\n</form>',
  },
]

export function Pages() {
  return (
    <Section title="Pages">
      {components.map(({ name, text, code }) => (
        <Example key={name} name={name} code={code}>
          <p className="text-muted-foreground text-sm">{text}</p>
        </Example>
      ))}
    </Section>
  )
}
