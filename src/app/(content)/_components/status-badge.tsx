import { Badge } from '@/core/ui/surface'
import type { Status } from '../schema'

const words = { draft: 'Draft', scheduled: 'Scheduled', published: 'Published' }
const tones = { draft: 'neutral', scheduled: 'warning', published: 'success' } as const

export function StatusBadge({ status, hasChanges = false }: { status: Status; hasChanges?: boolean }) {
  return <Badge tone={tones[status]}>{hasChanges ? `${words[status]}, with changes` : words[status]}</Badge>
}
