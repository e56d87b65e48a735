'use client'

import { useEditor } from './editor-form'
import { describeLength } from './text-facts'

/** Below the text: how long it is, and the keys of the page. */
export function TextFooter({ modifier }: { modifier: string }) {
  const { fields } = useEditor()
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t px-4 py-2 text-[0.78125rem] text-muted-foreground lg:px-7">
      <span className="tabular-nums">{describeLength(fields.body)}</span>
      <span className="ms-auto max-sm:hidden noscript:hidden">
        <kbd>{modifier} S</kbd> save
      </span>
      <span className="noscript:hidden max-2xl:hidden">
        <kbd>{modifier} ↵</kbd> publish
      </span>
    </p>
  )
}
