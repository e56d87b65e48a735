import type { ReactNode } from 'react'
import { appName } from '../app-name'
import { buttonVariants } from './button'
import { Logo } from './logo'
import { ThemeSwitch } from './theme-switch'

/** The head of public pages. Static: which of the two buttons shows is decided by CSS (see globals.css). */
export function SiteHeader({ children }: { children?: ReactNode }) {
  return (
    <header className="sticky top-0 z-30 border-b bg-background/90 backdrop-blur">
      <div className="mx-auto flex h-16 max-w-6xl items-center gap-6 px-4 sm:px-6">
        <a href="/" className="flex items-center gap-2 font-semibold tracking-tight">
          <Logo />
          {appName}
        </a>
        {children && (
          <nav aria-label="Main" className="hidden gap-5 text-sm md:flex">
            {children}
          </nav>
        )}
        <div className="ms-auto flex items-center gap-3">
          <ThemeSwitch />
          <a href="/signin" data-when="signed-out" className={buttonVariants({ size: 'small' })}>
            Sign in
          </a>
          <a href="/dashboard" data-when="signed-in" className={buttonVariants({ size: 'small' })}>
            Dashboard
          </a>
        </div>
      </div>
    </header>
  )
}
