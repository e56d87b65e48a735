/** In development only: the way to the start screen, whatever page a module has put at `/`. */
export function DevelopmentBar() {
  if (process.env.NODE_ENV !== 'development') return null
  return (
    <aside
      aria-label="Development"
      className="flex flex-wrap justify-center gap-x-5 border-b bg-accent px-4 py-1.5 text-accent-foreground text-xs"
    >
      <span>This is development</span>
      <a href="/welcome" className="underline underline-offset-2">
        Start screen
      </a>
      <a href="/dev/inbox" className="underline underline-offset-2">
        Inbox
      </a>
      <a href="/dev/ui" className="underline underline-offset-2">
        Interface
      </a>
    </aside>
  )
}
