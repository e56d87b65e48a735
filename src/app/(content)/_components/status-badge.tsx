import { Badge, StatusDot } from '@/core/ui/surface'
import type { Status } from '../schema'

const labels = { draft: 'Draft', scheduled: 'Scheduled', published: 'Published' }
const tones = { draft: 'neutral', scheduled: 'warning', published: 'success' } as const

interface Props {
  status: Status
  hasChanges?: boolean
}

export function StatusBadge({ status, hasChanges = false }: Props) {
  return <Badge tone={tones[status]}>{hasChanges ? `${labels[status]} · unpublished changes` : labels[status]}</Badge>
}

/** The status in a list. */
export function PostStatus({ status, hasChanges = false }: Props) {
  return (
    <span className="inline-grid">
      <StatusDot tone={tones[status]}>{labels[status]}</StatusDot>
      {hasChanges && <span className="ps-3.75 text-muted-foreground text-xs">Unpublished changes</span>}
    </span>
  )
}
