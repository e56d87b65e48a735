'use client'

import { Eye, Monitor, Smartphone } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { control } from '../editor-fields'
import { editorApi } from './editor-api'
import { type EditorPost, useEditor } from './editor-form'
import { replaceBlocks } from './replace-blocks'

const pauseMs = 350

/**
 * The post as readers will see it. The server renders it with the code of the public page; `html` is that of the saved text,
 * which is also what is shown without JavaScript.
 */
export function PreviewPane({
  html: savedHtml,
  proseClass,
  cover,
}: {
  html: string
  proseClass: string
  cover: ReactNode
}) {
  const { post, fields, view } = useEditor()
  const pane = useRef<HTMLElement>(null)
  const prose = useRef<HTMLDivElement>(null)
  const [firstHtml] = useState(savedHtml)
  const [isPhone, setIsPhone] = useState(false)
  const html = useRenderedHtml(pane, savedHtml)
  useLayoutEffect(() => {
    if (prose.current) replaceBlocks(prose.current, html)
  }, [html])
  useEffect(() => followScroll(pane.current), [])
  const isSplit = view === 'split'
  const shown = view === 'write' ? 'hidden' : isSplit ? 'max-xl:hidden' : ''
  return (
    <section
      ref={pane}
      aria-label="Preview"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keyboard users must be able to scroll it
      tabIndex={0}
      className={`min-w-0 overflow-y-auto bg-muted focus-visible:-outline-offset-2 lg:sticky lg:top-14 ${shown}`}
      style={isSplit ? { alignSelf: 'start', height: 'calc(100dvh - 4rem)' } : undefined}
    >
      <PreviewBar isPhone={isPhone} onChange={setIsPhone} />
      <div className={`mx-auto grid grid-cols-1 gap-5 px-4 pt-5 pb-10 ${isPhone ? 'max-w-sm' : 'max-w-3xl lg:px-7'}`}>
        {cover}
        <p className="wrap-anywhere font-semibold text-3xl tracking-tight">{fields.title || post.fields.title}</p>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: rendered by markdown.ts, which escapes all HTML in the text */}
        <div ref={prose} className={proseClass} dangerouslySetInnerHTML={{ __html: firstHtml }} />
      </div>
    </section>
  )
}

/** Chooses the width of the preview. Needs JavaScript; on phones there is only one width. */
function PreviewBar({ isPhone, onChange }: { isPhone: boolean; onChange: (isPhone: boolean) => void }) {
  const widths = [
    { label: 'Desktop', icon: Monitor, isChosen: !isPhone },
    { label: 'Phone', icon: Smartphone, isChosen: isPhone },
  ]
  return (
    <div className="sticky top-0 z-5 flex items-center gap-2 border-b bg-muted px-4 py-1.5 text-muted-foreground text-sm max-sm:hidden lg:px-7 noscript:hidden">
      <Eye aria-hidden="true" className="size-4" strokeWidth={1.75} />
      Preview
      <span className="ms-auto inline-flex rounded-md bg-secondary p-0.5">
        {widths.map(({ label, icon: Icon, isChosen }) => (
          <button
            key={label}
            type="button"
            aria-label={label}
            aria-pressed={isChosen}
            data-tooltip=""
            onClick={() => onChange(label === 'Phone')}
            className={`grid size-6 place-items-center rounded-sm hover:text-foreground ${isChosen ? 'bg-card text-foreground shadow-e1' : ''}`}
          >
            <Icon aria-hidden="true" className="size-4" strokeWidth={1.75} />
          </button>
        ))}
      </span>
    </div>
  )
}

/** The HTML of the text in the form: that of the server, and then what it renders for each change. */
function useRenderedHtml(pane: RefObject<HTMLElement | null>, savedHtml: string): string {
  const { post, view } = useEditor()
  const [html, setHtml] = useState(savedHtml)
  /** The text that `html` shows. */
  const rendered = useRef(post.fields.body)
  const { id, scope } = post
  const savedBody = post.fields.body

  // biome-ignore lint/correctness/useExhaustiveDependencies: in another view it may be visible
  useEffect(() => {
    const form = pane.current?.closest('form')
    if (!form) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let running: AbortController | undefined
    const render = async () => {
      const body = control(form, 'body').value
      running?.abort()
      if (body === rendered.current || !pane.current?.checkVisibility()) return
      if (body === savedBody) {
        rendered.current = body
        setHtml(savedHtml)
        return
      }
      running = new AbortController()
      const found = await renderOnServer({ id, scope }, body, running.signal)
      if (found === null) return
      rendered.current = body
      setHtml(found)
    }
    const renderSoon = () => {
      clearTimeout(timer)
      timer = setTimeout(render, pauseMs)
    }
    renderSoon()
    form.addEventListener('input', renderSoon)
    return () => {
      clearTimeout(timer)
      running?.abort()
      form.removeEventListener('input', renderSoon)
    }
  }, [id, scope, pane, view, savedBody, savedHtml])
  return html
}

/** Null if it cannot be rendered now: the preview then stays as it was. */
async function renderOnServer(
  { id, scope }: Pick<EditorPost, 'id' | 'scope'>,
  body: string,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const response = await fetch(`${editorApi(scope)}/posts/${id}/preview`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ body }),
      signal,
    })
    return response.ok ? (await response.json()).html : null
  } catch {
    return null
  }
}

/** Beside the text, the preview scrolls along with the page. */
function followScroll(pane: HTMLElement | null): (() => void) | undefined {
  const area = pane?.closest('form')?.querySelector('textarea')
  if (!pane || !area) return undefined
  const onScroll = () => {
    if (pane.contains(document.activeElement)) return
    const { top, height } = area.getBoundingClientRect()
    const hidden = height - window.innerHeight
    const room = pane.scrollHeight - pane.clientHeight
    if (hidden > 0 && room > 0) pane.scrollTop = room * Math.min(1, Math.max(0, -top / hidden))
  }
  window.addEventListener('scroll', onScroll, { passive: true })
  return () => window.removeEventListener('scroll', onScroll)
}
