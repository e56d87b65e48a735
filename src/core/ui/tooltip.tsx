'use client'

import { Tooltip as Primitive } from 'radix-ui'
import type { ReactNode } from 'react'

/** A hint, never the only place where something is said: touch screens do not show it. */
export function Tooltip({ hint, children }: { hint: string; children: ReactNode }) {
  return (
    <Primitive.Provider delayDuration={300}>
      <Primitive.Root>
        <Primitive.Trigger asChild>{children}</Primitive.Trigger>
        <Primitive.Portal>
          <Primitive.Content
            data-slot="tooltip"
            sideOffset={6}
            className="z-50 max-w-64 animate-[fade-in_100ms] rounded-md bg-foreground px-2.5 py-1.5 text-background text-xs"
          >
            {hint}
          </Primitive.Content>
        </Primitive.Portal>
      </Primitive.Root>
    </Primitive.Provider>
  )
}
