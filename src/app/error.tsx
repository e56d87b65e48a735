'use client'

// Every page loads this file, so it brings nothing along.
export default function ErrorPage({ error, retry }: { error: Error & { digest?: string }; retry: () => void }) {
  return (
    <main id="main" className="mx-auto grid max-w-xl justify-items-start gap-4 px-4 py-24">
      <h1 className="font-semibold text-3xl">Something went wrong on our side</h1>
      <p className="text-muted-foreground">
        Nothing you did caused this. Try again; if it stays, tell us the number below.
      </p>
      {error.digest && <p className="font-mono text-sm">{error.digest}</p>}
      <button
        type="button"
        onClick={() => retry()}
        className="h-10 rounded-md bg-primary px-4 font-medium text-primary-foreground text-sm"
      >
        Try again
      </button>
    </main>
  )
}
