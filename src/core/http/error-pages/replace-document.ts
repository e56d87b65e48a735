import type { ServerResponse } from 'node:http'

/** A document that is sent in place of Next's own, with the policy for its scripts. */
export interface ErrorPage {
  html: Buffer
  /** Compressed in advance, if the page is the same for every request. */
  gzip?: Buffer
  policy: string
}

/** Whether this is a page rendered per request: only those have a nonce, from proxy.ts. */
const isRenderedPage = (response: ServerResponse) =>
  String(response.getHeader('Content-Type')).startsWith('text/html') &&
  String(response.getHeader('Content-Security-Policy')).includes("'nonce-")

/** Sets the headers for the page, and returns the body to send. */
function setPageHeaders(response: ServerResponse, page: ErrorPage): Buffer {
  // Set by Next's compression, which runs before this.
  const gzip = response.getHeader('Content-Encoding') === 'gzip' ? page.gzip : undefined
  const body = gzip ?? page.html
  if (!gzip) response.removeHeader('Content-Encoding')
  response.setHeader('Content-Length', body.length)
  response.setHeader('Content-Security-Policy', page.policy)
  response.setHeader('Cache-Control', 'private, no-store')
  // These belong to the document that is not sent.
  response.removeHeader('ETag')
  response.removeHeader('Link')
  return body
}

/**
 * Next answers `notFound()` of a page rendered per request, and a page that fails, with a document that is empty until its
 * scripts have run. The returned function sends the page that `findPage` returns in its place: call it just before the headers
 * are written. Prepare this before Next wraps `write` and `end` to compress, so that the compressed bytes pass through here. See
 * docs/decisions/0024.
 */
export function prepareDocument(response: ServerResponse, findPage: () => ErrorPage | null): () => void {
  const { write, end } = response
  let body: Buffer | undefined
  const replaceDocument = () => {
    const page = body === undefined ? findPage() : null
    if (page && isRenderedPage(response)) body = setPageHeaders(response, page)
  }
  /** Without compression, Node writes the headers only after it has taken the first chunk. */
  const isReplaced = () => {
    if (!response.headersSent) replaceDocument()
    return body !== undefined
  }
  const callbackIn = (args: unknown[]) => args.find((item) => typeof item === 'function') as (() => void) | undefined
  response.write = ((...args: unknown[]) => {
    if (!isReplaced()) return Reflect.apply(write, response, args)
    const callback = callbackIn(args)
    if (callback) process.nextTick(callback)
    return true
  }) as typeof write
  response.end = ((...args: unknown[]) => {
    const isReplacing = isReplaced() && !response.writableEnded
    return Reflect.apply(end, response, isReplacing ? [body, callbackIn(args)] : args)
  }) as typeof end
  return replaceDocument
}
