const dark = 'light-dark(oklch(0.205 0.012 150), oklch(0.135 0.006 150))'
const line = 'light-dark(oklch(0.2 0.01 130 / 4%), oklch(1 0 0 / 3.5%))'
const ring = 'light-dark(oklch(0.2 0.01 130 / 9%), oklch(1 0 0 / 12%))'

const css = `
[data-slot=landing] :is(h1,h2){text-wrap:balance;font-weight:630;letter-spacing:-.034em}
[data-slot=landing] h2{font-size:clamp(1.75rem,4.5vw,2.375rem);line-height:1.13}
[data-slot=hero]{position:relative;overflow:hidden;isolation:isolate;padding-block-start:clamp(32px,6vw,62px)}
[data-slot=hero] h1{font-size:clamp(2.5rem,8vw,4.25rem);line-height:1.04;letter-spacing:-.042em}
@media (width < 40rem){[data-slot=hero-text]{min-height:calc(100svh - 13.5rem)}}
[data-slot=hero]::before,[data-slot=hero]::after{content:"";position:absolute;z-index:-1}
[data-slot=hero]::before{inset:-140px -10% 0;background:radial-gradient(46% 34% at 50% 52%,light-dark(oklch(.86 .1 166/52%),oklch(.52 .13 166/44%)),transparent 72%),radial-gradient(34% 30% at 82% 50%,light-dark(oklch(.92 .08 85/50%),oklch(.6 .12 80/24%)),transparent 72%),radial-gradient(34% 30% at 16% 52%,light-dark(oklch(.92 .05 215/45%),oklch(.45 .1 230/28%)),transparent 72%)}
[data-slot=hero]::after{inset:0;background:linear-gradient(${line} 1px,transparent 1px) 0 0/56px 56px,linear-gradient(90deg,${line} 1px,transparent 1px) 0 0/56px 56px;mask-image:radial-gradient(60% 70% at 50% 30%,#000,transparent)}
[data-slot=shot]{padding:8px 8px 0;border-radius:14px 14px 0 0;background:light-dark(oklch(1 0 0/55%),oklch(1 0 0/7%));box-shadow:0 0 0 1px ${ring},0 40px 100px -30px light-dark(oklch(.3 .06 166/42%),oklch(0 0 0/80%))}
[data-slot=shot] img{width:100%;height:auto;border-radius:9px 9px 0 0;box-shadow:0 0 0 1px ${ring}}
[data-theme-of=dark]{display:none}
html.dark [data-theme-of=dark]{display:block}
html.dark [data-theme-of=light]{display:none}
@media (prefers-color-scheme:dark){html:not(.light) [data-theme-of=dark]{display:block}html:not(.light) [data-theme-of=light]{display:none}}
[data-slot=code]{background:${dark};color:oklch(.9 .01 150);box-shadow:0 0 0 1px light-dark(transparent,oklch(1 0 0/12%)),var(--e1)}
[data-slot=code] :is(b,i){font-weight:400;font-style:normal;color:oklch(.82 .12 166)}
[data-slot=code] i{color:oklch(.8 .1 300)}
[data-slot=code] pre:focus-visible{outline-offset:-2px}
[data-slot=code] small{font-size:inherit;color:oklch(.72 .01 150)}
[data-slot=code] mark{display:block;margin-inline:-20px;padding-inline:20px;color:inherit;background:oklch(.5 .09 166/38%)}
[data-slot=code] label{padding:8px 12px;border-block-end:2px solid transparent;color:oklch(.75 .01 150);cursor:pointer}
[data-slot=code] label:has(:checked){border-color:oklch(.78 .13 166);color:oklch(.97 .01 150)}
[data-slot=code] label:has(:focus-visible){outline:2px solid oklch(.78 .13 166);outline-offset:-2px}
[data-slot=code]:has([value="0"]:checked) [data-tab]:not([data-tab="0"]),[data-slot=code]:has([value="1"]:checked) [data-tab]:not([data-tab="1"]),[data-slot=code]:has([value="2"]:checked) [data-tab]:not([data-tab="2"]){display:none}
@media (width >= 64rem){[data-slot=bento]{grid-template-columns:repeat(6,minmax(0,1fr))}[data-slot=bento]>:nth-child(-n+2){grid-column:span 3}[data-slot=bento]>:nth-child(3){grid-column:span 2}[data-slot=bento]>:nth-child(4){grid-column:span 4}}
`

/** Styles that only this page needs. Inline, so that no other page loads them. */
export function PageStyle() {
  return <style>{css}</style>
}
