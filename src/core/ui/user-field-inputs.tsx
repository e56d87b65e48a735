import { loadUserFields, userFieldsIn } from '../auth/user-fields'
import { Field } from './form'

/** Inputs for the fields that modules keep about users. With `userId` they show what that user has filled in. */
export async function UserFieldInputs({ place, userId }: { place: 'signup' | 'profile'; userId?: string }) {
  const fields = userFieldsIn(place)
  const values = userId ? (await loadUserFields(fields, [userId])).get(userId) : undefined
  return fields.map(({ name, label, hint, autoComplete, schema }) => (
    <Field
      key={name}
      label={label}
      name={name}
      hint={hint}
      autoComplete={autoComplete}
      required={!schema.safeParse('').success}
      defaultValue={values?.[name] ?? ''}
    />
  ))
}
