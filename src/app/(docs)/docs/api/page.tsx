import { appName, appSlug } from '@/brand'
import { errorCatalog } from '@/core/errors'
import { SiteHeader } from '@/core/ui/site-header'
import { Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { moduleUis } from '@/module-uis'
import { modules } from '@/modules'
import { Code } from '../../_components/code'
import { Contents, type ContentsGroup } from '../../_components/contents'
import { Operation } from '../../_components/operation'
import { TokenField, WithToken } from '../../_components/try-it'
import { entryOf, findGroups } from '../../reference'

export const metadata = { title: 'API reference', description: `REST API reference for ${appName}.` }

const linkClass = 'underline underline-offset-4 hover:no-underline'

/**
 * Three columns on wide screens: contents, description, samples. Rendered at build time: the routes are known then, and nothing
 * on the page depends on the user.
 */
export default async function ApiReferencePage() {
  const groups = await findGroups()
  return (
    <>
      <SiteHeader>
        <a href="#authenticate" className="hover:underline">
          Authentication
        </a>
        <a href="#errors" className="hover:underline">
          Errors
        </a>
        <a href="/docs/api/calling" className="hover:underline">
          Guides
        </a>
      </SiteHeader>
      <div
        style={{ maxWidth: '90rem' }}
        className="mx-auto grid grid-cols-1 gap-x-12 gap-y-8 px-4 py-10 sm:px-6 lg:grid-cols-[14rem_1fr]"
      >
        <Navigation groups={groups.map(({ title, id, calls }) => ({ title, id, entries: calls.map(entryOf) }))} />
        <main id="main" className="grid min-w-0 grid-cols-1 content-start gap-12">
          <div className="grid gap-3">
            <h1 className="font-semibold text-3xl tracking-tight">API reference</h1>
            <p className="max-w-prose text-muted-foreground">
              Generated from the schemas the app enforces. Also available as{' '}
              <a href="/api/openapi.json" className={linkClass}>
                openapi.json
              </a>
              , in OpenAPI 3.1.
            </p>
          </div>
          <WithToken>
            <Authenticate />
            {groups.map(({ title, id, calls }) => (
              <section key={id} aria-labelledby={id} className="grid grid-cols-1">
                <h2 id={id} className="mb-4 font-semibold text-xl">
                  {title}
                </h2>
                {calls.map((call) => (
                  <Operation key={call.operation.operationId} {...call} />
                ))}
              </section>
            ))}
          </WithToken>
          <Errors />
          <RateLimits />
        </main>
      </div>
    </>
  )
}

/** The table of contents; on narrow screens in a collapsed details element, which needs no JavaScript. */
function Navigation({ groups }: { groups: ContentsGroup[] }) {
  return (
    <>
      <nav
        aria-label="Contents"
        className="sticky top-20 hidden max-h-[calc(100dvh-6rem)] self-start overflow-y-auto p-1 lg:block"
      >
        <Contents groups={groups} />
      </nav>
      <details className="rounded-lg border bg-card px-4 py-3 lg:hidden">
        <summary className="font-medium text-sm">Contents</summary>
        <nav aria-label="Contents" className="pt-4">
          <Contents groups={groups} />
        </nav>
      </details>
    </>
  )
}

function Authenticate() {
  const hasTokens = modules.some(({ bearer }) => bearer)
  const settings = moduleUis.flatMap((ui) => ui.settings ?? [])
  const tokenSettings = hasTokens ? settings.find(({ label }) => /\btokens\b/i.test(label)) : undefined
  return (
    <section aria-labelledby="authenticate" className="grid grid-cols-1 gap-x-12 gap-y-4 xl:grid-cols-2">
      <div className="grid max-w-prose content-start gap-3 text-sm">
        <h2 id="authenticate" className="font-semibold text-xl">
          Authentication
        </h2>
        <p>
          Send {hasTokens ? 'an API token' : 'a session token'} with each request:{' '}
          <code className="font-mono text-xs">Authorization: Bearer …</code>. Requests without this header use the
          session cookie, which browsers send from pages of this app. It is{' '}
          <code className="font-mono text-xs">__Host-{appSlug}.session</code> over https and{' '}
          <code className="font-mono text-xs">{appSlug}.session</code> over http.
        </p>
        <p>
          The value of the cookie is a session token, which works until the session ends.
          {hasTokens && (
            <>
              {' '}
              API tokens last until they expire or you revoke them, and can have a lower role than yours. Create one in{' '}
              <a href={tokenSettings?.href ?? '/dashboard'} className={linkClass}>
                Settings
              </a>
              .
            </>
          )}
        </p>
      </div>
      <div className="grid min-w-0 grid-cols-1 content-start gap-4">
        <Code label="Set up your shell">
          {'APP=https://app.example.com\nTOKEN=…\ncurl "$APP/api/auth/session" -H "Authorization: Bearer $TOKEN"'}
        </Code>
        <TokenField createHref={tokenSettings?.href} />
        <p className="hidden text-muted-foreground text-sm noscript:block">
          Turn on JavaScript to send requests from this page.
        </p>
      </div>
    </section>
  )
}

function Errors() {
  const problem = {
    type: `urn:${appSlug}:problem:invalid_input`,
    title: errorCatalog.invalid_input.title,
    status: 422,
    detail: errorCatalog.invalid_input.title,
    instance: `urn:${appSlug}:request:2f6c1d0a-5b1e-4c8e-9d7a-1f2e3d4c5b6a`,
    code: 'invalid_input',
    errors: { email: ['Enter a valid email'] },
  }
  return (
    <section aria-labelledby="errors" className="grid grid-cols-1 gap-4">
      <h2 id="errors" className="font-semibold text-xl">
        Errors
      </h2>
      <p className="max-w-prose text-sm">
        Errors are <code className="font-mono text-xs">application/problem+json</code>, as in RFC 9457. Check{' '}
        <code className="font-mono text-xs">code</code>, which is stable, and show{' '}
        <code className="font-mono text-xs">detail</code> to your users. The request ID in{' '}
        <code className="font-mono text-xs">instance</code> is also in the log. A method that an endpoint doesn’t
        support gets 405, and <code className="font-mono text-xs">Allow</code> lists the supported ones.
      </p>
      <Code label="422">{JSON.stringify(problem, null, 2)}</Code>
      <Table label="Error codes" className="min-w-lg">
        <TableHead>
          <tr>
            <TableHeading>Code</TableHeading>
            <TableHeading>Status</TableHeading>
            <TableHeading>Description</TableHeading>
          </tr>
        </TableHead>
        <TableBody>
          {Object.entries(errorCatalog).map(([code, { status, title }]) => (
            <TableRow key={code}>
              <TableCell className="py-2 font-mono text-xs">{code}</TableCell>
              <TableCell className="py-2">{status}</TableCell>
              <TableCell className="py-2">{title}</TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </section>
  )
}

function RateLimits() {
  return (
    <section aria-labelledby="rate-limits" className="grid grid-cols-1 gap-3">
      <h2 id="rate-limits" className="font-semibold text-xl">
        Rate limits
      </h2>
      <p className="max-w-prose text-sm">
        Endpoints that list 429 are rate limited per IP, account or user, across all nodes. When you hit a limit you get{' '}
        <code className="font-mono text-xs">rate_limited</code>, and{' '}
        <code className="font-mono text-xs">Retry-After</code> says how many seconds to wait. 503 responses have this
        header, too. A rate-limited request changes nothing, so you can send it again.
      </p>
    </section>
  )
}
