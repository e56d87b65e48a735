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
  useState,
  useSyncExternalStore,
} from 'react'
import { useFormStatus } from 'react-dom'
import type { Result } from '../action'
import { fieldErrorClass, hintClass, inputClass, labelClass } from './control'

const Answer = createContext<Result<unknown> | null>(null)

/**
 * A form over a server action. Works before and without JavaScript; a refused form keeps what the action lets it keep,
 * and focus goes to the first field in error, or to the message when it is about no field. `done` takes the place of the
 * fields once the action has succeeded.
 */
export function ActionForm<Data>({
  action,
  children,
  done,
  ...props
}: Omit<ComponentProps<'form'>, 'action'> & { action: FormAction<Data>; done?: ReactNode }) {
  const [answer, submit] = useActionState(action, null)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (!answer) return
    const first = (selector: string) => form.current?.querySelector<HTMLElement>(selector)
    const target = answer.ok ? first('[role="status"]') : (first('[aria-invalid="true"]') ?? first('[role="alert"]'))
    target?.focus()
  }, [answer])
  return (
    <form ref={form} action={submit} noValidate {...props}>
      <Answer value={answer}>{answer?.ok && done ? done : children}</Answer>
    </form>
  )
}

type FormAction<Data> = (previous: Result<Data> | null, form: FormData) => Promise<Result<Data>>

interface FieldProps extends ComponentProps<'input'> {
  label: string
  name: string
  hint?: string | undefined
  /** Stands beside the label. */
  after?: ReactNode
  /** Stands in the input, at its end. */
  inside?: ReactNode
}

/** Label, input, hint and error, tied together for assistive technology. */
export function Field({ label, hint, after, inside, name, defaultValue, className, ...props }: FieldProps) {
  const answer = use(Answer)
  const id = useId()
  const refusal = answer?.ok === false ? answer : undefined
  const errors = refusal?.error.fields?.[name] ?? []
  const described = [hint && `${id}-hint`, errors.length > 0 && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className={`relative grid gap-1.5 ${className ?? ''}`}>
      <label htmlFor={id} className={labelClass}>
        {label}
      </label>
      <div className="relative grid">
        <input
          id={id}
          name={name}
          defaultValue={refusal?.kept?.[name] ?? defaultValue}
          className={inputClass}
          aria-invalid={errors.length > 0 || undefined}
          aria-describedby={described || undefined}
          {...props}
        />
        {inside}
      </div>
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
      {/* Last, so that the keyboard goes from field to field first. */}
      {after && <div className="absolute end-0 top-0">{after}</div>}
    </div>
  )
}

/** A field for a password, which can be shown. The button appears with JavaScript, without which it could do nothing. */
export function PasswordField(props: Omit<FieldProps, 'type' | 'inside'>) {
  const [isShown, setIsShown] = useState(false)
  const hasScript = useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  )
  return (
    <Field
      {...props}
      type={isShown ? 'text' : 'password'}
      spellCheck={false}
      autoCapitalize="none"
      inside={
        hasScript && (
          <button
            type="button"
            aria-pressed={isShown}
            onClick={() => setIsShown(!isShown)}
            className="absolute inset-y-1 end-1 rounded-sm px-2.5 font-medium text-muted-foreground text-sm hover:text-foreground"
          >
            {isShown ? 'Hide' : 'Show'}
            <span className="sr-only"> password</span>
          </button>
        )
      }
    />
  )
}

/** A fact from the action's answer, such as the address that was typed, for `done`. */
export function AnswerText({ name }: { name: string }) {
  const answer = use(Answer)
  return answer?.ok ? String((answer.data as Record<string, unknown>)[name] ?? '') : null
}

/** The same, as a field of a form that is sent again. */
export function AnswerInput({ name }: { name: string }) {
  const answer = use(Answer)
  return answer?.ok ? (
    <input type="hidden" name={name} value={String((answer.data as Record<string, unknown>)[name] ?? '')} />
  ) : null
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
