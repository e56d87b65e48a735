'use client'

import { Copyable } from '@/core/ui/copyable'
import { ResultText, useResult } from '@/core/ui/form'

/** The preview link that the form has just created. */
export function PreviewLink({ className }: { className: string }) {
  if (!useResult()?.ok) return null
  return (
    <Copyable className={className}>
      <ResultText name="link" />
    </Copyable>
  )
}
