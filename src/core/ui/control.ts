// Class names of controls as plain strings, so that client components bundle neither tailwind-merge nor cva.
export const inputClass =
  'block h-8.5 w-full rounded-md bg-card px-3 text-base text-card-foreground shadow-[inset_0_0_0_1px_var(--input)] max-sm:h-11 sm:text-sm placeholder:text-faint disabled:cursor-not-allowed disabled:opacity-60 aria-invalid:shadow-[inset_0_0_0_1px_var(--destructive)]'
export const labelClass = 'block text-sm font-medium'
export const hintClass = 'text-xs text-muted-foreground'
export const fieldErrorClass = 'text-xs font-medium text-destructive'

const alertTones = {
  info: 'bg-muted shadow-[inset_0_0_0_1px_var(--border)]',
  success: 'bg-success-soft text-success-text',
  warning: 'bg-warning-soft text-warning-text',
  danger: 'bg-destructive-soft text-destructive',
}
export type AlertTone = keyof typeof alertTones

export const alertVariants = ({
  tone = 'info',
  className = '',
}: {
  tone?: AlertTone | undefined
  className?: string
} = {}) => `rounded-md px-3.5 py-2.5 text-sm ${alertTones[tone]} ${className}`.trim()

const buttonStyles = {
  primary:
    'bg-primary text-primary-foreground shadow-[inset_0_1px_0_light-dark(oklch(1_0_0/16%),oklch(1_0_0/25%)),var(--e1)] hover:bg-primary-hover',
  secondary: 'bg-secondary text-secondary-foreground hover:bg-secondary/70',
  outline: 'bg-card shadow-button hover:bg-muted',
  ghost: 'text-muted-foreground hover:bg-hover hover:text-foreground',
  destructive: 'bg-destructive text-destructive-foreground shadow-e1 hover:bg-destructive/90',
  /** For an action that opens a dialog with the destructive one. */
  danger: 'bg-card text-destructive shadow-button hover:bg-destructive-soft',
  link: 'text-primary-text underline underline-offset-4 hover:no-underline',
}
const buttonSizes = {
  small: 'h-7 px-2.5 text-[0.8125rem] whitespace-nowrap',
  medium: 'h-8.5 px-3.5 whitespace-nowrap',
  /** For a page with a single form (see form-page.tsx). */
  form: 'h-9.5 px-3.5 max-sm:h-11 whitespace-nowrap',
  large: 'h-11 px-5 text-[0.9375rem] whitespace-nowrap',
  icon: 'size-8.5 whitespace-nowrap',
  /** For a label of any length, such as one with a name: it wraps. */
  multiline: 'h-auto min-h-8.5 px-3.5 py-1.5 text-start whitespace-normal',
}

export interface ButtonLook {
  variant?: keyof typeof buttonStyles | undefined
  size?: keyof typeof buttonSizes | undefined
  className?: string | undefined
}

/** Also for links that look like buttons: `<a className={buttonVariants()}>`. */
export const buttonVariants = ({ variant = 'primary', size = 'medium', className = '' }: ButtonLook = {}) =>
  `inline-flex items-center justify-center gap-1.5 rounded-md text-sm font-medium transition-colors disabled:pointer-events-none disabled:opacity-60 aria-disabled:cursor-progress aria-disabled:opacity-60 [&_svg]:size-3.75 [&_svg]:shrink-0 [&_svg]:stroke-[1.75] ${buttonStyles[variant]} ${buttonSizes[size]} ${className}`.trim()
