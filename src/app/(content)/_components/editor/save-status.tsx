'use client'

import type { ReactNode } from 'react'
import { useResult } from '@/core/ui/form'
import type { State } from '../autosave'
import { useEditor } from './editor-form'

interface SaveData {
  version: number
  step?: 'save' | 'publish' | 'schedule'
}

interface Published {
  timeZone: string
  /** When it is scheduled for, as text. */
  scheduled: string | null
  /** Path of the published post. */
  path: string | null
}

/** Whether the text is saved, and what the last button did. */
export function SaveStatus(props: Published) {
  const { state, version } = useEditor()
  const result = useResult()
  const saved = result?.ok ? (result.data as SaveData) : null
  // Until the next change.
  const isDone = saved !== null && version <= saved.version && ['untouched', 'saved'].includes(state.status)
  return (
    <p className="text-muted-foreground text-sm">
      {/* Screen readers hear only results and errors, not every typing pause. */}
      <span role="status">
        {(isDone && describeStep(saved.step, state, props)) || announcedStatus(state, props.timeZone)}
      </span>
      <span aria-hidden="true">{visibleStatus(state)}</span>
    </p>
  )
}

/** What the last step did, as far as it is still true: the post may have been unpublished since. */
function describeStep(step: SaveData['step'], state: State, { scheduled, path }: Published): ReactNode {
  if (step === 'publish' && path)
    return (
      <>
        Published.{' '}
        <a href={path} className="text-foreground underline underline-offset-4">
          View post
        </a>
      </>
    )
  if (step === 'schedule' && scheduled) return `Scheduled for ${scheduled}`
  // Without JavaScript nothing else says so.
  return state.status === 'untouched' ? 'Saved' : null
}

const formatClock = (at: Date, timeZone: string) =>
  new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone }).format(at)

const describeLocalCopy = (isKept: boolean) => (isKept ? 'Saved on this device' : 'Don’t close this page')

function announcedStatus(state: State, timeZone: string): string {
  if (state.status === 'saved') return `Saved ${formatClock(state.at, timeZone)}`
  if (state.status === 'offline') return `Offline. ${describeLocalCopy(state.isStored)}`
  if (state.status === 'refused') return `Not saved online. ${describeLocalCopy(state.isStored)}. ${state.reason}`
  return ''
}

function visibleStatus(state: State): string {
  if (state.status === 'waiting') return 'Unsaved changes'
  return state.status === 'saving' ? 'Saving…' : ''
}
