// Imported by proxy.ts, by the post-build script and by tests: it must not import anything that plain Node cannot resolve.
import { appSlug } from '../../brand.ts'

/**
 * Runs before the first paint, on every page. Sets the chosen theme on <html>, marks whether the user seems to be signed in
 * or impersonating (static pages cannot know) and the time of day for the greeting, collapses the sidebar if that was
 * chosen, and listens to the buttons for theme, sidebar and copying: the text of `data-copy`, or the code in the same figure
 * (over http from another machine there is no clipboard). A followed link closes the menu or drawer it is in, because the
 * page may stay the same. After a sign-out it deletes what modules stored in localStorage (keys that begin with `appSlug`
 * and a dot). When the browser goes offline it shows a bar: not at the start, because the page has just been loaded. A
 * string, because its hash must be in the policy.
 */
export const earlyScript = `(()=>{let d=document,r=d.documentElement,k='theme';
let set=t=>{r.classList.remove('light','dark');t!=='system'&&r.classList.add(t);r.dataset.theme=t};
try{set(localStorage.getItem(k)||'system')}catch{set('system')}
let h=new Date().getHours();r.dataset.time=h<5||h>16?'evening':h<12?'morning':'afternoon';
let s=/(^|; )(?:__Host-)?${appSlug}\\.signed-in=([12])/.exec(d.cookie);s&&(r.dataset.signedIn=s[2]>1?'impersonating':'');
let a='${appSlug}.',o=a+'leaving';
try{s?localStorage.removeItem(o):localStorage.getItem(o)&&Object.keys(localStorage).forEach(n=>n.startsWith(a)&&localStorage.removeItem(n))}catch{}
d.addEventListener('submit',e=>{try{/^.api.auth.signout/.test(e.target.getAttribute('action'))&&localStorage.setItem(o,1)}catch{}});
let c=navigator.clipboard;c&&(r.dataset.clipboard='');
let g='sidebar',get=n=>{try{return localStorage.getItem(n)}catch{}},put=(n,v)=>{try{localStorage.setItem(n,v)}catch{}};
get(g)&&(r.dataset.sidebar=get(g));
['online','offline'].map(n=>addEventListener(n,()=>r.toggleAttribute('data-offline',n!='online')));
d.addEventListener('click',e=>{let at=s=>e.target.closest&&e.target.closest(s),b=at('[data-set-theme]');if(b){set(b.dataset.setTheme);put(k,b.dataset.setTheme)}
if(b=at('[popover] a'))b.closest('[popover]').hidePopover?.();
if(at('[data-toggle-sidebar]')){let v=r.dataset.sidebar?'':'rail';v?r.dataset.sidebar=v:delete r.dataset.sidebar;put(g,v)}
if(b=at('[data-copy]')){c.writeText(b.dataset.copy||b.closest('figure').querySelector('code').textContent).then(()=>{b.dataset.copied='';setTimeout(()=>delete b.dataset.copied,1500)})}})})()`

/** `formTargets`: where forms may lead besides this app, which is to OAuth providers. */
function contentSecurityPolicy(scripts: string, formTargets: string[]): string {
  return [
    "default-src 'self'",
    `script-src ${scripts}`,
    // Components set sizes and positions in style attributes; styles cannot run scripts.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `form-action ${["'self'", ...new Set(formTargets)].join(' ')}`,
  ].join('; ')
}

/** For pages rendered per request. `strict-dynamic`: only scripts with the nonce, and what they load, may run. */
export function dynamicPolicy({
  nonce,
  earlyHash,
  isDevelopment,
  formTargets,
}: {
  nonce: string
  earlyHash: string
  isDevelopment: boolean
  formTargets: string[]
}): string {
  // React's development build uses eval to show errors.
  const development = isDevelopment ? " 'unsafe-eval'" : ''
  return contentSecurityPolicy(`'nonce-${nonce}' '${earlyHash}' 'strict-dynamic'${development}`, formTargets)
}

/** For static pages: their inline scripts are known at build time, so each is allowed by its hash. */
export function staticPolicy(hashes: string[], formTargets: string[] = []): string {
  return contentSecurityPolicy(["'self'", ...hashes.map((hash) => `'${hash}'`)].join(' '), formTargets)
}

/** The default policy, for data and files: opened as a page, they load nothing and cannot be framed. */
export const defaultPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"

/** Browsers ignore HSTS over http, so it can always be sent. */
export const strictTransportSecurity = 'max-age=31536000; includeSubDomains'

/** Headers of every page, besides its policy and those that harden.ts sets on every response. */
export const pageHeaders: Record<string, string> = {
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()',
}
