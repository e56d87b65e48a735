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
} from 'react'
import { useFormStatus } from 'react-dom'
import type { Result } from '../action'
import { fieldErrorClass, hintClass, inputClass, labelClass } from './control'
import { useInBrowser } from './use-in-browser'

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
  const { kept, tied, ...rest } = useControl(name, hint)
  return (
    <Labelled label={label} hint={hint} after={after} className={className} {...rest}>
      <div className="relative grid">
        <input name={name} defaultValue={kept ?? defaultValue} className={inputClass} {...tied} {...props} />
        {inside}
      </div>
    </Labelled>
  )
}

/**
 * The same for several lines.
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
  const { kept, tied, ...rest } = useControl(name, hint)
  return (
    <Labelled label={label} hint={hint} className={className} {...rest}>
      <textarea
        name={name}
        defaultValue={kept ?? defaultValue}
        className={`${inputClass} h-auto py-2`}
        {...tied}
        {...props}
      />
    </Labelled>
  )
}

/** The same for the browser's own select; its options are the children. */
export function SelectField({
  label,
  hint,
  name,
  defaultValue,
  className,
  ...props
}: ComponentProps<'select'> & Pick<FieldProps, 'label' | 'name' | 'hint'>) {
  const { kept, tied, ...rest } = useControl(name, hint)
  const chosen = kept ?? defaultValue
  return (
    <Labelled label={label} hint={hint} className={className} {...rest}>
      {/* By its key a new one: of a select that is there, React does not change what it shows. */}
      <select
        key={String(chosen)}
        name={name}
        defaultValue={chosen}
        className={`${inputClass} pe-8`}
        {...tied}
        {...props}
      />
    </Labelled>
  )
}

/** What a control needs to know about the answer to its form. */
function useControl(name: string, hint: string | undefined) {
  const answer = use(Answer)
  const id = useId()
  const refusal = answer?.ok === false ? answer : undefined
  const errors = refusal?.error.fields?.[name] ?? []
  const described = [hint && `${id}-hint`, errors.length > 0 && `${id}-error`].filter(Boolean).join(' ')
  const tied = { id, 'aria-invalid': errors.length > 0 || undefined, 'aria-describedby': described || undefined }
  return { id, errors, tied, kept: refusal?.kept?.[name] }
}

function Labelled({
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
      {/* Last, so that the keyboard goes from field to field first. */}
      {after && <div className="absolute end-0 top-0">{after}</div>}
    </div>
  )
}

/** A field for a password, which can be shown. The button appears with JavaScript, without which it could do nothing. */
export function PasswordField(props: Omit<FieldProps, 'type' | 'inside'>) {
  const [isShown, setIsShown] = useState(false)
  const hasScript = useInBrowser(() => true, false)
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

/**
 * What the form was answered last, for a part of it that does more than show it.
 * @public For the forms of modules.
 */
export const useAnswer = () => use(Answer)

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
export function FormMessage({
  className,
  initial,
  about = [],
  done,
  doneClassName,
}: {
  className: string
  initial?: string | undefined
  /** Fields that have no place for what is wrong with them, such as a column of checkboxes. */
  about?: string[]
  /** What to say once it went well, for a form that stays. */
  done?: string
  doneClassName?: string
}) {
  const answer = use(Answer)
  if (answer?.ok && done) {
    return (
      <p role="status" tabIndex={-1} className={doneClassName}>
        {done}
      </p>
    )
  }
  const refusal = answer?.ok === false ? answer.error : undefined
  const facts = ['', ...about].flatMap((name) => refusal?.fields?.[name] ?? [])
  const refused = refusal && [refusal.message, ...facts].join('. ')
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
