const fieldNames = ['title', 'slug', 'summary', 'tags', 'body'] as const
export type Fields = Record<(typeof fieldNames)[number], string>

export const control = (form: HTMLFormElement, name: string) => form.elements.namedItem(name) as HTMLInputElement

export const readFields = (form: HTMLFormElement) =>
  Object.fromEntries(fieldNames.map((name) => [name, control(form, name).value])) as Fields

export function writeFields(form: HTMLFormElement, fields: Fields): void {
  for (const name of fieldNames) control(form, name).value = fields[name] ?? ''
}

export const areEqual = (one: Fields, other: Fields | null) => fieldNames.every((name) => one[name] === other?.[name])
