import type { ComponentProps } from 'react'
import { cn } from './cn'
import { type ButtonLook, buttonVariants } from './control'

export { buttonVariants } from './control'

export function Button({ variant, size, className, type = 'button', ...props }: ComponentProps<'button'> & ButtonLook) {
  return (
    <button data-slot="button" type={type} className={cn(buttonVariants({ variant, size }), className)} {...props} />
  )
}
