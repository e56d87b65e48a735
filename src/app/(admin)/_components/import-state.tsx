import type { Tone } from '@/core/module-ui'
import { StatusDot } from '@/core/ui/surface'
import type { ImportStatus } from '../schema'

const states: Record<ImportStatus, { label: string; tone: Tone }> = {
  reading: { label: 'Reading file', tone: 'neutral' },
  ready: { label: 'Not started', tone: 'warning' },
  running: { label: 'Running', tone: 'warning' },
  done: { label: 'Done', tone: 'success' },
  canceled: { label: 'Canceled', tone: 'danger' },
}

/** The state of an import as a dot and a word. */
export const ImportState = ({ status }: { status: ImportStatus }) => (
  <StatusDot tone={states[status].tone}>{states[status].label}</StatusDot>
)
