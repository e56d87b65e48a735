'use client'

import { Copyable } from '@/core/ui/copyable'
import { AnswerText, useAnswer } from '@/core/ui/form'

/** The link that the form has just made. */
export function PreviewLink(props: { className: string; buttonClassName: string }) {
  if (!useAnswer()?.ok) return null
  return (
    <Copyable {...props}>
      <AnswerText name="link" />
    </Copyable>
  )
}
