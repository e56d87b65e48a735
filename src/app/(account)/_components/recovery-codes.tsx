import { buttonVariants } from '@/core/ui/button'
import { Copyable } from '@/core/ui/copyable'
import { AnswerText } from '@/core/ui/form'
import { alertVariants } from '@/core/ui/surface'

/** The codes in the action's answer: the only time that anybody sees them. */
export function RecoveryCodes({ next = '/account/two-step' }: { next?: string }) {
  return (
    <div role="status" tabIndex={-1} className="grid gap-3">
      <p className={alertVariants({ tone: 'success' })}>
        Keep these codes where you find them without your phone: printed, or in a password manager. They are shown only
        now.
      </p>
      <Copyable
        className="block w-full select-all whitespace-pre rounded-lg border bg-card p-4 font-mono text-sm leading-7"
        buttonClassName={buttonVariants({ variant: 'outline', size: 'small' })}
      >
        <AnswerText name="codes" />
      </Copyable>
      <a href={next} className="text-sm underline underline-offset-4">
        I have kept them
      </a>
    </div>
  )
}
