import { Monitor, Moon, Sun } from 'lucide-react'

const choices = [
  { theme: 'light', label: 'Light', Icon: Sun },
  { theme: 'system', label: 'System', Icon: Monitor },
  { theme: 'dark', label: 'Dark', Icon: Moon },
] as const

/** The early script in core/http/headers.ts handles the clicks, so it works on static pages without a client component. */
export function ThemeSwitch() {
  return (
    <fieldset data-slot="theme-switch" className="inline-flex gap-0.5 rounded-full bg-secondary p-1">
      <legend className="sr-only">Theme</legend>
      {choices.map(({ theme, label, Icon }) => (
        <button
          key={theme}
          type="button"
          data-set-theme={theme}
          title={label}
          className="inline-flex size-7 items-center justify-center rounded-full text-muted-foreground hover:text-foreground"
        >
          <Icon className="size-3.5" aria-hidden="true" />
          <span className="sr-only">
            {label}
            <span data-chosen=""> (selected)</span>
          </span>
        </button>
      ))}
    </fieldset>
  )
}
