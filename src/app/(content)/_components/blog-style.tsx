const cover =
  'linear-gradient(135deg,light-dark(oklch(.94 .045 var(--h)),oklch(.37 .06 var(--h))),light-dark(oklch(.85 .085 calc(var(--h) + 35)),oklch(.26 .055 calc(var(--h) + 35))))'

const css = `
[data-slot=post-cards]{display:grid;grid-template-columns:minmax(0,1fr);gap:40px 28px}
[data-slot=post-card]{position:relative;display:grid;grid-template-columns:minmax(0,1fr);align-content:start;gap:16px}
[data-slot=post-card] h2 a::after{content:"";position:absolute;inset:0}
[data-slot=post-card]:hover h2 a{text-decoration:underline;text-underline-offset:4px}
[data-slot=post-cover]{display:block;width:100%;height:auto;aspect-ratio:16/9;object-fit:cover;border-radius:12px;background:${cover};box-shadow:0 0 0 1px var(--border)}
[data-slot=tag][aria-current]{border-color:transparent;background:var(--foreground);color:var(--background)}
[data-slot=post]{display:grid;grid-template-columns:minmax(0,42.5rem);justify-content:center;gap:64px}
[data-slot=outline]{display:none}
[data-slot=outline] ul{border-inline-start:1px solid var(--border)}
[data-slot=outline] li{padding-inline-start:12px}
[data-slot=outline] [data-level="3"]{padding-inline-start:24px}
[data-slot=prose]{font-size:1.0625rem}
[data-slot=prose] .heading{display:flex;align-items:baseline;gap:8px}
[data-slot=prose] .heading>:first-child{min-width:0}
[data-slot=prose] .anchor{min-width:24px;color:var(--muted-foreground);text-align:center;text-decoration:none}
[data-slot=code-block]{position:relative;min-width:0}
[data-slot=code-block] code{font-family:var(--font-mono);font-size:.875rem}
[data-slot=code-block] pre:focus-visible{outline-offset:-2px}
[data-slot=copy-code]{position:absolute;inset-block-start:8px;inset-inline-end:8px;min-height:28px;padding-inline:10px;border-radius:6px;background:var(--card);color:var(--muted-foreground);box-shadow:0 0 0 1px var(--border-strong);font-size:.75rem;font-weight:500}
[data-slot=copy-code]:hover{color:var(--foreground)}
[data-slot=copy-code]:not([data-copied])>:last-child,[data-slot=copy-code][data-copied]>:first-child{display:none}
@media (hover:hover){[data-slot=code-block]:not(:hover) [data-slot=copy-code]:not(:focus-visible,[data-copied]),[data-slot=prose] .heading:not(:hover) .anchor:not(:focus-visible){opacity:0}}
@media (width >= 48rem){[data-slot=post-cards]{grid-template-columns:repeat(2,minmax(0,1fr))}[data-slot=post-card][data-featured]{grid-column:1/-1;grid-template-columns:minmax(0,1.4fr) minmax(0,1fr);align-items:center;gap:32px}[data-featured] h2{font-size:1.75rem;line-height:2.125rem}}
@media (width >= 64rem){[data-slot=post]:has(>[data-slot=outline]){grid-template-columns:minmax(0,42.5rem) 13rem}[data-slot=outline]{display:block;grid-area:1/2;align-self:start;position:sticky;inset-block-start:96px;max-height:calc(100dvh - 128px);overflow-y:auto;padding:4px}}
@media print{[data-slot=outline],[data-slot=copy-code],[data-slot=prose] .anchor{display:none}}
`

/** The classes of code-theme.ts. Each color has a contrast of at least 4.5:1 on the background of code, in both themes. */
const codeCss = `
[data-slot=code-block]{.k{color:light-dark(oklch(.47 .17 300),oklch(.79 .11 300))}.s{color:var(--success-text)}.c{color:var(--muted-foreground)}.f{color:var(--info-text)}.n{color:var(--warning-text)}.t{color:light-dark(oklch(.46 .077 210),oklch(.82 .09 210))}.d{color:var(--destructive)}}
`

/** Styles that only the public pages of posts need. Inline, so that no other page loads them. */
export function BlogStyle() {
  return <style>{css + codeCss}</style>
}

/** For pages that show a post in another way: the colors of code, without the links and buttons that only readers need. */
export function CodeStyle() {
  return <style>{`${codeCss}[data-slot=copy-code],.heading>.anchor{display:none}`}</style>
}
