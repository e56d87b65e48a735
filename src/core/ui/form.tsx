'use client'

import { Eye, EyeOff } from 'lucide-react'
import {
  type ComponentProps,
  createContext,
  type FormEvent,
  type ReactNode,
  use,
  useActionState,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { useFormStatus } from 'react-dom'
import type { Result } from '../action'
import {
  alertVariants,
  type ButtonLook,
  buttonVariants,
  fieldErrorClass,
  hintClass,
  inputClass,
  labelClass,
} from './control'
import { useInBrowser } from './use-in-browser'

const ResultContext = createContext<Result<unknown> | null>(null)

/**
 * A form for a server action. Works before and without JavaScript. After a failed submit it shows the values that the action
 * preserves, and focus goes to the first invalid field, or else to the message. After success `done` replaces the fields.
 */
export function ActionForm<Data>({
  action,
  children,
  done,
  ...props
}: Omit<ComponentProps<'form'>, 'action'> & { action: FormAction<Data>; done?: ReactNode }) {
  const [result, submit] = useActionState(action, null)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (!result) return
    const first = (selector: string) => form.current?.querySelector<HTMLElement>(selector)
    const target = result.ok ? first('[role="status"]') : (first('[aria-invalid="true"]') ?? first('[role="alert"]'))
    target?.focus()
  }, [result])
  return (
    <form ref={form} action={submit} onSubmit={waitWhileOffline} noValidate {...props}>
      <ResultContext value={result}>{result?.ok && done ? done : children}</ResultContext>
    </form>
  )
}

/** Without a response React would replace the page, with all that was typed. A bar at the top says that the browser is offline. */
function waitWhileOffline(event: FormEvent): void {
  if (!navigator.onLine) event.preventDefault()
}

type FormAction<Data> = (previous: Result<Data> | null, form: FormData) => Promise<Result<Data>>

interface FieldProps extends ComponentProps<'input'> {
  label: string
  name: string
  hint?: ReactNode
  /** Shown beside the label. */
  after?: ReactNode
  /** Shown inside the input, positioned by itself. */
  inside?: ReactNode
}

/** Label, input, hint and error, linked for assistive technology. */
export function Field({ label, hint, after, inside, name, defaultValue, className, ...props }: FieldProps) {
  const { preservedValue, inputProps, ...rest } = useControl(name, hint)
  return (
    <LabeledControl label={label} hint={hint} after={after} className={className} {...rest}>
      <div className="relative grid">
        <input
          name={name}
          defaultValue={preservedValue ?? defaultValue}
          className={inputClass}
          {...inputProps}
          {...props}
        />
        {inside}
      </div>
    </LabeledControl>
  )
}

/**
 * Label, textarea, hint and error, linked for assistive technology.
 * @public For the forms of modules.
 */
export function TextField({
  label,
  hint,
  name,
  defaultValue,
  className,
  ...props
}: ComponentProps<'textarea'> & Pick<FieldProps, 'label' | 'name' | 'hint'>) {
  const { preservedValue, inputProps, ...rest } = useControl(name, hint)
  return (
    <LabeledControl label={label} hint={hint} className={className} {...rest}>
      <textarea
        name={name}
        defaultValue={preservedValue ?? defaultValue}
        className={`${inputClass} h-auto py-2`}
        {...inputProps}
        {...props}
      />
    </LabeledControl>
  )
}

/** Label, native select, hint and error, linked for assistive technology. The options are the children. */
export function SelectField({
  label,
  hint,
  name,
  defaultValue,
  className,
  ...props
}: ComponentProps<'select'> & Pick<FieldProps, 'label' | 'name' | 'hint'>) {
  const { preservedValue, inputProps, ...rest } = useControl(name, hint)
  const selected = preservedValue ?? defaultValue
  return (
    <LabeledControl label={label} hint={hint} className={className} {...rest}>
      {/* The key forces a new element: React does not update the selection of an existing uncontrolled select. */}
      <select
        key={String(selected)}
        name={name}
        defaultValue={selected}
        className={`${inputClass} pe-8`}
        {...inputProps}
        {...props}
      />
    </LabeledControl>
  )
}

/** What a control needs from the result of its form: errors, ARIA attributes and the preserved value. */
function useControl(name: string, hint: ReactNode) {
  const result = use(ResultContext)
  const id = useId()
  const failure = result?.ok === false ? result : undefined
  const errors = failure?.error.fields?.[name] ?? []
  const describedBy = [hint && `${id}-hint`, errors.length > 0 && `${id}-error`].filter(Boolean).join(' ')
  const inputProps = {
    id,
    'aria-invalid': errors.length > 0 || undefined,
    'aria-describedby': describedBy || undefined,
  }
  return { id, errors, inputProps, preservedValue: failure?.values?.[name] }
}

