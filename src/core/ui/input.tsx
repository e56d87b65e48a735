import type { ComponentProps } from 'react'
import { cn } from './cn'
import { inputClass, labelClass } from './control'

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input data-slot="input" className={cn(inputClass, className)} {...props} />
}

export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return <textarea data-slot="textarea" className={cn(inputClass, 'h-auto min-h-24 py-2', className)} {...props} />
}

/** The native select: works on phones, with the keyboard and without JavaScript. */
export function Select({ className, ...props }: ComponentProps<'select'>) {
  return <select data-slot="select" className={cn(inputClass, 'pe-8', className)} {...props} />
}

export function Checkbox({ className, ...props }: ComponentProps<'input'>) {
  return <input data-slot="checkbox" type="checkbox" className={className} {...props} />
}

export function Label({ className, ...props }: ComponentProps<'label'>) {
  // biome-ignore lint/a11y/noLabelWithoutControl: the caller sets htmlFor
  return <label data-slot="label" className={cn(labelClass, className)} {...props} />
}
