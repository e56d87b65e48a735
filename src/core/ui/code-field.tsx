'use client'

import { useFormStatus } from 'react-dom'
import { Field } from './form'

const isComplete = (code: string) => /^\d{6}$/.test(code.replaceAll(/\s/g, ''))

/** One wide field for a code of six digits. Submits the form at the sixth digit; without JavaScript the button does. */
export function CodeField({ hint = '6 digits' }: { hint?: string }) {
  const { pending } = useFormStatus()
  return (
    <Field
      label="Code"
      name="code"
      inputMode="numeric"
      autoComplete="one-time-code"
      hint={hint}
      required
      style={{ height: '3rem', fontSize: '1.375rem', letterSpacing: '0.3em', textAlign: 'center' }}
      onInput={({ currentTarget: { value, form } }) => {
        if (!pending && isComplete(value)) form?.requestSubmit()
      }}
    />
  )
}
