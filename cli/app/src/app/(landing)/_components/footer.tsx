import { appName } from '@/brand'
import { Logo } from '@/core/ui/logo'
import { publicPages } from '@/public-pages'
import { content } from '../content'

export function Footer() {
  return (
    <footer className="border-t" style={{ background: 'var(--canvas)' }}>
      <div className="mx-auto flex max-w-6xl flex-wrap justify-between gap-8 px-4 py-10 text-sm sm:px-6">
        <div className="grid content-start gap-2">
          <p className="flex items-center gap-2 font-semibold">
            <Logo className="size-5" />
            {appName}
          </p>
          <p className="max-w-56 text-muted-foreground">{content.footer}</p>
        </div>
        <nav aria-label="Pages" className="grid content-start gap-1">
          {[...content.navigation, ...publicPages].map(({ label, href }) => (
            <a key={href} href={href} className="w-fit py-1 text-muted-foreground hover:text-foreground">
              {label}
            </a>
          ))}
        </nav>
      </div>
    </footer>
  )
}
