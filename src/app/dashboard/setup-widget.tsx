import { Check } from 'lucide-react'
import Link from 'next/link'
import type { WidgetProps } from '@/core/module-ui'
import { buttonVariants } from '@/core/ui/button'
import { findSetup } from '@/core/ui/setup-steps'
import { TitledCard } from '@/core/ui/surface'

/** The steps from a new app to one of your own, until all are done. How to do a step is shown for the next one only. */
export async function SetupWidget({ actor }: WidgetProps) {
  const setup = await findSetup(actor)
  if (!setup) return null
  const { steps, next, done } = setup
  return (
    <TitledCard
      title="Set up your app"
      after={
        <span className="tabular-nums">
          {done} of {steps.length}
        </span>
      }
    >
      <ul data-slot="setup-steps" className="pt-1 pb-2.5">
        {steps.map(({ title, hint, link, isDone }) => (
          <li key={title} className="flex min-h-9 items-center gap-2.5 px-4.5 py-1 text-sm">
            {isDone ? (
              <>
                <span
                  aria-hidden="true"
                  className="grid size-4.5 shrink-0 place-items-center rounded-full bg-primary text-primary-foreground"
                >
                  <Check className="size-3" strokeWidth={3} />
                </span>
                <span className="text-muted-foreground line-through decoration-border-strong">
                  {title}
                  <span className="sr-only"> (done)</span>
                </span>
              </>
            ) : (
              <>
                <span
                  aria-hidden="true"
                  className="size-4.5 shrink-0 rounded-full shadow-[inset_0_0_0_1.5px_var(--input)]"
                />
                <span className="wrap-anywhere min-w-0 flex-1">
                  {title}
                  {title === next.title && hint && <span className="block text-muted-foreground text-xs">{hint}</span>}
                </span>
                {title === next.title && link && (
                  <Link href={link.href} className={buttonVariants({ variant: 'outline', size: 'small' })}>
                    {link.label}
                  </Link>
                )}
              </>
            )}
          </li>
        ))}
      </ul>
    </TitledCard>
  )
}
