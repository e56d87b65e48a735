import type { Fact } from '../module-ui'

/** A list of labels and values. */
export function Facts({ facts }: { facts: Fact[] }) {
  return (
    <dl data-slot="facts" className="divide-y px-4.5 pt-1 pb-2 text-[0.8125rem]">
      {facts.map(({ label, value }) => (
        <div key={label} className="flex min-h-9.5 items-center justify-between gap-3">
          <dt className="text-muted-foreground">{label}</dt>
          <dd className="flex min-w-0 items-center gap-1.5 text-end">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
