'use client'

import type { Result } from '@/core/action'
import { ActionForm, Field, FormMessage, SelectField, SubmitButton, TextField } from '@/core/ui/form'
import { NewPasswordField } from '@/core/ui/new-password-field'

/** Mocks a server action, to show a form after a failed submit. */
async function failingAction(_: Result<null> | null, form: FormData): Promise<Result<null>> {
  await new Promise((resolve) => setTimeout(resolve, 800))
  const email = String(form.get('email'))
  const fields = email.includes('@') ? undefined : { email: ['Enter a valid email'] }
  return {
    ok: false,
    error: {
      code: fields ? 'invalid_input' : 'conflict',
      message: 'This was changed by someone else',
      ...(fields && { fields }),
    },
    values: { email, notices: String(form.get('notices')), reason: String(form.get('reason')) },
  }
}

export function FormExample() {
  return (
    <ActionForm action={failingAction} className="grid max-w-sm gap-4">
      <FormMessage />
      <Field
        label="Email"
        name="email"
        hint="Submit without an @ for a field error, with one for a form error."
        defaultValue="ada"
      />
      <SelectField label="Notices" name="notices" defaultValue="daily">
        <option value="daily">Every day</option>
        <option value="never">Never</option>
      </SelectField>
      <TextField label="Reason" name="reason" rows={2} />
      <SubmitButton className="justify-self-start">Save</SubmitButton>
    </ActionForm>
  )
}

export function PasswordExample() {
  return (
    <NewPasswordField
      label="Password"
      name="example-password"
      autoComplete="new-password"
      hint="At least 12 characters. A short phrase works well."
      minLength={12}
      defaultValue="a long walk by the sea"
      className="max-w-sm"
    />
  )
}
