import { redirect } from 'next/navigation'
import { Fragment, type ReactNode } from 'react'
import { isAllowed, signedIn } from '@/core/auth/policy'
import { type Actor, getSession } from '@/core/auth/session/actor'
import type { Session } from '@/core/auth/session/sessions'
import { log } from '@/core/log'
import type { Widget, WidgetProps } from '@/core/module-ui'
import { timeFormatFor } from '@/core/time/time-format'
import { AppShell } from '@/core/ui/app-shell'
import { Page } from '@/core/ui/page'
import { PeriodSwitch, readPeriod } from '@/core/ui/period-switch'
import { Card, EmptyState } from '@/core/ui/surface'
import { moduleUis } from '@/module-uis'
import { Today } from './today'

export const metadata = { title: 'Dashboard' }

const coreWidgets: Widget[] =
  process.env.NODE_ENV === 'development'
    ? [
        {
          id: 'setup',
          size: 'medium',
          order: 10,
          allow: signedIn,
          load: async () => (await import('./setup-widget')).SetupWidget,
        },
      ]
    : []

export default async function DashboardPage({ searchParams }: PageProps<'/dashboard'>) {
  const session = await getSession()
  if (!session) redirect('/signin')
  const days = readPeriod((await searchParams).days)
  return (
    <AppShell>
      <Dashboard session={session} days={days} />
    </AppShell>
  )
}

/** A component of its own, so that its widgets are loaded together with what the shell reads. */
async function Dashboard({ session, days }: { session: Session; days: number }) {
  const { user: actor, preferences, impersonatedBy } = session
  const widgets = [...coreWidgets, ...moduleUis.flatMap((ui) => ui.widgets ?? [])]
    .filter(({ allow }) => isAllowed(actor.role, allow))
    .sort((a, b) => a.order - b.order)
  // Not streamed: without JavaScript, what streams in later stays hidden. They load in parallel, and each is quick.
  const loaded = await Promise.all(
    widgets.map(async (widget) => ({ widget, content: await renderWidget(widget, { actor, days }) })),
  )
  const shown = loaded.filter(({ content }) => content !== null)
  return (
    <Page
      title="Dashboard"
      heading={
        <div className="mb-4 flex flex-wrap items-start gap-3">
          <div className="min-w-0 flex-1 basis-48">
            <Greeting actor={actor} />
            <p className="mt-px text-muted-foreground text-sm">
              <Today
                onServer={timeFormatFor(preferences).weekday(new Date())}
                preferences={preferences}
                shouldRemember={preferences.timeZone === null && impersonatedBy === null}
              />
            </p>
          </div>
          {shown.some(({ widget }) => widget.hasPeriod) && <PeriodSwitch path="/dashboard" period={days} />}
        </div>
      }
    >
      {shown.length === 0 ? (
        <EmptyState title="Nothing here yet">
          {process.env.NODE_ENV === 'development'
            ? 'Add a module to get pages. README.md says how.'
            : 'Ask an admin for access to get started.'}
        </EmptyState>
      ) : (
        <WidgetGrid widgets={shown} />
      )}
    </Page>
  )
}

/** All greetings are in the page, and CSS shows the one for the time of day: see `data-greeting` in core/ui/styles/states.css. */
function Greeting({ actor }: { actor: Actor }) {
  return (
    <h1 className="wrap-anywhere font-semibold text-[1.3125rem] leading-7 tracking-[-0.018em]">
      <span data-greeting="any">Hello, </span>
      <span data-greeting="morning">Good morning, </span>
      <span data-greeting="afternoon">Good afternoon, </span>
      <span data-greeting="evening">Good evening, </span>
      {actor.name.split(' ')[0]}
    </h1>
  )
}

/** A widget that fails says so; the others are still shown. */
async function renderWidget(widget: Widget, props: WidgetProps): Promise<ReactNode> {
  try {
    const Component = await widget.load()
    return await Component(props)
  } catch (error) {
    log.error({ error, widget: widget.id }, 'a widget of the dashboard failed')
    return <Card className="text-muted-foreground text-sm">Couldn’t load this part. Reload the page to try again.</Card>
  }
}

interface LoadedWidget {
  widget: Widget
  content: ReactNode
}

/** Small and full widgets across the top, then a wide and a narrow column. On phones all of them, one below the other. */
function WidgetGrid({ widgets }: { widgets: LoadedWidget[] }) {
  const ofSize = (...sizes: Widget['size'][]) => widgets.filter(({ widget }) => sizes.includes(widget.size))
  const top = ofSize('small', 'full')
  const [wide, narrow] = [ofSize('large'), ofSize('medium')]
  const hasColumns = wide.length > 0 && narrow.length > 0
  return (
    <div className="grid grid-cols-1 gap-4">
      {top.length > 0 && (
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2 lg:grid-cols-4">
          {top.map(({ widget, content }) => (
            <div key={widget.id} className={widget.size === 'full' ? 'col-span-full' : undefined}>
              {content}
            </div>
          ))}
        </div>
      )}
      {hasColumns ? (
        <div className="grid grid-cols-1 gap-4 lg:grid-cols-[minmax(0,1.55fr)_minmax(0,1fr)]">
          <Column widgets={wide} />
          <Column widgets={narrow} />
        </div>
      ) : (
        <div className={`grid grid-cols-1 items-start gap-4 ${narrow.length > 1 ? 'lg:grid-cols-2' : ''}`}>
          {[...wide, ...narrow].map(({ widget, content }) => (
            <Fragment key={widget.id}>{content}</Fragment>
          ))}
        </div>
      )}
    </div>
  )
}

function Column({ widgets }: { widgets: LoadedWidget[] }) {
  return (
    <div className="grid grid-cols-1 content-start gap-4">
      {widgets.map(({ widget, content }) => (
        <Fragment key={widget.id}>{content}</Fragment>
      ))}
    </div>
  )
}
