'use client'

import { useEffect } from 'react'

// Shown in the browser when the root layout fails. The styles of the app may be missing, so it has its own, and its buttons
// are links. When Next itself fails, it sends its own page, which cannot be replaced.
const styles = `:root{color-scheme:light dark}
body{margin:0;background:light-dark(#fff,oklch(.192 .004 165));color:light-dark(oklch(.212 .01 130),oklch(.955 .004 130));font:14px/20px system-ui,sans-serif}
main{max-width:36rem;margin:auto;padding:6rem 1rem}
h1{margin:0;font-size:30px;line-height:36px;letter-spacing:-.015em}
a{display:inline-block;margin:1rem .5rem 0 0;padding:7px 14px;border-radius:8px;box-shadow:0 0 0 1px light-dark(oklch(.85 .007 110),oklch(1 0 0/17%));color:inherit;font-weight:500;text-decoration:none}
a:first-of-type{background:light-dark(oklch(.455 .098 166),oklch(.765 .135 166));color:light-dark(#fff,oklch(.19 .04 166))}`

export default function GlobalError({ error }: { error: unknown }) {
  useEffect(() => {
    try {
      const theme = localStorage.getItem('theme')
      if (theme && theme !== 'system') document.documentElement.style.colorScheme = theme
    } catch {
      // Storage is disabled: the system decides.
    }
  }, [])
  const id = (error as { digest?: string } | null)?.digest
  return (
    <html lang="en">
      <head>
        <title>Something went wrong</title>
        <style>{styles}</style>
      </head>
      <body>
        <main>
          <h1>Something went wrong</h1>
          <p>It’s not you, it’s us. Try again.{id && ' If it keeps happening, send us this ID:'}</p>
          {id && <code>{id}</code>}
          <p>
            {/* biome-ignore lint/a11y/useValidAnchor: an empty URL is that of this page */}
            <a href="">Try again</a>
            <a href="/">Go to homepage</a>
          </p>
        </main>
      </body>
    </html>
  )
}
