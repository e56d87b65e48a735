import { appName } from '@/brand'
import { Logo } from '@/core/ui/logo'
import { publicPages } from '@/public-pages'
import { content } from '../content'

const { text, product, developers, site, links } = content.footer
const pagesIn = (wanted: string) => publicPages.filter(({ group }) => group === wanted)

const columns: { title: string; links: { label: string; href: string }[] }[] = [
  {
    title: product,
    links: [...content.navigation, { label: links.compare, href: '#compare' }, { label: links.faq, href: '#faq' }],
  },
  {
    title: developers,
    links: [...pagesIn('developers'), { label: 'llms.txt', href: '/llms.txt' }],
  },
  { title: site, links: [...pagesIn('site'), { label: links.signIn, href: '/signin' }] },
]

export function Footer() {
  return (
    <footer className="border-t" style={{ background: 'var(--canvas)' }}>
      <div className="mx-auto grid max-w-6xl gap-8 px-4 py-10 text-sm sm:px-6 lg:grid-cols-4">
        <div className="grid content-start gap-2">
          <p className="flex items-center gap-2 font-semibold">
            <Logo className="size-5" />
            {appName}
          </p>
          <p className="max-w-56 text-muted-foreground">{text}</p>
        </div>
        {columns.map(({ title, links: shown }) => (
          <nav key={title} aria-label={title} className="grid content-start gap-1">
            <h2 className="mb-1 font-[550] text-[0.8125rem]">{title}</h2>
            {shown.map(({ label, href }) => (
              <a key={href} href={href} className="w-fit py-1 text-muted-foreground hover:text-foreground">
                {label}
              </a>
            ))}
          </nav>
        ))}
      </div>
    </footer>
  )
}
