'use client'

import { Toaster as Sonner } from 'sonner'

export { toast } from 'sonner'

/** For results of things that happen elsewhere. Errors of a form stay at the form. */
export function Toaster() {
  return (
    <Sonner
      position="bottom-right"
      closeButton
      toastOptions={{
        classNames: { toast: '!rounded-md !border !border-border !bg-popover !text-popover-foreground !shadow-lg' },
      }}
    />
  )
}
