import { CircleCheck, Database, Folder, Gauge, KeyRound, ShieldCheck } from 'lucide-react'
import { appName } from '@/core/app-name'
import { buttonVariants } from '@/core/ui/button'
import { SiteHeader } from '@/core/ui/site-header'
import { Badge, Card } from '@/core/ui/surface'
import { ActionExample } from './_components/action-example'
import { Stack } from './_components/stack'
import { content } from './content'

export const metadata = {
  title: { absolute: `${appName}: ${content.title.toLowerCase()}` },
  description: content.lead,
}

const icons = {
  folder: Folder,
  shield: ShieldCheck,
  database: Database,
  gauge: Gauge,
  key: KeyRound,
  check: CircleCheck,
}

export default function LandingPage() {
  return (
    <>
      <SiteHeader>
        <a href="#inside" className="hover:underline">
          What is inside
        </a>
        <a href="#roles" className="hover:underline">
          Roles
        </a>
        <a href="#proof" className="hover:underline">
          Proof
        </a>
      </SiteHeader>
      <main id="main">
        <Hero />
        <Inside />
        <Roles />
        <Proof />
      </main>
      <footer className="border-t">
        <div className="mx-auto flex max-w-6xl flex-wrap justify-between gap-4 px-4 py-8 text-muted-foreground text-sm sm:px-6">
          <p>Plinth is free software under the MIT licence.</p>
          <nav aria-label="Footer" className="flex gap-5">
            <a href="/api/health" className="underline-offset-4 hover:underline">
              Status
            </a>
            <a href="/api/demo/landing" className="underline-offset-4 hover:underline">
              This page as JSON
            </a>
          </nav>
        </div>
      </footer>
    </>
  )
}

function Hero() {
  return (
    <section className="mx-auto grid max-w-6xl items-center gap-12 px-4 py-16 sm:px-6 lg:grid-cols-[1.1fr_1fr] lg:py-28">
      <div className="grid min-w-0 grid-cols-1 justify-items-start gap-6">
        <h1 className="font-semibold text-4xl tracking-tight sm:text-6xl">{content.title}</h1>
        <p className="max-w-prose text-lg text-muted-foreground">{content.lead}</p>
        <div className="flex flex-wrap gap-3">
          <a href="/signin" data-when="signed-out" className={buttonVariants({ size: 'large' })}>
            Sign in
          </a>
          <a href="/dashboard" data-when="signed-in" className={buttonVariants({ size: 'large' })}>
            Open the dashboard
          </a>
          <a href="#inside" className={buttonVariants({ size: 'large', variant: 'outline' })}>
            What is inside
          </a>
        </div>
        <ol
          aria-label="Three commands to a running app"
          className="mt-2 w-full max-w-md rounded-lg border bg-card p-4 font-mono text-sm"
        >
          {content.commands.map((command) => (
            <li key={command} className="flex gap-3">
              <span aria-hidden="true" className="select-none text-primary">
                $
              </span>
              <code className="overflow-x-auto whitespace-nowrap">{command}</code>
            </li>
          ))}
        </ol>
      </div>
      <Stack />
    </section>
  )
}

function Inside() {
  return (
    <section aria-labelledby="inside" className="border-t bg-muted/60">
      <div className="mx-auto grid max-w-6xl gap-10 px-4 py-20 sm:px-6">
        <h2 id="inside" className="font-semibold text-3xl tracking-tight">
          What is inside
        </h2>
        <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
          {content.features.map(({ icon, title, text }) => {
            const Icon = icons[icon]
            return (
              <li key={title}>
                <Card className="grid h-full content-start gap-2">
                  <Icon className="size-5 text-primary" aria-hidden="true" />
                  <h3 className="font-semibold">{title}</h3>
                  <p className="text-muted-foreground text-sm">{text}</p>
                </Card>
              </li>
            )
          })}
        </ul>
      </div>
    </section>
  )
}

function Roles() {
  return (
    <section aria-labelledby="roles" className="border-t">
      <div className="mx-auto grid max-w-6xl grid-cols-1 gap-10 px-4 py-20 sm:px-6 lg:grid-cols-2">
        <div className="grid content-start gap-6">
          <div className="grid gap-3">
            <h2 id="roles" className="font-semibold text-3xl tracking-tight">
              Three roles, enforced where it counts
            </h2>
            <p className="max-w-prose text-muted-foreground">
              The check stands beside the data, in the action or the route itself. A hidden button is a courtesy, never
              the lock.
            </p>
          </div>
          <dl className="divide-y rounded-lg border bg-card">
            {content.roles.map(({ role, may }) => (
              <div key={role} className="grid gap-1 px-5 py-4 sm:grid-cols-[6rem_1fr] sm:items-center">
                <dt>
                  <Badge>{role}</Badge>
                </dt>
                <dd className="text-muted-foreground text-sm">{may}</dd>
              </div>
            ))}
          </dl>
        </div>
        <ActionExample />
      </div>
    </section>
  )
}

function Proof() {
  return (
    <section aria-labelledby="proof" className="border-t bg-muted/60">
      <div className="mx-auto grid max-w-6xl gap-8 px-4 py-20 sm:px-6">
        <div className="grid gap-3">
          <h2 id="proof" className="font-semibold text-3xl tracking-tight">
            Do not take our word for it
          </h2>
          <p className="max-w-prose text-muted-foreground">
            The checks behind these claims come with the code. Run them on your own copy, after your own changes.
          </p>
        </div>
        <ul className="grid gap-3 sm:grid-cols-2">
          {content.proofs.map(({ promise, command }) => (
            <li
              key={command}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-lg border bg-card px-5 py-4"
            >
              <span>{promise}</span>
              <code className="rounded bg-muted px-2 py-1 font-mono text-sm">{command}</code>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
