import { ArrowRight, Check } from 'lucide-react'
import { buttonVariants } from '@/core/ui/button'
import { publicPages } from '@/public-pages'
import usersDark from '../_images/users-dark.avif'
import usersLight from '../_images/users-light.avif'
import { content } from '../content'
import { CopyCommand } from './copy-command'

/** By theme. Lazy, because browsers then load only the one that is shown. */
const pictures = [
  { theme: 'light', image: usersLight },
  { theme: 'dark', image: usersDark },
]

export function Hero() {
  const { version, text, href } = content.announcement
  const docs = publicPages.find(({ group }) => group === 'developers')
  const [features] = content.navigation
  return (
    <section data-slot="hero" className="grid grid-cols-1 justify-items-center gap-6 px-4 text-center sm:px-6">
      {/* On phones it fills the first screen, so that the largest content there is text, which paints before any picture. */}
      <div data-slot="hero-text" className="grid max-w-full grid-cols-1 content-center justify-items-center gap-6">
        <a
          href={href}
          className="inline-flex h-8 items-center gap-2 rounded-full bg-card px-3 text-[0.8125rem] text-muted-foreground shadow-card hover:text-foreground"
        >
          <span className="rounded-full bg-accent px-2 font-medium text-primary-text text-xs">{version}</span>
          {text}
          <ArrowRight aria-hidden="true" className="size-3.25 rtl:-scale-x-100" />
        </a>
        <h1>{content.title}</h1>
        <p className="max-w-2xl text-lg text-muted-foreground leading-7">{content.lead}</p>
        <div className="flex max-w-full flex-wrap items-center justify-center gap-2.5">
          <CopyCommand command={content.commands[0]} />
          <a href={docs ? docs.href : features.href} className={buttonVariants({ variant: 'outline', size: 'large' })}>
            {docs ? content.docs : features.label}
            <ArrowRight aria-hidden="true" className="rtl:-scale-x-100" />
          </a>
        </div>
        <ul className="flex flex-wrap justify-center gap-x-4 gap-y-2 text-[0.8125rem] text-muted-foreground">
          {content.ticks.map((tick) => (
            <li key={tick} className="flex items-center gap-1.5">
              <Check aria-hidden="true" className="size-3.5 text-primary-text" />
              {tick}
            </li>
          ))}
        </ul>
      </div>
      <div data-slot="shot" className="mt-4 w-full max-w-5xl">
        {pictures.map(({ theme, image: { src, width, height } }) => (
          // biome-ignore lint/performance/noImgElement: the image optimizer is off
          <img
            key={theme}
            data-theme-of={theme}
            src={src}
            alt={content.picture}
            width={width}
            height={height}
            loading="lazy"
            fetchPriority="low"
          />
        ))}
      </div>
    </section>
  )
}

/** Each figure with the command, or the page, that proves it. */
export function Figures() {
  return (
    <section aria-label="Figures" className="relative border-t border-b bg-background">
      <dl className="mx-auto grid max-w-6xl grid-cols-2 gap-x-6 gap-y-8 px-4 py-6 sm:px-6 lg:grid-cols-4">
        {content.figures.map(({ value, label, source }) => (
          <div key={label} className="grid content-start justify-items-start gap-1">
            <dt className="text-muted-foreground text-sm">
              {label}
              <code className="mt-2 block w-fit rounded-[5px] bg-secondary px-1.5 py-0.5 font-mono text-xs">
                {source}
              </code>
            </dt>
            <dd className="order-first font-semibold text-3xl tabular-nums tracking-[-0.03em]">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
