import { SiteHeader } from '@/core/ui/site-header'
import { Code } from '../../../_components/code'

export const metadata = { title: 'Calling the API', description: 'From another site, a terminal or a server.' }

const fromPage = `const answer = await fetch('https://app.example.com/api/auth/session', {
  headers: { Authorization: \`Bearer \${token}\` },
})
if (!answer.ok) {
  const { code, detail } = await answer.json()
  throw new Error(\`\${code}: \${detail}\`)
}
const session = await answer.json()`

const fromTerminal = `export APP=https://app.example.com
read -rs TOKEN && export TOKEN
curl --fail-with-body "$APP/api/auth/session" -H "Authorization: Bearer $TOKEN"`

const signingIn = `curl -c jar.txt "$APP/api/auth/signin" -H 'Content-Type: application/json' \\
  -d '{"email":"ada@example.com","password":"…","redirect":false}'
curl -b jar.txt "$APP/api/auth/session"
curl -b jar.txt -X POST "$APP/api/auth/signout"`

const fromServer = `const app = process.env.APP_URL
const token = process.env.APP_TOKEN

async function ask(path, tries = 3) {
  const answer = await fetch(new URL(path, app), {
    headers: { Authorization: \`Bearer \${token}\` },
    signal: AbortSignal.timeout(10_000),
  })
  if (tries > 1 && [429, 503].includes(answer.status)) {
    const seconds = Number(answer.headers.get('Retry-After') ?? 5)
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    return ask(path, tries - 1)
  }
  if (!answer.ok) throw new Error((await answer.json()).code)
  return answer.json()
}`

export default function CallingPage() {
  return (
    <>
      <SiteHeader>
        <a href="/docs/api" className="hover:underline">
          API reference
        </a>
      </SiteHeader>
      <main id="main" className="mx-auto grid max-w-3xl grid-cols-1 gap-10 px-4 py-10 sm:px-6">
        <div className="grid gap-3">
          <h1 className="font-semibold text-3xl tracking-tight">Calling the API</h1>
          <p className="text-muted-foreground">
            From another site, a terminal or a server. What there is to call is in the{' '}
            <a href="/docs/api" className="underline underline-offset-4 hover:no-underline">
              reference
            </a>
            .
          </p>
        </div>
        <Way id="page" title="From a page of another origin">
          <p>
            Browsers let a page of another origin read answers only when the app names that origin. Whoever runs the app
            lists it, exactly: scheme, host and port, without a slash at the end.
          </p>
          <Code label="Settings of the app">
            {'CORS_ORIGINS=https://shop.example.com,https://office.example.com:8443'}
          </Code>
          <p>
            The page sends a token and no cookie: the cookie of this app stays with this app. A token in a page can be
            read by every script on it, so give it a short life and a low role.
          </p>
          <Code label="In the page">{fromPage}</Code>
          <p>
            The browser asks first (OPTIONS), because of the header, and remembers the answer for ten minutes. From an
            origin that is not on the list <code className="font-mono text-xs">fetch</code> fails with a TypeError and
            says no more.
          </p>
        </Way>
        <Way id="terminal" title="From a terminal">
          <p>Keep the token out of the command, or it ends up in the history of the shell.</p>
          <Code label="With a token">{fromTerminal}</Code>
          <p>Or sign in, and keep the cookie in a file, as a browser would.</p>
          <Code label="With a session">{signingIn}</Code>
        </Way>
        <Way id="server" title="From a server">
          <p>
            No list of origins is asked: it is for browsers. Keep the token in the settings of that server, set a limit
            to the time you wait, and come back when <code className="font-mono text-xs">Retry-After</code> says so.
          </p>
          <Code label="Node.js 22 or newer">{fromServer}</Code>
        </Way>
      </main>
    </>
  )
}

function Way({ id, title, children }: { id: string; title: string; children: React.ReactNode }) {
  return (
    <section aria-labelledby={id} className="grid grid-cols-1 gap-4 text-sm">
      <h2 id={id} className="font-semibold text-xl">
        {title}
      </h2>
      {children}
    </section>
  )
}
