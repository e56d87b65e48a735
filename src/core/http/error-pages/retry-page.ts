import { createHash } from 'node:crypto'
import { appName } from '@/brand'
import type { AppError } from '../../errors'
import { earlyScript, staticPolicy } from '../headers'

/** Counts down and opens the page again, once, while it is visible. Always with GET: a form is not submitted twice. */
const retryScript = `(()=>{let e=document.querySelector('[data-retry]'),n=+e.dataset.retry,t=setInterval(()=>{
if(n>0)e.textContent=(--n/60|0)+':'+(''+n%60).padStart(2,0);
if(!n&&!document.hidden){clearInterval(t);location.replace(location.pathname+location.search)}},1e3)})()`

const hashOf = (script: string) => `sha256-${createHash('sha256').update(script).digest('base64')}`

/** The policy of the page, which needs nothing of the app but its icon. */
export const retryPagePolicy = staticPolicy([hashOf(earlyScript), hashOf(retryScript)])

// The colors of globals.css. The page has its own styles, because it is sent when the app cannot do its work.
const styles = `:root{color-scheme:light dark}.light{color-scheme:light}.dark{color-scheme:dark}
body{margin:0;background:light-dark(#fff,oklch(.192 .004 165));color:light-dark(oklch(.212 .01 130),oklch(.955 .004 130));font:14px/20px system-ui,sans-serif}
header{display:flex;align-items:center;gap:.625rem;max-width:72rem;margin:auto;padding:1.25rem 1rem;font-weight:600}
main{max-width:36rem;margin:auto;padding:4rem 1rem}
h1{margin:0;font-size:30px;line-height:36px;letter-spacing:-.015em}
p{margin:1rem 0 0}.muted{color:light-dark(oklch(.475 .012 120),oklch(.72 .008 130))}
code,[data-retry]{font-family:ui-monospace,monospace;overflow-wrap:anywhere}
a,button{display:inline-block;margin:0 .5rem .5rem 0;padding:7px 14px;border:0;border-radius:8px;background:none;box-shadow:0 0 0 1px light-dark(oklch(.85 .007 110),oklch(1 0 0/17%));color:inherit;font:inherit;font-weight:500;text-decoration:none;cursor:pointer}
:focus-visible{outline:2px solid light-dark(oklch(.56 .115 166),oklch(.72 .13 166));outline-offset:2px}
.primary{background:light-dark(oklch(.455 .098 166),oklch(.765 .135 166));box-shadow:none;color:light-dark(#fff,oklch(.19 .04 166))}
button{margin:0 0 0 .5rem;padding:3px 10px}
html:not([data-theme]) .script,html:not([data-clipboard]) button,html:not([data-signed-in]) [data-when=signed-in],html[data-signed-in] [data-when=signed-out],button:not([data-copied]) .copied,[data-copied] .copy{display:none}`

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? character)

/** The title is the heading, so the message need not repeat it. */
function detailOf({ message, title, code }: AppError): string {
  if (message !== title) return message.replace(`${title}. `, '')
  return code === 'unavailable' ? 'It’s not you, it’s us. This usually takes only a moment.' : 'Try again later.'
}

function formatSeconds(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/**
 * The page for an error that passes (429, 503). After a GET it counts down and tries again by itself; without JavaScript a link
 * does. `retryAfter` of the error is the least number of seconds to wait.
 */
export function renderRetryPage(error: AppError, { method, requestId }: { method: string; requestId: string }): string {
  // Random delay, so that not all browsers return in the same second.
  const seconds = (error.retryAfter ?? 5) + Math.floor(Math.random() * 4)
  const [title, id] = [escapeHtml(error.title), escapeHtml(requestId)]
  const canRetry = method === 'GET' || method === 'HEAD'
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${title} · ${escapeHtml(appName)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="/icon">
<style>${styles}</style><script>${earlyScript}</script></head><body>
<header><img src="/icon" alt="" width="24" height="24">${escapeHtml(appName)}</header>
<main id="main"><h1>${title}</h1>
<p class="muted">${escapeHtml(detailOf(error))}</p>
${canRetry ? `<p class="script">Trying again in <span data-retry="${seconds}">${formatSeconds(seconds)}</span>.</p>` : ''}
<p>${canRetry ? '<a href="" class="primary">Try again</a>' : ''}<a href="/" data-when="signed-out">Go to homepage</a><a href="/dashboard" data-when="signed-in">Go to dashboard</a></p>
<p class="muted">Request ID: <code>${id}</code><button type="button" data-copy="${id}"><span class="copy">Copy</span><span class="copied">Copied</span></button></p>
</main>${canRetry ? `<script>${retryScript}</script>` : ''}</body></html>`
}
