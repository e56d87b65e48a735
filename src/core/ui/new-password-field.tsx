'use client'

import { type ComponentProps, useState } from 'react'
import { PasswordField, useResult } from './form'
import { passwordAdvice } from './password-advice'

/** The email in the same form, whether it is typed there or only named for password managers. */
function emailIn(form: HTMLFormElement | null): string {
  const field = form?.elements.namedItem('email') ?? form?.elements.namedItem('username')
  return field instanceof HTMLInputElement ? field.value : ''
}

/** A field for a new password. While it is typed, the hint says what is still to do; without JavaScript it stays as it is. */
export function NewPasswordField({
  hint,
  minLength,
  ...props
}: Omit<ComponentProps<typeof PasswordField>, 'hint' | 'minLength' | 'onInput'> & { hint: string; minLength: number }) {
  const result = useResult()
  const [typed, setTyped] = useState({ password: '', email: '', result })
  // Each submit empties the field.
  const isEmpty = typed.password === '' || typed.result !== result
  const { missing, verdict, isAccepted } = passwordAdvice(typed.password, { email: typed.email, minLength })
  const onInput: ComponentProps<'input'>['onInput'] = ({ currentTarget: { value, form } }) =>
    setTyped({ password: value, email: emailIn(form), result })
  return (
    <PasswordField
      {...props}
      minLength={minLength}
      onInput={onInput}
      hint={
        <>
          {isEmpty ? hint : missing > 0 && `${missing} more ${missing === 1 ? 'character' : 'characters'}. `}
          {/* Only the verdict is announced, not every character. */}
          <span aria-live="polite" className={isAccepted ? 'font-medium text-success-text' : undefined}>
            {!isEmpty && verdict}
          </span>
        </>
      }
    />
  )
}
