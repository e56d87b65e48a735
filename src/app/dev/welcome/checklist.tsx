import { CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { CheckedArea } from '@/core/doctor/check-app'
import type { Finding } from '@/core/doctor/finding'
import { buttonVariants } from '@/core/ui/button'
import { TitledCard } from '@/core/ui/surface'

const states = {
  ok: { label: 'OK', Icon: CircleCheck, className: 'text-success-text' },
  note: { label: 'Note', Icon: Info, className: 'text-muted-foreground' },
  broken: { label: 'Problem', Icon: TriangleAlert, className: 'text-destructive' },
}

/** What the doctor finds, checked when the page loads. */
export function Checklist({ areas }: { areas: CheckedArea[] }) {
  const problems = areas.flatMap(({ findings }) => findings).filter(({ state }) => state === 'broken').length
  return (
    <TitledCard
      title="Checklist"
      after={problems === 0 ? 'No problems' : problems === 1 ? '1 problem' : `${problems} problems`}
      footer={
        <>
          <span className="min-w-0 flex-1 basis-48">Checked just now. In a terminal: npm run doctor</span>
          <a href="/welcome" className={buttonVariants({ variant: 'outline', size: 'small' })}>
            Check again
          </a>
        </>
      }
    >
      <dl className="divide-y px-4.5 pt-1 pb-2 text-sm">
        {areas.map(({ title, findings }) => (
          <div key={title} className="flex flex-wrap gap-x-3 gap-y-1 py-3">
            <dt className="basis-40 font-medium">{title}</dt>
            <dd className="grid min-w-0 flex-1 basis-48 grid-cols-1 gap-1.5">
              {findings.map((finding) => (
                <FindingLine key={finding.message} finding={finding} />
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </TitledCard>
  )
}

function FindingLine({ finding: { state, message, fix } }: { finding: Finding }) {
  const { label, Icon, className } = states[state]
  return (
    <div className="flex items-start gap-2">
      <Icon aria-hidden="true" className={`mt-px size-4 shrink-0 ${className}`} strokeWidth={1.75} />
      <div className="wrap-anywhere min-w-0 flex-1">
        <span className="sr-only">{label}: </span>
        {message}
        {fix && <Fix text={fix} />}
      </div>
    </div>
  )
}

/** One line as it is, more of them on request: the settings that production needs are many. */
function Fix({ text }: { text: string }) {
  if (!text.includes('\n')) return <p className="text-muted-foreground text-xs">{text}</p>
  return (
    <details className="text-muted-foreground text-xs">
      <summary className="min-h-6 content-center">What to do</summary>
      <p className="whitespace-pre-wrap">{text}</p>
    </details>
  )
}
