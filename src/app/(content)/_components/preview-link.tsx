'use client'

import { Copyable } from '@/core/ui/copyable'
import { ResultText, useResult } from '@/core/ui/form'

/** The preview link that the form has just created. */
export function PreviewLink(props: { className: string; buttonClassName: string }) {
  if (!useResult()?.ok) return null
  return (
    <Copyable {...props}>
      <ResultText name="link" />
    </Copyable>
  )
}
