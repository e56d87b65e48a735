import { ChevronRight } from 'lucide-react'
import { buttonVariants } from '@/core/ui/button'
import { Card } from '@/core/ui/surface'
import { content } from '../content'

const sectionClass = 'mx-auto grid w-full max-w-6xl grid-cols-1 gap-8 px-4 py-12 sm:px-6'

const StartLink = () => (
  <a href={content.start.href} className={buttonVariants({ size: 'large' })}>
    {content.start.label}
  </a>
)

export function Hero() {
  return (
    <section data-slot="hero" className="grid grid-cols-1 justify-items-center gap-6 px-4 text-center sm:px-6">
      <h1>{content.title}</h1>
      <p className="max-w-2xl text-lg text-muted-foreground leading-7">{content.lead}</p>
      <StartLink />
    </section>
  )
}

export function Features() {
  return (
    <section aria-labelledby="features" className={sectionClass}>
      <h2 id="features">{content.featuresTitle}</h2>
      <ul className="grid gap-3.5 sm:grid-cols-2 lg:grid-cols-3">
        {content.features.map(({ title, text }) => (
          <li key={title}>
            <Card className="grid h-full content-start gap-2">
              <h3 className="font-semibold text-base">{title}</h3>
              <p className="text-muted-foreground">{text}</p>
            </Card>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function Questions() {
  return (
    <section aria-labelledby="faq" className={sectionClass}>
      <h2 id="faq">{content.faqTitle}</h2>
      <div className="grid max-w-3xl divide-y rounded-lg bg-card shadow-card">
        {content.faq.map(({ question, answer }) => (
          <details key={question} name="faq" className="group px-4.5">
            <summary className="flex min-h-11 list-none items-center gap-3 py-3 font-medium text-base">
              {question}
              <ChevronRight
                aria-hidden="true"
                className="ms-auto size-4 shrink-0 text-muted-foreground group-open:rotate-90"
              />
            </summary>
            <p className="max-w-prose pb-4 text-muted-foreground leading-6">{answer}</p>
          </details>
        ))}
      </div>
    </section>
  )
}

export function Closing() {
  const { title, text } = content.closing
  return (
    <section aria-labelledby="start" className={`${sectionClass} justify-items-center text-center`}>
      <h2 id="start">{title}</h2>
      <p className="max-w-xl text-base text-muted-foreground leading-6">{text}</p>
      <StartLink />
    </section>
  )
}
