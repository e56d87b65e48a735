import type { ComponentProps } from 'react'
import { cn } from './cn'
import { inputClass, labelClass } from './control'

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input data-slot="input" className={cn(inputClass, className)} {...props} />
}

export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return <textarea data-slot="textarea" className={cn(inputClass, 'h-auto min-h-24 py-2', className)} {...props} />
}

/** The browser's own select: it is the one that works on a phone, with a keyboard and without JavaScript. */
export function Select({ className, ...props }: ComponentProps<'select'>) {
  return <select data-slot="select" className={cn(inputClass, 'pe-8', className)} {...props} />
}

export function Checkbox({ className, ...props }: ComponentProps<'input'>) {
  return (
    <input
      data-slot="checkbox"
      type="checkbox"
      className={cn('size-5 rounded-sm accent-primary', className)}
      {...props}
    />
  )
}

export function Label({ className, ...props }: ComponentProps<'label'>) {
  // biome-ignore lint/a11y/noLabelWithoutControl: whoever uses it says which control it names
  return <label data-slot="label" className={cn(labelClass, className)} {...props} />
}
