import { appName } from '@/core/app-name'
import { catalogue } from '@/core/errors'
import { SiteHeader } from '@/core/ui/site-header'
import { Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { modules } from '@/modules'
import { Code } from '../../_components/code'
import { OperationEntry } from '../../_components/operation'
import { TokenField, WithToken } from '../../_components/try-it'
import { describeApi } from '../../document'
import type { Call } from '../../samples'

export const metadata = { title: 'API reference', description: `What programs can ask ${appName}, and how.` }

const linkClass = 'underline underline-offset-4 hover:no-underline'

interface Group {
  owner: string
  id: string
  calls: Call[]
}

/** Made with the app: the routes are known then, and nothing in it depends on who reads it. */
export default async function ApiReferencePage() {
  const { paths, tags, components } = await describeApi()
  const calls = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, operation]): Call => ({ method: method.toUpperCase(), path, operation, named: components.schemas }),
    ),
  )
  const groups = tags.map(({ name }): Group => {
    const own = calls.filter(({ operation }) => operation.tags[0] === name)
    return { owner: name, id: `of-${name.toLowerCase().replaceAll(/\W+/g, '-')}`, calls: own }
  })
  return (
    <>
      <SiteHeader>
        <a href="#authenticate" className="hover:underline">
          Authenticate
        </a>
        <a href="#errors" className="hover:underline">
          Errors
        </a>
        <a href="/docs/api/calling" className="hover:underline">
          From elsewhere
        </a>
      </SiteHeader>
      <div className="mx-auto grid max-w-6xl grid-cols-1 gap-x-12 gap-y-8 px-4 py-10 sm:px-6 lg:grid-cols-[14rem_1fr]">
        <Contents groups={groups} />
        <main id="main" className="grid min-w-0 grid-cols-1 content-start gap-12">
          <div className="grid gap-3">
            <h1 className="font-semibold text-3xl tracking-tight">API reference</h1>
            <p className="max-w-prose text-muted-foreground">
              What programs can ask {appName}. This page is made from the schemas that the app checks, and so is{' '}
              <a href="/api/openapi.json" className={linkClass}>
                openapi.json
              </a>{' '}
              (OpenAPI 3.1), for tools.
            </p>
          </div>
          <WithToken>
            <Authenticate />
            {groups.map(({ owner, id, calls: own }) => (
              <section key={owner} aria-labelledby={id} className="grid grid-cols-1 gap-3">
                <h2 id={id} className="mb-1 font-semibold text-xl">
                  {owner}
                </h2>
                {own.map((call) => (
                  <OperationEntry key={call.operation.operationId} {...call} />
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

/** On narrow screens it is closed, and opens without a script. */
function Contents({ groups }: { groups: Group[] }) {
  const links = (
    <ul className="grid gap-4 text-sm">
      <li>
        <a href="#authenticate" className="font-medium hover:underline">
          Authenticate
        </a>
      </li>
      {groups.map(({ owner, id, calls }) => (
        <li key={owner} className="grid gap-1">
          <a href={`#${id}`} className="font-medium hover:underline">
            {owner}
          </a>
          <ul className="grid gap-1 text-muted-foreground">
            {calls.map(({ method, path, operation: { operationId, summary } }) => (
              <li key={operationId}>
                <a
                  href={`#${operationId}`}
                  title={`${method} ${path}`}
                  className="block py-0.5 hover:text-foreground hover:underline"
                >
                  {summary}
                </a>
              </li>
            ))}
          </ul>
        </li>
      ))}
      {[
        ['#errors', 'Errors'],
        ['#rate-limits', 'Rate limits'],
        ['/docs/api/calling', 'Calling it from elsewhere'],
      ].map(([href, label]) => (
        <li key={href}>
          <a href={href} className="font-medium hover:underline">
            {label}
          </a>
        </li>
      ))}
    </ul>
  )
  return (
    <>
      <nav
        aria-label="Contents"
        className="sticky top-20 hidden max-h-[calc(100dvh-6rem)] self-start overflow-y-auto pe-2 lg:block"
      >
        {links}
      </nav>
      <details className="rounded-lg border bg-card px-4 py-3 lg:hidden">
        <summary className="font-medium text-sm">Contents</summary>
        <nav aria-label="Contents" className="pt-4">
          {links}
        </nav>
      </details>
    </>
  )
}

function Authenticate() {
  const givers = modules.filter(({ bearer }) => bearer)
  return (
    <section aria-labelledby="authenticate" className="grid grid-cols-1 gap-4">
      <h2 id="authenticate" className="font-semibold text-xl">
        Authenticate
      </h2>
      <div className="grid max-w-prose gap-3 text-sm">
        <p>
          Send a token with each call: <code className="font-mono text-xs">Authorization: Bearer …</code>. It decides
          alone who is calling. Without that header the cookie does, which browsers send with calls from pages of this
          app: <code className="font-mono text-xs">__Host-plinth.session</code> over https,{' '}
          <code className="font-mono text-xs">plinth.session</code> over http.
        </p>
        <p>
          The value of that cookie is the token of a session, and ends with it.
          {givers.length > 0 && (
            <>
              {' '}
              Tokens that last, and may do less than you, come from{' '}
              {givers.map(({ name, title, navigation }) => (
                <a key={name} href={navigation?.[0]?.href ?? '/dashboard'} className={linkClass}>
                  {title}
                </a>
              ))}
              .
            </>
          )}
        </p>
      </div>
      <Code label="What the samples below begin with">
        {'APP=https://app.example.com\nTOKEN=…\ncurl "$APP/api/auth/session" -H "Authorization: Bearer $TOKEN"'}
      </Code>
      <TokenField />
      <p className="hidden text-muted-foreground text-sm noscript:block">
        Calls can be tried on this page with JavaScript; all else works without.
      </p>
    </section>
  )
}

function Errors() {
  const problem = {
    type: 'urn:plinth:problem:invalid_input',
    title: catalogue.invalid_input.title,
    status: 422,
    detail: catalogue.invalid_input.title,
    instance: 'urn:plinth:request:2f6c1d0a-5b1e-4c8e-9d7a-1f2e3d4c5b6a',
    code: 'invalid_input',
    errors: { email: ['Invalid input'] },
  }
  return (
    <section aria-labelledby="errors" className="grid grid-cols-1 gap-4">
      <h2 id="errors" className="font-semibold text-xl">
        Errors
      </h2>
      <p className="max-w-prose text-sm">
        A refusal is <code className="font-mono text-xs">application/problem+json</code> (RFC 9457). Act on{' '}
        <code className="font-mono text-xs">code</code>, which is stable, and show{' '}
        <code className="font-mono text-xs">detail</code>. The id in <code className="font-mono text-xs">instance</code>{' '}
        is in the log, too. An address that there is refuses methods that it does not offer with 405, and says in{' '}
        <code className="font-mono text-xs">Allow</code> which ones it does.
      </p>
      <Code label="422">{JSON.stringify(problem, null, 2)}</Code>
      <Table label="Codes" className="min-w-lg">
        <TableHead>
          <tr>
            <TableHeading>Code</TableHeading>
            <TableHeading>Status</TableHeading>
            <TableHeading>Means</TableHeading>
          </tr>
        </TableHead>
        <TableBody>
          {Object.entries(catalogue).map(([code, { status, title }]) => (
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
        Calls that list 429 are counted, by address, by account or by person, over all nodes. One too many is refused
        with <code className="font-mono text-xs">rate_limited</code>, and{' '}
        <code className="font-mono text-xs">Retry-After</code> says in how many seconds to come back. 503 carries it,
        too. Wait at least that long; a call that was refused changed nothing.
      </p>
    </section>
  )
}
