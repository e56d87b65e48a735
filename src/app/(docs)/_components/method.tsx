import { Badge } from '@/core/ui/surface'
import { methodColors } from './method-colors'

export function Method({ name }: { name: string }) {
  return <Badge className={`min-w-14 justify-center font-mono ${methodColors[name] ?? ''}`}>{name}</Badge>
}
