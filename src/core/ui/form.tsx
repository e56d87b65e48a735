'use client'

import {
  type ComponentProps,
  createContext,
  type ReactNode,
  use,
  useActionState,
  useEffect,
  useId,
  useRef,
} from 'react'
import { useFormStatus } from 'react-dom'
import type { Result } from '../action'
import { fieldErrorClass, hintClass, inputClass, labelClass } from './control'

const Answer = createContext<Result<unknown> | null>(null)

/**
 * A form over a server action. Works before and without JavaScript; a refused form keeps what the action lets it keep,
 * and focus goes to the first field in error, or to the message when it is about no field.
 */
export function ActionForm<Data>({
  action,
  children,
  ...props
}: Omit<ComponentProps<'form'>, 'action'> & { action: FormAction<Data> }) {
  const [answer, submit] = useActionState(action, null)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (answer?.ok !== false) return
    const first = (selector: string) => form.current?.querySelector<HTMLElement>(selector)
    const target = first('[aria-invalid="true"]') ?? first('[role="alert"]')
    target?.focus()
  }, [answer])
  return (
    <form ref={form} action={submit} noValidate {...props}>
      <Answer value={answer}>{children}</Answer>
    </form>
  )
}

type FormAction<Data> = (previous: Result<Data> | null, form: FormData) => Promise<Result<Data>>

/** Label, input, hint and error, tied together for assistive technology. `after` stands beside the label. */
export function Field({
  label,
  hint,
  after,
  name,
  defaultValue,
  className,
  ...props
}: ComponentProps<'input'> & { label: string; name: string; hint?: string; after?: ReactNode }) {
  const answer = use(Answer)
  const id = useId()
  const refusal = answer?.ok === false ? answer : undefined
  const errors = refusal?.error.fields?.[name] ?? []
  const described = [hint && `${id}-hint`, errors.length > 0 && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className={`grid gap-1.5 ${className ?? ''}`}>
      <div className="flex items-baseline justify-between gap-4">
        <label htmlFor={id} className={labelClass}>
          {label}
        </label>
        {after}
      </div>
      <input
        id={id}
        name={name}
        defaultValue={refusal?.kept?.[name] ?? defaultValue}
        className={inputClass}
        aria-invalid={errors.length > 0 || undefined}
        aria-describedby={described || undefined}
        {...props}
      />
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
    </div>
  )
}

/**
 * That the form was refused, and what is wrong with it as a whole. Field errors stand at their fields. `initial` is for
 * a refusal that happened elsewhere and led here.
 */
export function FormMessage({ className, initial }: { className: string; initial?: string | undefined }) {
  const answer = use(Answer)
  const refused =
    answer?.ok === false ? [answer.error.message, ...(answer.error.fields?.[''] ?? [])].join('. ') : undefined
  const message = refused ?? (answer ? undefined : initial)
  if (!message) return null
  return (
    <p role="alert" tabIndex={-1} className={className}>
      {message}
    </p>
  )
}

/** Keeps its label and width while the form is on its way. */
export function SubmitButton({ children, ...props }: ComponentProps<'button'>) {
  const { pending } = useFormStatus()
  return (
    <button
      type="submit"
      aria-disabled={pending || undefined}
      // Not `disabled`: that would take the focus away. A second press does nothing.
      onClick={pending ? (event) => event.preventDefault() : undefined}
      {...props}
    >
      {children}
    </button>
  )
}
