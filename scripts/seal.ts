// The last step of `npm run build`: gives every static page its Content-Security-Policy, by the hashes of its own
// inline scripts, and an ETag, and narrows proxy.ts to the pages that are made per request. Both are read from what Next has just
// built, so no page, module or route is listed anywhere. docs/decisions/0007 says why, and what to do when Next changes.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pageHeaders, staticPolicy } from '../src/core/headers.ts'
import { root } from './root.ts'

function readJson(file: string) {
  if (!existsSync(file))
    throw new Error(`${file} is missing: this version of Next builds something else. See docs/decisions/0007.`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

const writeJson = (file: string, value: unknown) => writeFileSync(file, JSON.stringify(value))

function inlineScriptHashes(html: string): string[] {
  const inline = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map((match) => match[1] ?? '')
  return [...new Set(inline)].map((text) => `sha256-${createHash('sha256').update(text).digest('base64')}`)
}

const outputOf = (build: string, route: string) => join(build, 'server', 'app', route === '/' ? 'index' : route)

/** Headers beside the content: Next sends them with it, without any work per request. */
function addHeaders(output: string, headers: Record<string, string>): void {
  const meta = readJson(`${output}.meta`)
  writeJson(`${output}.meta`, { ...meta, headers: { ...meta.headers, ...headers } })
}

/** Next sends plain text without saying in which letters. */
function sealStaticFile(output: string): void {
  const type: string | undefined = readJson(`${output}.meta`).headers?.['content-type']
  if (type === 'text/plain') addHeaders(output, { 'content-type': 'text/plain; charset=utf-8' })
}

function sealStaticPage(output: string): void {
  const html = readFileSync(`${output}.html`, 'utf8')
  addHeaders(output, {
    ...pageHeaders,
    'Content-Security-Policy': staticPolicy(inlineScriptHashes(html)),
    // src/core/incoming.ts tells whoever has kept this very page so.
    ETag: `"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"`,
  })
}

interface Prerendered {
  initialRevalidateSeconds: number | false
  srcRoute: string
}

/** A page that Next makes anew after the build has inline scripts that no hash here covers, and loses its headers. */
function refuseWhatChanges(page: string, entry: Prerendered | undefined): void {
  if (entry?.initialRevalidateSeconds === false && entry.srcRoute === page) return
  throw new Error(
    `${page} is made at build time and again later (revalidate, or generateStaticParams). Its policy cannot be sealed: ` +
      "render it per request with `export const dynamic = 'force-dynamic'`. See docs/decisions/0007.",
  )
}

function narrowProxy(build: string, dynamicPages: string[]): void {
  const routes = readJson(join(build, 'routes-manifest.json'))
  const patterns = [...routes.staticRoutes, ...routes.dynamicRoutes]
    .filter(({ page }: { page: string }) => dynamicPages.includes(page))
    .map(({ regex }: { regex: string }) => regex)
  if (patterns.length !== dynamicPages.length) throw new Error(`Not every page has a route: ${dynamicPages.join(', ')}`)
  if (patterns.some((pattern) => !/^\^.*\$$/.test(pattern)))
    throw new Error('A route’s pattern is not for a whole address. See docs/decisions/0007.')

  const file = join(build, 'server', 'functions-config-manifest.json')
  const manifest = readJson(file)
  const proxy = manifest.functions['/_middleware']
  if (!proxy?.matchers) throw new Error(`${file} has no entry for proxy.ts. See docs/decisions/0007.`)
  const [everyPage, ...rest] = proxy.sealed ?? proxy.matchers
  if (rest.length > 0) throw new Error('src/proxy.ts has more than one matcher; this step knows what to do with one')
  proxy.sealed = [everyPage]
  proxy.matchers = [
    // One for all of them: Next makes a regular expression of each anew, for every request, whatever it is for.
    { regexp: patterns.join('|'), originalSource: 'pages made per request' },
    // A form posted to a static page, without JavaScript, is answered by rendering that page anew.
    {
      ...everyPage,
      has: [
        { type: 'header', key: 'content-type', value: '(multipart/form-data|application/x-www-form-urlencoded).*' },
      ],
    },
  ]
  writeJson(file, manifest)
}

function seal(build: string): void {
  const paths: Record<string, string> = readJson(join(build, 'app-path-routes-manifest.json'))
  const pages = Object.entries(paths).flatMap(([file, route]) => (file.endsWith('/page') ? [route] : []))
  const manifest: Record<string, Prerendered> = readJson(join(build, 'prerender-manifest.json')).routes
  const prerendered = Object.keys(manifest)
  const staticPages = prerendered.filter((route) => existsSync(`${outputOf(build, route)}.html`))
  const staticFiles = prerendered.filter((route) => existsSync(`${outputOf(build, route)}.body`))
  const dynamicPages = pages.filter((page) => !staticPages.includes(page))

  for (const page of staticPages) refuseWhatChanges(page, manifest[page])
  for (const page of staticPages) sealStaticPage(outputOf(build, page))
  for (const file of staticFiles) sealStaticFile(outputOf(build, file))
  narrowProxy(build, dynamicPages)
  console.log(`Sealed: ${staticPages.length} static pages by hash, ${dynamicPages.length} pages per request by nonce.`)
}

seal(join(root, '.next'))
const standalone = join(root, '.next', 'standalone', '.next')
if (existsSync(standalone)) seal(standalone)