function LabeledControl({
  id,
  errors,
  label,
  hint,
  after,
  className,
  children,
}: Pick<FieldProps, 'label' | 'hint' | 'after' | 'className' | 'children'> & { id: string; errors: string[] }) {
  return (
    <div className={`relative grid gap-1.5 ${className ?? ''}`}>
      <label htmlFor={id} className={labelClass}>
        {label}
      </label>
      {children}
      {hint && (
        <p id={`${id}-hint`} className={hintClass}>
          {hint}
        </p>
      )}
      {errors.length > 0 && (
        <p id={`${id}-error`} className={fieldErrorClass}>
          {errors.join('. ')}
        </p>
      )}
      {/* Last in the DOM, so that Tab goes to the field first. */}
      {after && <div className="absolute end-0 top-0">{after}</div>}
    </div>
  )
}

/** A password field with a button to show the password. The button needs JavaScript, and only appears with it. */
export function PasswordField({ className, ...props }: Omit<FieldProps, 'type' | 'inside'>) {
  const [isShown, setIsShown] = useState(false)
  const Icon = isShown ? EyeOff : Eye
  const hasScript = useInBrowser(() => true, false)
  return (
    <Field
      {...props}
      className={`[&_input]:pe-11 ${className ?? ''}`}
      type={isShown ? 'text' : 'password'}
      spellCheck={false}
      autoCapitalize="none"
      inside={
        hasScript && (
          <button
            type="button"
            onClick={() => setIsShown(!isShown)}
            className="absolute inset-y-0.5 end-0.5 grid w-9 place-items-center rounded-sm text-muted-foreground hover:text-foreground"
          >
            <Icon aria-hidden="true" className="size-4" strokeWidth={1.75} />
            <span className="sr-only">{isShown ? 'Hide' : 'Show'} password</span>
          </button>
        )
      }
    />
  )
}

/**
 * The last result of the form, for components that do more than show it.
 * @public For the forms of modules.
 */
export const useResult = () => use(ResultContext)

/** A field of the action's result as text, such as the email that was typed. For use in `done`. */
export function ResultText({ name }: { name: string }) {
  const result = use(ResultContext)
  return result?.ok ? String((result.data as Record<string, unknown>)[name] ?? '') : null
}

/** A field of the action's result as a hidden input, for a form that is submitted again. */
export function ResultInput({ name }: { name: string }) {
  const result = use(ResultContext)
  return result?.ok ? (
    <input type="hidden" name={name} value={String((result.data as Record<string, unknown>)[name] ?? '')} />
  ) : null
}

/**
 * The error message of the form as a whole. Field errors are shown at their fields: if there are no others, this message is
 * hidden (see styles/controls.css). `initial` is for an error that happened elsewhere and redirected here.
 */
export function FormMessage({
  className,
  isBoxed = true,
  initial,
  fieldNames = [],
  done,
}: {
  className?: string
  /** Without a box, `className` is all of its look. */
  isBoxed?: boolean
  initial?: string | undefined
  /** Fields that cannot show their own errors, such as a column of checkboxes. */
  fieldNames?: string[]
  /** The message after success, for a form that stays visible. */
  done?: string | undefined
}) {
  const result = use(ResultContext)
  const look = (tone: 'danger' | 'success') => (isBoxed ? alertVariants({ tone, className }) : className)
  if (result?.ok && done) {
    return (
      <p role="status" tabIndex={-1} className={look('success')}>
        {done}
      </p>
    )
  }
  const failure = result?.ok === false ? result.error : undefined
  const fieldMessages = ['', ...fieldNames].flatMap((name) => failure?.fields?.[name] ?? [])
  const errorMessage = failure && [failure.message, ...fieldMessages].join('. ')
  const message = errorMessage ?? (result ? undefined : initial)
  if (!message) return null
  const isAtFields = failure?.fields !== undefined && fieldMessages.length === 0
  return (
    <p role="alert" tabIndex={-1} data-at-fields={isAtFields ? '' : undefined} className={look('danger')}>
      {message}
    </p>
  )
}

/** While the form is being submitted, a spinner stands before the label; label and width stay (see styles/controls.css). */
export function SubmitButton({ variant, size, className, children, ...props }: ComponentProps<'button'> & ButtonLook) {
  const { pending, data } = useFormStatus()
  // Of several buttons the pressed one, which is in the data.
  const isPressed = pending && (props.name === undefined || data?.get(props.name) === props.value)
  return (
    <button
      type="submit"
      className={buttonVariants({ variant, size, className })}
      aria-disabled={pending || undefined}
      data-pending={isPressed ? '' : undefined}
      // Not `disabled`, which would lose focus. A second click does nothing.
      onClick={pending ? (event) => event.preventDefault() : undefined}
      {...props}
    >
      {children}
    </button>
  )
}
