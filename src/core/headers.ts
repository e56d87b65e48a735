// Imported by proxy.ts, by the build's last step and by tests: no imports of its own that a build script cannot follow.

/**
 * Runs before the first paint, on every page: puts the chosen theme on <html>, says whether somebody seems to be
 * signed in, and as themselves (static pages cannot know), and listens to theme buttons. Once somebody has signed out, what
 * modules kept here for them goes (keys that begin with `plinth.`). A string, because its hash must be in the policy.
 */
export const earlyScript = `(()=>{let d=document,r=d.documentElement,k='theme';
let set=t=>{r.classList.remove('light','dark');t!=='system'&&r.classList.add(t);r.dataset.theme=t};
try{set(localStorage.getItem(k)||'system')}catch{set('system')}
let s=/(^|; )(?:__Host-)?plinth\\.signed-in=([12])/.exec(d.cookie);s&&(r.dataset.signedIn=s[2]>1?'acting':'');
let o='plinth.leaving';
try{s?localStorage.removeItem(o):localStorage.getItem(o)&&Object.keys(localStorage).forEach(n=>n.startsWith('plinth.')&&localStorage.removeItem(n))}catch{}
d.addEventListener('submit',e=>{try{/^.api.auth.signout/.test(e.target.getAttribute('action'))&&localStorage.setItem(o,1)}catch{}});
d.addEventListener('click',e=>{let b=e.target.closest&&e.target.closest('[data-set-theme]');if(b){let t=b.dataset.setTheme;set(t);try{localStorage.setItem(k,t)}catch{}}})})()`

/** Where forms may lead: here, and to the two providers a sign-in is handed to. */
const formTargets = ["'self'", 'https://accounts.google.com', 'https://github.com']

function contentSecurityPolicy(scripts: string, moreTargets: string[] = []): string {
  return [
    "default-src 'self'",
    `script-src ${scripts}`,
    // Components set sizes and positions in style attributes; styles cannot run code.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `form-action ${[...formTargets, ...moreTargets].join(' ')}`,
  ].join('; ')
}

/** For pages made per request. `strict-dynamic`: what a trusted script loads is trusted, nothing else is. */
export function dynamicPolicy({
  nonce,
  earlyHash,
  isDevelopment,
  formTargets,
}: {
  nonce: string
  earlyHash: string
  isDevelopment: boolean
  /** Stand-ins for providers, in development. */
  formTargets: string[]
}): string {
  // React's development build shows errors with the help of eval.
  const development = isDevelopment ? " 'unsafe-eval'" : ''
  return contentSecurityPolicy(`'nonce-${nonce}' '${earlyHash}' 'strict-dynamic'${development}`, formTargets)
}

/** For pages made once, at build time: their inline scripts are known, so each is named by its hash. */
export function staticPolicy(hashes: string[]): string {
  return contentSecurityPolicy(["'self'", ...hashes.map((hash) => `'${hash}'`)].join(' '))
}

/** Of whatever has no policy of its own, such as data and files: opened as a page, it loads nothing and is in no frame. */
export const plainPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"

/** Browsers ignore this over http, so it can be sent without knowing how the app is reached. */
export const transportSecurity = 'max-age=31536000; includeSubDomains'

/** What every page carries besides its policy, and what incoming.ts puts on everything. */
export const pageHeaders: Record<string, string> = {
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()',
}
