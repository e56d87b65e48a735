'use client'

import { X } from 'lucide-react'
import { Dialog as Primitive } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'
import { cn } from './cn'

export const Dialog = Primitive.Root
export const DialogTrigger = Primitive.Trigger
export const DialogClose = Primitive.Close

/** The title names the thing and what will happen to it; the description says what follows. */
export function DialogContent({
  title,
  description,
  className,
  children,
  ...props
}: Omit<ComponentProps<typeof Primitive.Content>, 'title'> & { title: ReactNode; description: ReactNode }) {
  return (
    <Primitive.Portal>
      <Primitive.Overlay className="fixed inset-0 z-40 animate-[fade-in_120ms] bg-black/50" />
      <Primitive.Content
        data-slot="dialog"
        className={cn(
          'fixed top-1/2 left-1/2 z-50 grid max-h-[90dvh] w-[calc(100%-2rem)] max-w-lg -translate-x-1/2 -translate-y-1/2 animate-[fade-in_120ms] gap-4 overflow-y-auto rounded-lg border bg-popover p-6 text-popover-foreground shadow-xl',
          className,
        )}
        {...props}
      >
        <div className="grid gap-1.5 pe-8">
          <Primitive.Title className="font-semibold text-lg">{title}</Primitive.Title>
          <Primitive.Description className="text-muted-foreground text-sm">{description}</Primitive.Description>
        </div>
        {children}
        <Primitive.Close className="absolute top-4 right-4 inline-flex size-8 items-center justify-center rounded-md hover:bg-accent">
          <X className="size-4" aria-hidden="true" />
          <span className="sr-only">Close</span>
        </Primitive.Close>
      </Primitive.Content>
    </Primitive.Portal>
  )
}

export function DialogFooter({ className, ...props }: ComponentProps<'div'>) {
  return <div className={cn('flex flex-wrap justify-end gap-2', className)} {...props} />
}
