import { Badge } from '@/core/ui/surface'

/** What only reads looks different from what may change something; the word says it, too. */
export function Method({ name }: { name: string }) {
  return (
    <Badge tone={name === 'GET' ? 'success' : 'warning'} className="min-w-14 justify-center rounded-sm font-mono">
      {name}
    </Badge>
  )
}
