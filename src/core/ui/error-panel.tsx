'use client'

import { useEffect } from 'react'

/**
 * After a failure on the server, React creates the page in the browser, where the scripts that it creates do not run. Runs
 * the early script of the root layout, which sets the theme and listens to the copy button.
 */
function runEarlyScript(): void {
  if (document.documentElement.dataset.theme) return
  const script = document.createElement('script')
  script.text = document.head.querySelector('script:not([src])')?.textContent ?? ''
  document.head.append(script)
}

const linkClass = 'rounded-md bg-card px-3.5 py-1.75 shadow-button hover:bg-muted'

/** What a page shows in place of itself when it fails. Every page loads this file, so it imports nothing of ours. */
export function ErrorPanel({ error, retry }: { error: unknown; retry: () => void }) {
  useEffect(runEarlyScript, [])
  const id = (error as { digest?: string } | null)?.digest
  return (
    <main id="main" className="mx-auto grid max-w-xl justify-items-start gap-4 px-4 py-24">
      <h1 className="font-semibold text-3xl">Something went wrong</h1>
      <p className="text-muted-foreground">
        It’s not you, it’s us. Try again.{id && ' If it keeps happening, send us this ID:'}
      </p>
      {id && (
        <p className="flex items-center gap-2">
          <code className="font-mono text-sm">{id}</code>
          <button
            type="button"
            data-copy={id}
            className="group h-7 rounded-md px-2.5 font-medium text-muted-foreground text-sm hover:bg-hover"
          >
            <span className="group-data-copied:hidden">Copy</span>
            <span className="hidden group-data-copied:inline">Copied</span>
          </button>
        </p>
      )}
      <p className="flex flex-wrap gap-2 font-medium text-sm">
        <button
          type="button"
          onClick={() => retry()}
          className="h-8.5 rounded-md bg-primary px-3.5 text-primary-foreground hover:bg-primary-hover"
        >
          Try again
        </button>
        <a href="/" data-when="signed-out" className={linkClass}>
          Go to homepage
        </a>
        <a href="/dashboard" data-when="signed-in" className={linkClass}>
          Go to dashboard
        </a>
      </p>
    </main>
  )
}
