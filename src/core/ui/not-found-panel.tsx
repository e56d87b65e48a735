import { Button, buttonVariants } from './button'
import { Input } from './input'

/** What a page shows in place of itself when it does not exist, or the user may not see it. Static: CSS decides for whom. */
export function NotFoundPanel() {
  return (
    <main id="main" className="mx-auto max-w-xl px-4 py-16">
      <div className="grid justify-items-start gap-4 rounded-lg bg-card p-6 shadow-card">
        <p className="font-mono text-muted-foreground text-sm">404</p>
        <h1 className="font-semibold text-3xl">Page not found</h1>
        <p className="text-muted-foreground">
          It may have moved, or you may not have access to it.
          <span data-when="signed-in"> If you need access, ask an admin.</span>
        </p>
        <search data-when="signed-in" className="w-full">
          <form action="/search" className="flex gap-2">
            <Input type="search" name="q" aria-label="Search" placeholder="Search or jump to…" />
            <Button type="submit" variant="outline">
              Search
            </Button>
          </form>
        </search>
        <a href="/" data-when="signed-out" className={buttonVariants()}>
          Go to homepage
        </a>
        <a href="/dashboard" data-when="signed-in" className={buttonVariants()}>
          Go to dashboard
        </a>
      </div>
    </main>
  )
}
