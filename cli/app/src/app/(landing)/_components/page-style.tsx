const css = `
[data-slot=landing] :is(h1,h2){text-wrap:balance;font-weight:630;letter-spacing:-.034em}
[data-slot=landing] h1{font-size:clamp(2.5rem,8vw,4.25rem);line-height:1.04}
[data-slot=landing] h2{font-size:clamp(1.75rem,4.5vw,2.375rem);line-height:1.13}
[data-slot=hero]{padding-block:clamp(48px,10vw,120px);background:radial-gradient(60% 70% at 50% 0%,color-mix(in oklab,var(--primary),transparent 82%),transparent)}
`

/** Styles that only this page needs. Inline, so that no other page loads them. */
export function PageStyle() {
  return <style>{css}</style>
}
