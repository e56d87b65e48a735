import { inputClass, labelClass } from '@/core/ui/control'

/** A filter with a few values. Nothing chosen is no filter. */
export function Choice({
  name,
  label,
  none = 'any',
  options,
  inWords = (option) => option,
  chosen,
}: {
  name: string
  label: string
  none?: string
  options: readonly string[]
  inWords?: (option: string) => string
  chosen: string | undefined
}) {
  return (
    <div className="grid gap-1.5">
      <label htmlFor={name} className={labelClass}>
        {label}
      </label>
      <select id={name} name={name} defaultValue={chosen ?? ''} key={chosen} className={`${inputClass} pe-8`}>
        <option value="">{none}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {inWords(option)}
          </option>
        ))}
      </select>
    </div>
  )
}
