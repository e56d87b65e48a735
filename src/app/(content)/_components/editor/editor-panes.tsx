'use client'

import type { ReactNode } from 'react'
import { useEditor } from './editor-form'

/** The text and its preview, side by side where there is room, and the settings beside or below them. */
export function EditorPanes({ panel, children }: { panel: ReactNode; children: ReactNode }) {
  const { view } = useEditor()
  return (
    // Nothing that is focused ends up under the toolbar, which sticks.
    <div className="lg:grid lg:grid-cols-[minmax(0,1fr)_18.75rem] [&_:is(a,button,input)]:scroll-mt-28!">
      <div className={view === 'split' ? 'grid min-w-0 grid-cols-1 xl:grid-cols-2' : 'min-w-0'}>{children}</div>
      {panel}
    </div>
  )
}
