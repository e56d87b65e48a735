import { ChevronRight, CircleCheck, Database, Folder, Gauge, KeyRound, ShieldCheck } from 'lucide-react'
import { Badge, Card } from '@/core/ui/surface'
import { Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { content } from '../content'
import { CodeTabs } from './code-tabs'
import { CopyCommand } from './copy-command'
import { Highlights } from './highlights'
import { Section } from './section'

const icons = {
  folder: Folder,
  shield: ShieldCheck,
  database: Database,
  gauge: Gauge,
  key: KeyRound,
  check: CircleCheck,
}

export function Features() {
  return (
    <Section id="features" {...content.overview}>
      <Highlights />
      <ul className="grid gap-8 pt-4 sm:grid-cols-2 lg:grid-cols-3">
        {content.features.map(({ icon, title, text }) => {
          const Icon = icons[icon]
          return (
            <li key={title} className="grid content-start gap-2">
              <Icon aria-hidden="true" className="size-5 text-primary-text" strokeWidth={1.75} />
              <h3 className="font-semibold text-base">{title}</h3>
              <p className="text-muted-foreground">{text}</p>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}

export function Security() {
  const { title, text } = content.rolesHeading
  return (
    <Section id="security" {...content.security}>
      <div className="grid grid-cols-1 gap-8 lg:grid-cols-2">
        <CodeTabs />
        <div className="grid content-start gap-4">
          <h3 className="font-semibold text-lg">{title}</h3>
          <p className="text-muted-foreground">{text}</p>
          <dl className="divide-y rounded-lg bg-card shadow-card">
            {content.roles.map(({ role, may }) => (
              <div key={role} className="grid gap-1 px-4.5 py-3 sm:grid-cols-[6rem_1fr] sm:items-center">
                <dt>
                  <Badge>{role}</Badge>
                </dt>
                <dd className="text-muted-foreground">{may}</dd>
              </div>
            ))}
          </dl>
        </div>
      </div>
    </Section>
  )
}

export function Comparison() {
  const { kicker, title, lead, columns } = content.comparison
  const rows: readonly { about: string; values: readonly string[] }[] = content.comparison.rows
  return (
    <Section id="compare" kicker={kicker} title={title} lead={lead}>
      <Table label={kicker} style={{ minWidth: '42rem' }}>
        <TableHead>
          <tr>
            <TableHeading>
              <span className="sr-only">What</span>
            </TableHeading>
            {columns.map((column) => (
              <TableHeading key={column}>{column}</TableHeading>
            ))}
          </tr>
        </TableHead>
        <TableBody>
          {rows.map(({ about, values }) => (
            <TableRow key={about}>
              <th scope="row" className="px-3 text-start font-medium">
                {about}
              </th>
              {values.map((value, index) => (
                <TableCell key={columns[index]} className={index === 0 ? 'font-medium text-primary-text' : undefined}>
                  {value}
                </TableCell>
              ))}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Section>
  )
}

export function Modules() {
  return (
    <Section id="modules" {...content.modulesHeading}>
      <ul className="grid gap-3.5 sm:grid-cols-2 lg:grid-cols-3">
        {content.modules.map(({ name, title, text }) => (
          <li key={name}>
            <Card className="grid h-full grid-cols-1 content-start gap-2">
              <h3 className="font-semibold text-base">{title}</h3>
              <p className="text-muted-foreground">{text}</p>
              <code className="mt-2 w-fit rounded-[5px] bg-secondary px-1.5 py-0.5 font-mono text-xs">
                npx plinth add {name}
              </code>
            </Card>
          </li>
        ))}
      </ul>
    </Section>
  )
}

export function Proofs() {
  const { title, text } = content.proofsHeading
  return (
    <Section id="proof" title={title} lead={text}>
      <ul className="grid gap-3 sm:grid-cols-2">
        {content.proofs.map(({ promise, command }) => (
          <li
            key={command}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-lg bg-card px-4.5 py-3.5 shadow-card"
          >
            <span>{promise}</span>
            <code className="rounded-[5px] bg-secondary px-1.5 py-0.5 font-mono text-xs">{command}</code>
          </li>
        ))}
      </ul>
    </Section>
  )
}

export function Questions() {
  return (
    <Section id="faq" title={content.faqTitle}>
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
    </Section>
  )
}

export function Start() {
  const { title, text } = content.start
  return (
    <section
      aria-labelledby="start"
      className="mx-auto grid max-w-6xl grid-cols-1 justify-items-center gap-4 px-4 py-24 text-center sm:px-6"
    >
      <h2 id="start">{title}</h2>
      <p className="max-w-xl text-base text-muted-foreground leading-6">{text}</p>
      <ol aria-label={title} className="grid max-w-full grid-cols-1 justify-items-center gap-2 pt-2">
        {content.commands.map((command) => (
          <li key={command} className="max-w-full">
            <CopyCommand command={command} />
          </li>
        ))}
      </ol>
    </section>
  )
}
