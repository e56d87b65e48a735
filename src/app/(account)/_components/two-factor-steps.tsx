const steps = ['Scan', 'Verify', 'Save codes']

/** Where the user is in the setup of two-factor authentication. */
export function TwoFactorSteps({ current }: { current: 1 | 2 | 3 }) {
  return (
    <ol aria-label="Steps" className="flex flex-wrap gap-x-4 gap-y-2 text-[0.8125rem] print:hidden">
      {steps.map((label, index) => {
        const number = index + 1
        const circle = number <= current ? 'bg-primary text-primary-foreground' : 'bg-secondary'
        return (
          <li
            key={label}
            aria-current={number === current ? 'step' : undefined}
            className={`flex items-center gap-2 ${number === current ? 'font-medium' : 'text-muted-foreground'}`}
          >
            <span className={`grid size-5 place-items-center rounded-full text-xs tabular-nums ${circle}`}>
              {number}
            </span>
            {label}
          </li>
        )
      })}
    </ol>
  )
}
