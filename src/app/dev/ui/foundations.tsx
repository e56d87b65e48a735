import { Logo } from '@/core/ui/logo'
import { Example, Section } from './example'

const tokens = [
  'canvas',
  'background',
  'card',
  'popover',
  'muted',
  'secondary',
  'hover',
  'accent',
  'accent-strong',
  'primary',
  'primary-hover',
  'destructive',
  'destructive-soft',
  'success',
  'success-soft',
  'warning',
  'warning-soft',
  'info',
  'info-soft',
  'border',
  'border-strong',
  'input',
  'ring',
  'chart-1',
  'chart-2',
  'chart-3',
  'chart-4',
  'chart-5',
]

const texts = [
  ['text-foreground', 'Text'],
  ['text-muted-foreground', 'Secondary text'],
  ['text-faint', 'Faint text'],
  ['text-primary-text', 'Links and selected items'],
  ['text-success-text', 'Success'],
  ['text-warning-text', 'Warning'],
  ['text-info-text', 'Info'],
  ['text-destructive', 'Danger'],
] as const

export function Foundations() {
  return (
    <Section title="Foundations">
      <Example name="Colors" code={'<div className="bg-card text-muted-foreground border-border">'}>
        <ul className="grid grid-cols-2 gap-3 sm:grid-cols-4">
          {tokens.map((token) => (
            <li key={token} className="flex items-center gap-3 text-sm">
              <span
                className="size-9 shrink-0 rounded-md shadow-[0_0_0_1px_var(--border)]"
                style={{ background: `var(--${token})` }}
              />
              {token}
            </li>
          ))}
        </ul>
        <ul className="mt-5 grid gap-1 text-sm sm:grid-cols-2">
          {texts.map(([className, label]) => (
            <li key={className} className={className}>
              {label}
            </li>
          ))}
        </ul>
      </Example>
      <Example
        name="Type"
        code={
          '<h1 className="font-semibold text-[1.3125rem] leading-7">\n<p className="text-muted-foreground text-sm">'
        }
      >
        <div className="grid gap-2">
          <p className="font-semibold text-[2.375rem] leading-11 tracking-[-0.03em]">Start on solid ground</p>
          <p className="font-semibold text-[1.3125rem] leading-7 tracking-[-0.018em]">Page title</p>
          <p>Body text in Geist, at a length that is comfortable to read on any screen.</p>
          <p className="text-muted-foreground text-sm">Dense text for tables, menus and controls.</p>
          <p className="text-muted-foreground text-xs">Meta text, such as a time.</p>
          <p className="font-mono text-sm">npm run dev</p>
          <p>
            <kbd>⌘K</kbd> <kbd>?</kbd>
          </p>
        </div>
      </Example>
      <Example name="Logo" code={'<Logo className="size-14" />'}>
        <div className="flex flex-wrap items-center gap-4">
          <Logo />
          <Logo className="size-14" />
        </div>
      </Example>
      <Example name="Elevation" code={'<div className="shadow-card"> … shadow-e2 (menu), shadow-e3 (dialog)'}>
        <div className="grid gap-6 py-3 text-center text-sm sm:grid-cols-3">
          <div className="rounded-lg bg-card p-6 shadow-card">Card</div>
          <div className="rounded-[10px] bg-popover p-6 shadow-e2">Menu</div>
          <div className="rounded-xl bg-popover p-6 shadow-e3">Dialog</div>
        </div>
      </Example>
    </Section>
  )
}
