// The post-build step of `npm run build`. Gives every static page an ETag and a Content-Security-Policy with the hashes of
// its inline scripts, narrows the matcher of proxy.ts to the pages rendered per request, and makes the 404 page preload its
// font. All of it comes from Next's build output, so no page, module or route is listed anywhere. docs/decisions/0007 says
// why, and what to do when Next changes.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { pageHeaders, staticPolicy } from '../src/core/http/headers.ts'
import { importSource } from './import-source.ts'
import { root } from './root.ts'
import { joinPatterns, mergeInterceptions, type Rewrite } from './shorten-routes.ts'
import { showUsage } from './show-usage.mjs'

showUsage('npm run build')

function readJson(file: string) {
  if (!existsSync(file))
    throw new Error(`${file} is missing. This version of Next has a different build output. See docs/decisions/0007.`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

const writeJson = (file: string, value: unknown) => writeFileSync(file, JSON.stringify(value))

function inlineScriptHashes(html: string): string[] {
  const inline = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map((match) => match[1] ?? '')
  return [...new Set(inline)].map((text) => `sha256-${createHash('sha256').update(text).digest('base64')}`)
}

const outputOf = (build: string, route: string) => join(build, 'server', 'app', route === '/' ? 'index' : route)

/** Adds headers to the `.meta` file of a static output: Next sends them without any work per request. */
function addHeaders(output: string, headers: Record<string, string>): void {
  const meta = readJson(`${output}.meta`)
  writeJson(`${output}.meta`, { ...meta, headers: { ...meta.headers, ...headers } })
}

/** Next sends static plain text without a charset. */
function addCharset(output: string): void {
  const type: string | undefined = readJson(`${output}.meta`).headers?.['content-type']
  if (type === 'text/plain') addHeaders(output, { 'content-type': 'text/plain; charset=utf-8' })
}

const [{ formTargetsAtBuild }] = await importSource('src/core/auth/oauth/provider-files.ts')

function addPageHeaders(output: string): void {
  const html = readFileSync(`${output}.html`, 'utf8')
  addHeaders(output, {
    ...pageHeaders,
    'Content-Security-Policy': staticPolicy(inlineScriptHashes(html), formTargetsAtBuild),
    // src/core/http/harden.ts compares it with If-None-Match.
    ETag: `"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"`,
  })
}

/**
 * Next finds the fonts of a page by the path of its file, and the 404 page has another path than in the manifest. Its font is
 * optional, so a first visit would never use it without the preload.
 */
function preloadFonts(build: string, page: string): void {
  const file = `${outputOf(build, page)}.html`
  const html = readFileSync(file, 'utf8')
  if (/<link rel="preload"[^>]* as="font"/.test(html)) return
  const fonts: Record<string, string[]> = readJson(join(build, 'server', 'next-font-manifest.json')).app
  const paths = Object.entries(fonts).flatMap(([key, files]) => (key.endsWith(`/app${page}/page`) ? files : []))
  const links = paths.map(
    (path) =>
      `<link rel="preload" href="/_next/${path}" as="font" crossorigin="" type="font/${extname(path).slice(1)}"/>`,
  )
  writeFileSync(file, html.replace('<link rel="stylesheet"', `${links.join('')}$&`))
}

interface Prerendered {
  initialRevalidateSeconds: number | false
  srcRoute: string
}

/** A page that Next regenerates after the build has inline scripts without a hash in the policy, and loses its headers. */
function rejectRegenerated(page: string, entry: Prerendered | undefined): void {
  if (entry?.initialRevalidateSeconds === false && entry.srcRoute === page) return
  throw new Error(
    `${page} is regenerated after the build (revalidate, or generateStaticParams). Its policy can’t be computed. ` +
      "Render it per request with `export const dynamic = 'force-dynamic'`. See docs/decisions/0007.",
  )
}

/** Request headers that make Next look for a server action. */
const actionHeaders = [
  { type: 'header', key: 'content-type', value: '(multipart/form-data|application/x-www-form-urlencoded).*' },
  { type: 'header', key: 'next-action' },
]

/** `handlers` are route handlers outside of /api: they have no actions, and set their own headers. */
function narrowProxy(build: string, dynamicPages: string[], handlers: string[]): void {
  const routes = readJson(join(build, 'routes-manifest.json'))
  const patternsOf = (paths: string[]): string[] => {
    const patterns = [...routes.staticRoutes, ...routes.dynamicRoutes]
      .filter(({ page }: { page: string }) => paths.includes(page))
      .map(({ regex }: { regex: string }) => regex)
    if (patterns.length !== paths.length) throw new Error(`Not every path has a route: ${paths.join(', ')}`)
    if (patterns.some((pattern) => !/^\^.*\$$/.test(pattern)))
      throw new Error('The pattern of a route does not match a whole path. See docs/decisions/0007.')
    return patterns
  }

  const pagePatterns = patternsOf(dynamicPages)
  const pattern = joinPatterns(pagePatterns)
  if (pagePatterns.length > 1 && pattern === pagePatterns.join('|'))
    throw new Error('Next writes the patterns of routes differently now. See scripts/shorten-routes.ts.')

  const handlerPatterns = patternsOf(handlers).map((pattern) => pattern.slice(1))

  const file = join(build, 'server', 'functions-config-manifest.json')
  const manifest = readJson(file)
  const proxy = manifest.functions['/_middleware']
  if (!proxy?.matchers) throw new Error(`${file} has no entry for proxy.ts. See docs/decisions/0007.`)
  const [everyPage, ...rest] = proxy.allMatchers ?? proxy.matchers
  if (rest.length > 0)
    throw new Error('src/proxy.ts has more than one matcher, but the post-build step supports only one')
  proxy.allMatchers = [everyPage]
  proxy.matchers = [
    // One pattern for all pages: Next compiles the regular expression of each matcher again for every request.
    { regexp: pattern, originalSource: 'pages made per request' },
    // Without JavaScript, a form posted to a static page makes Next render that page again, so it needs a nonce. proxy.ts
    // also rejects actions for which Next would return 500, on any path.
    ...actionHeaders.map((header) => ({
      regexp: `^(?!${['/api/', ...handlerPatterns].join('|')})/`,
      originalSource: 'actions',
      has: [header],
    })),
  ]
  writeJson(file, manifest)
}

/** Next compiles each rewrite again for every request. Every intercepting route is one. */
function mergeRewrites(build: string): void {
  const file = join(build, 'routes-manifest.json')
  const routes = readJson(file)
  if (!Array.isArray(routes.rewrites?.beforeFiles))
    throw new Error(`${file} has no rewrites before files. See docs/decisions/0007.`)
  const isInterception = ({ destination }: Rewrite) => destination.includes('(.)')
  const interceptions: Rewrite[] = routes.rewrites.beforeFiles.filter(isInterception)
  routes.rewrites.beforeFiles = mergeInterceptions(routes.rewrites.beforeFiles)
  const merged = routes.rewrites.beforeFiles.filter(isInterception).length
  if (interceptions.length > 10 && merged === interceptions.length)
    throw new Error('Next writes the rewrites of intercepting routes differently now. See scripts/shorten-routes.ts.')
  writeJson(file, routes)
}

function postbuild(build: string): void {
  const paths: Record<string, string> = readJson(join(build, 'app-path-routes-manifest.json'))
  // A page and what a parallel slot shows beside it have the same route.
  const pages = [...new Set(Object.entries(paths).flatMap(([file, route]) => (file.endsWith('/page') ? [route] : [])))]
  const manifest: Record<string, Prerendered> = readJson(join(build, 'prerender-manifest.json')).routes
  const prerendered = Object.keys(manifest)
  const staticPages = prerendered.filter((route) => existsSync(`${outputOf(build, route)}.html`))
  const staticFiles = prerendered.filter((route) => existsSync(`${outputOf(build, route)}.body`))
  const dynamicPages = pages.filter((page) => !staticPages.includes(page))
  if (Object.values(paths).some((route) => route.startsWith('/dev/')))
    throw new Error('This build has the pages of development. Build without NODE_ENV=development.')

  for (const page of staticPages) rejectRegenerated(page, manifest[page])
  if (staticPages.includes('/_not-found')) preloadFonts(build, '/_not-found')
  for (const page of staticPages) addPageHeaders(outputOf(build, page))
  for (const file of staticFiles) addCharset(outputOf(build, file))
  const handlers = Object.entries(paths).flatMap(([file, route]) =>
    file.endsWith('/route') && !route.startsWith('/api/') ? [route] : [],
  )
  narrowProxy(build, dynamicPages, handlers)
  mergeRewrites(build)
  console.log(`Post-build: ${staticPages.length} static pages (hashes), ${dynamicPages.length} dynamic pages (nonces).`)
}

postbuild(join(root, '.next'))
const standalone = join(root, '.next', 'standalone', '.next')
if (existsSync(standalone)) postbuild(standalone)
