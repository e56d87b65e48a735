import { SiteHeader } from '@/core/ui/site-header'
import { Code } from '../../../_components/code'

export const metadata = { title: 'Calling the API', description: 'From another site, a terminal or a server.' }

const forToken = `const response = await fetch('https://app.example.com/api/auth/signin', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ email, password, token: true }),
})
const { token, user, expires } = await response.json()`

const fromPage = `const response = await fetch('https://app.example.com/api/auth/session', {
  headers: { Authorization: \`Bearer \${token}\` },
})
if (!response.ok) {
  const { code, detail } = await response.json()
  throw new Error(\`\${code}: \${detail}\`)
}
const session = await response.json()`

const fromTerminal = `export APP=https://app.example.com
read -rs TOKEN && export TOKEN
curl --fail-with-body "$APP/api/auth/session" -H "Authorization: Bearer $TOKEN"`

const signingIn = `curl -c jar.txt "$APP/api/auth/signin" -H 'Content-Type: application/json' \\
  -d '{"email":"ada@example.com","password":"…","redirect":false}'
curl -b jar.txt "$APP/api/auth/session"
curl -b jar.txt -X POST "$APP/api/auth/signout"`

const fromServer = `const app = process.env.APP_URL
const token = process.env.APP_TOKEN

async function getJson(path, attempts = 3) {
  const response = await fetch(new URL(path, app), {
    headers: { Authorization: \`Bearer \${token}\` },
    signal: AbortSignal.timeout(10_000),
  })
  if (attempts > 1 && [429, 503].includes(response.status)) {
    const seconds = Number(response.headers.get('Retry-After') ?? 5)
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    return getJson(path, attempts - 1)
  }
  if (!response.ok) throw new Error((await response.json()).code)
  return response.json()
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
            From another site, a terminal or a server. All endpoints are in the{' '}
            <a href="/docs/api" className="underline underline-offset-4 hover:no-underline">
              API reference
            </a>
            .
          </p>
        </div>
        <Section id="page" title="From a page on another origin">
          <p>
            Browsers let a page on another origin read responses only if the app allows that origin. Add its exact
            scheme, host and port to the settings of the app, without a trailing slash.
          </p>
          <Code label="App settings">{'CORS_ORIGINS=https://shop.example.com,https://office.example.com:8443'}</Code>
          <p>
            The page sends a token instead of a cookie. Every script on a page can read a token in it, so use an API
            token that expires soon and has a low role, or let users sign in for a session token.
          </p>
          <Code label="Sign in for a session token">{forToken}</Code>
          <p>
            No cookie is set. With two-factor authentication the response has{' '}
            <code className="font-mono text-xs">pendingSignIn</code> instead of the token. Send it with the 2FA code,
            again with <code className="font-mono text-xs">token: true</code>. Signing out with the token ends the
            session.
          </p>
          <Code label="Send a request">{fromPage}</Code>
          <p>
            Because of the header, the browser first sends an OPTIONS request. It caches the response for 10 minutes.
            From an origin that isn’t allowed, <code className="font-mono text-xs">fetch</code> throws a TypeError
            without details.
          </p>
        </Section>
        <Section id="terminal" title="From a terminal">
          <p>Keep the token out of the command, or it ends up in your shell history.</p>
          <Code label="With a token">{fromTerminal}</Code>
          <p>Or sign in and store the cookie in a file.</p>
          <Code label="With a session">{signingIn}</Code>
        </Section>
        <Section id="server" title="From a server">
          <p>
            Allowed origins apply only to browsers. Keep the token in the settings of your server, set a timeout, and
            try again after the number of seconds in <code className="font-mono text-xs">Retry-After</code>.
          </p>
          <Code label="Node.js 22 or newer">{fromServer}</Code>
        </Section>
      </main>
    </>
  )
}

function Section({ id, title, children }: { id: string; title: string; children: React.ReactNode }) {
  return (
    <section aria-labelledby={id} className="grid grid-cols-1 gap-4 text-sm">
      <h2 id={id} className="font-semibold text-xl">
        {title}
      </h2>
      {children}
    </section>
  )
}
