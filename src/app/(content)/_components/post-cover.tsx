import type { CSSProperties } from 'react'
import { hueOf } from '@/core/ui/avatar-look'
import { coverPath } from '../covers'

/**
 * The cover of a post, cropped to 16:9. A post without one gets a gradient, which is the same everywhere for the same post. Both
 * have their size before anything has loaded, so nothing moves.
 */
export function PostCover({
  id,
  coverId,
  isLarge = false,
}: {
  /** The id of the post, or of the cover: it decides the color. */
  id: string
  coverId: string | null
  /** At the top of the page: loaded at once. */
  isLarge?: boolean
}) {
  const style = { '--h': hueOf(id) } as CSSProperties
  if (!coverId) return <div aria-hidden="true" data-slot="post-cover" style={style} />
  const loading = isLarge ? ({ fetchPriority: 'high' } as const) : ({ loading: 'lazy' } as const)
  return (
    // biome-ignore lint/performance/noImgElement: the image optimizer is off
    <img src={coverPath(coverId)} alt="" width={1600} height={900} {...loading} data-slot="post-cover" style={style} />
  )
}
