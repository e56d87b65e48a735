'use client'

import { type ComponentProps, useEffect, useLayoutEffect, useRef } from 'react'
import type { Mirror } from './mirror'

/** What the field and the layer have in common, so that their lines break at the same places. */
const metrics = 'px-4 pb-8 font-mono text-base leading-6 sm:text-sm lg:px-7'

/** The field for the text. With JavaScript, a layer behind it shows the text with colors; see mirror.ts. */
export function MirroredText(props: ComponentProps<'textarea'>) {
  const area = useRef<HTMLTextAreaElement>(null)
  const layer = useRef<HTMLDivElement>(null)
  const mirror = useRef<Mirror>(null)
  useEffect(() => {
    // Safari on iOS indents the text of a textarea by 3 pixels.
    if (CSS.supports('-webkit-touch-callout', 'none')) return
    let isGone = false
    // Loaded after the page. Until then, and if that fails, the field shows its text itself.
    import('./mirror')
      .then(({ startMirror }) => {
        if (!isGone && area.current && layer.current) mirror.current = startMirror(area.current, layer.current)
      })
      .catch(() => {})
    return () => {
      isGone = true
      mirror.current?.stop()
      mirror.current = null
    }
  }, [])
  // React and the autosave change the text without an event. Whenever they do, this is rendered.
  useLayoutEffect(() => mirror.current?.update())
  return (
    <div className="relative">
      <div
        ref={layer}
        data-slot="mirror"
        aria-hidden="true"
        inert
        translate="no"
        // Its size does not depend on the text. The browser uses this value of text-rendering for fields, too.
        style={{ contain: 'strict', textRendering: 'auto' }}
        className={`absolute inset-0 wrap-anywhere overflow-hidden whitespace-pre-wrap ${metrics}`}
      />
      <textarea
        {...props}
        ref={area}
        rows={22}
        placeholder="Write in Markdown…"
        // As high as the text, where the browser can do that.
        style={{ fieldSizing: 'content', minHeight: '60vh', resize: 'none' }}
        className={`relative block w-full bg-transparent outline-none placeholder:text-faint ${metrics}`}
      />
    </div>
  )
}
