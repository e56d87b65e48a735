import { MenuIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { appName } from '@/brand'
import { buttonVariants } from './button'
import { Logo } from './logo'
import { Menu, MenuSeparator } from './menu'
import { ThemeSwitch } from './theme-switch'

/**
 * The header of public pages. Static: CSS decides which of the two buttons is shown (see styles/states.css). `children` are the
 * links of the page, without ids, because they are rendered twice: on phones they are in a menu, with the theme. `action` is
 * what the page wants its readers to do.
 */
export function SiteHeader({ children, action }: { children?: ReactNode; action?: { label: string; href: string } }) {
  const variant = action ? 'outline' : 'primary'
  return (
    <header className="sticky top-0 z-30 border-b bg-background/90 [backdrop-filter:blur(8px)]">
      <div className="mx-auto flex h-16 max-w-6xl items-center gap-3 px-4 sm:px-6 md:gap-6">
        <a href="/" className="flex min-w-0 items-center gap-2 font-semibold text-base tracking-tight">
          <Logo />
          <span className="truncate">{appName}</span>
        </a>
        {children && (
          <nav aria-label="Main" className="hidden gap-5 text-sm md:flex">
            {children}
          </nav>
        )}
        <div className="ms-auto flex shrink-0 items-center gap-3">
          <div className={children ? 'max-md:hidden' : undefined}>
            <ThemeSwitch />
          </div>
          <a href="/signin" data-when="signed-out" className={buttonVariants({ variant, size: 'small' })}>
            Sign in
          </a>
          <a href="/dashboard" data-when="signed-in" className={buttonVariants({ variant, size: 'small' })}>
            Dashboard
          </a>
          {action && (
            <a href={action.href} className={buttonVariants({ size: 'small', className: 'max-lg:hidden' })}>
              {action.label}
            </a>
          )}
          {children && (
            <Menu
              id="site-menu"
              label="Menu"
              trigger={<MenuIcon aria-hidden="true" />}
              triggerClassName={buttonVariants({
                variant: 'ghost',
                size: 'icon',
                className: '-me-2 size-11 md:hidden',
              })}
            >
              <nav
                aria-label="Main"
                className="grid [&_a:hover]:bg-hover [&_a]:flex [&_a]:min-h-11 [&_a]:items-center [&_a]:rounded-sm [&_a]:px-2"
              >
                {children}
                {action && <a href={action.href}>{action.label}</a>}
              </nav>
              <div data-slot="theme-row">
                <MenuSeparator />
                <div className="flex items-center justify-between gap-3 px-2 py-1">
                  <span className="text-sm">Theme</span>
                  <ThemeSwitch />
                </div>
              </div>
            </Menu>
          )}
        </div>
      </div>
    </header>
  )
}
