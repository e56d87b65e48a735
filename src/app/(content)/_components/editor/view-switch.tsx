'use client'

import { useEditor } from './editor-form'
import { type View, views } from './view'

const labels: Record<View, string> = { write: 'Write', split: 'Split', preview: 'Preview' }

/** Chooses between text and preview. Links, so that it works without JavaScript. */
export function ViewSwitch() {
  const { view, setView } = useEditor()
  return (
    <nav aria-label="View" className="inline-flex rounded-md bg-secondary p-0.5">
      {views.map((each) => (
        <a
          key={each}
          href={`?view=${each}`}
          aria-current={each === view ? 'true' : undefined}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return
            event.preventDefault()
            setView(each)
          }}
          className="flex h-6.5 items-center rounded-sm px-2.5 font-[450] text-[0.8125rem] text-muted-foreground hover:text-foreground aria-[current=true]:bg-[light-dark(#fff,oklch(1_0_0/12%))] aria-[current=true]:font-medium aria-[current=true]:text-foreground aria-[current=true]:shadow-e1"
        >
          {labels[each]}
        </a>
      ))}
    </nav>
  )
}
