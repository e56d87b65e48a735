'use client'

import { useState } from 'react'
import { alertVariants, buttonVariants } from '@/core/ui/control'
import { SubmitButton } from '@/core/ui/form'
import { readFields } from '../editor-fields'
import { editorApi } from './editor-api'
import { type EditorPost, useEditor } from './editor-form'

interface Comparison {
  /** Who wrote the other text, and when. */
  written: string
  changes: { field: string; parts: { text: string; kind: 'same' | 'added' | 'removed' }[] }[]
}

const styles = {
  same: ['span', ''],
  added: ['ins', 'rounded-xs bg-success-soft text-success-text no-underline'],
  removed: ['del', 'rounded-xs bg-destructive-soft text-destructive'],
} as const

/** Asks which of two texts to keep. Either choice stores both as versions. */
export const ConflictNotice = () => (useEditor().isConflict ? <Notice /> : null)

function Notice() {
  const { post } = useEditor()
  const [comparison, setComparison] = useState<Comparison | 'failed'>()
  const compare = async (form: HTMLFormElement | null) => {
    if (form) setComparison((await compareOnServer(post, readFields(form))) ?? 'failed')
  }
  return (
    <div
      role="alert"
      tabIndex={-1}
      className={alertVariants({ tone: 'warning', className: 'mt-4 grid grid-cols-1 gap-3' })}
    >
      <p className="font-semibold">This post was edited elsewhere</p>
      <p>Choose which draft to keep working on. Both stay in the version history.</p>
      <p className="flex flex-wrap gap-3 text-foreground">
        <SubmitButton name="resolve" value="mine">
          Keep mine
        </SubmitButton>
        <SubmitButton name="resolve" value="theirs" variant="outline">
          Use the other
        </SubmitButton>
        <button
          type="button"
          onClick={({ currentTarget }) => compare(currentTarget.form)}
          className={buttonVariants({ variant: 'ghost', className: 'noscript:hidden' })}
        >
          Compare
        </button>
      </p>
      {comparison === 'failed' && <p>The other draft couldn’t be loaded. Try again.</p>}
      {comparison && comparison !== 'failed' && <Changes {...comparison} />}
    </div>
  )
}

function Changes({ written, changes }: Comparison) {
  return (
    <div className="grid grid-cols-1 gap-3 rounded-md bg-card p-3 text-foreground">
      <p className="text-muted-foreground">
        The other draft is {written}. What only yours has is green, what only the other has is red.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keyboard users must be able to scroll it */}
      <section tabIndex={0} aria-label="Differences" className="max-h-96 overflow-y-auto">
        <dl className="grid gap-2">
          {changes.map(({ field, parts }) => (
            <div key={field}>
              <dt className="text-muted-foreground text-xs">{field}</dt>
              <dd className="wrap-anywhere whitespace-pre-wrap">
                {parts.map(({ text, kind }, index) => {
                  const [Tag, className] = styles[kind]
                  return (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other identity and never move
                    <Tag key={index} className={className}>
                      {text}
                    </Tag>
                  )
                })}
              </dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  )
}

async function compareOnServer(
  { id, scope }: Pick<EditorPost, 'id' | 'scope'>,
  fields: object,
): Promise<Comparison | null> {
  try {
    const response = await fetch(`${editorApi(scope)}/posts/${id}/compare`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    })
    return response.ok ? await response.json() : null
  } catch {
    return null
  }
}
