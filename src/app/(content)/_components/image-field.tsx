'use client'

import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { buttonVariants, fieldErrorClass, hintClass, inputClass, labelClass } from '@/core/ui/control'
import { applyEdit } from './editor/apply-edit'
import { imageButton } from './editor/image-button'
import { isComposing } from './editor/use-editor-keys'

const formats = ['image/jpeg', 'image/png', 'image/webp', 'image/gif']

const bodyOf = (element: Element | null) =>
  element?.closest('form')?.querySelector<HTMLTextAreaElement>('textarea[name="body"]')

/** The files that were pasted or dropped. Copied text, from a table for example, often has a picture of itself: none then. */
const filesIn = (data: DataTransfer | null) => (data && !data.types.includes('text/plain') ? [...data.files] : [])

interface Listener {
  onButton(): void
  onFiles(files: File[]): void
  onFocus(): void
}

const buttonBeside = (element: Element) => element.closest('form')?.querySelector<HTMLElement>(`[${imageButton}]`)

/** Listens to the text and to the button of the toolbar. Returns the function that ends this. */
function listen(beside: HTMLElement, body: HTMLTextAreaElement, { onButton, onFiles, onFocus }: Listener): () => void {
  const listening = new AbortController()
  const { signal } = listening
  const take = (event: Event, data: DataTransfer | null) => {
    const files = filesIn(data)
    if (files.length === 0) return
    // Also for files of other kinds, which the browser would open.
    event.preventDefault()
    onFiles(files)
  }
  const allowDrop = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
  }
  buttonBeside(beside)?.addEventListener('click', onButton, { signal })
  body.addEventListener('paste', (event) => take(event, event.clipboardData), { signal })
  body.addEventListener('drop', (event) => take(event, event.dataTransfer), { signal })
  body.addEventListener('dragover', allowDrop, { signal })
  body.addEventListener('focus', onFocus, { signal })
  return () => listening.abort()
}

/** Inserts a paragraph behind the selection, or at the end, as if it were typed. Typing in another field goes on. */
async function insertParagraph(body: HTMLTextAreaElement, text: string, isAtEnd: boolean): Promise<void> {
  // While the post is being saved.
  while (body.readOnly) await new Promise((resolve) => setTimeout(resolve, 100))
  const { activeElement } = document
  const at = isAtEnd ? body.value.length : body.selectionEnd
  const before = body.value.slice(0, at)
  const gap = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n'
  const insert = `${gap}${text}\n\n`
  applyEdit(body, { from: at, to: at, insert, start: at + insert.length, end: at + insert.length })
  const isTypingElsewhere = activeElement instanceof HTMLElement && activeElement.matches('[name]')
  if (isTypingElsewhere) activeElement.focus()
}

/** Uploads an image. Returns the Markdown that embeds it, or what is wrong with it. */
async function upload(file: File, alt: string): Promise<{ markdown?: string; error?: string }> {
  const query = new URLSearchParams({ name: file.name.slice(-200), alt })
  const response = await fetch(`/api/content/images?${query}`, { method: 'POST', body: file }).catch(() => null)
  const body = await response?.json().catch(() => null)
  if (response?.ok && body) return { markdown: body.markdown }
  const messages = body?.errors?.picture ?? body?.errors?.alt
  return { error: messages?.join('. ') ?? body?.detail ?? 'Upload failed. Try again.' }
}

/**
 * Inserts images into the text of the form around it: chosen with the button of the toolbar, or pasted or dropped into the text.
 * Asks for the alt text of each, then uploads it. Without JavaScript only the link to the library remains, where images can be
 * uploaded as well.
 */
export function ImageField() {
  const id = useId()
  const container = useRef<HTMLDivElement>(null)
  const chooser = useRef<HTMLInputElement>(null)
  const alt = useRef<HTMLInputElement>(null)
  /** Whether the text has had focus. Until then its caret means nothing, and images go to the end. */
  const hasCaret = useRef(false)
  const [files, setFiles] = useState<File[]>([])
  const [isSending, setIsSending] = useState(false)
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const [isRefused, setIsRefused] = useState(false)
  const [file] = files

  const [add] = useState(() => (chosen: File[]) => {
    const images = chosen.filter(({ type }) => formats.includes(type))
    setIsRefused(images.length < chosen.length)
    setFiles((waiting) => [...waiting, ...images])
  })

  useEffect(() => {
    const element = container.current
    const body = bodyOf(element)
    if (!element || !body) return
    hasCaret.current = document.activeElement === body
    return listen(element, body, {
      onButton: () => chooser.current?.click(),
      onFiles: add,
      onFocus: () => {
        hasCaret.current = true
      },
    })
  }, [add])
  useEffect(() => {
    if (file) alt.current?.focus()
  }, [file])

  const drop = () => {
    setText('')
    setError(undefined)
    setFiles((waiting) => waiting.slice(1))
  }
  const cancel = () => {
    drop()
    const element = container.current
    if (element && files.length === 1) buttonBeside(element)?.focus()
  }
  async function insert() {
    if (!file || isSending) return
    if (text.trim() === '') {
      setError('Describe the image')
      return
    }
    setIsSending(true)
    setError(undefined)
    const { markdown, error: problem } = await upload(file, text.trim())
    setIsSending(false)
    const body = bodyOf(container.current)
    if (markdown === undefined || !body) {
      setError(problem)
      return
    }
    await insertParagraph(body, markdown, !hasCaret.current)
    drop()
  }
  const insertOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return
    // It would submit the post.
    event.preventDefault()
    void insert()
  }

  return (
    // Without a box of its own, so that what sticks in it stays in sight beside all of the text.
    <div ref={container} className="contents">
      <input
        ref={chooser}
        type="file"
        hidden
        multiple
        accept={formats.join(',')}
        aria-label="Insert an image"
        onChange={({ target }) => {
          add([...(target.files ?? [])])
          // Without this, choosing the same file again fires no change event.
          target.value = ''
        }}
      />
      <p className={`px-4 pb-4 lg:px-7 ${hintClass}`}>
        <span className="noscript:hidden">
          Paste or drop images into the text: JPEG, PNG, WebP or GIF, up to 8 MB.{' '}
        </span>
        <a href="/content/images" className="underline underline-offset-4">
          Image library
        </a>
      </p>
      <p role="alert" className={`px-4 lg:px-7 ${fieldErrorClass} empty:hidden not-empty:pb-4`}>
        {isRefused && 'Use a JPEG, PNG, WebP or GIF image.'}
      </p>
      {file && (
        // Sticks to the bottom of the window, however long the text is.
        <div className="sticky bottom-0 z-5 grid gap-1.5 border-t bg-background px-4 py-3 shadow-e2 lg:px-7">
          <label htmlFor={`${id}-alt`} className={`${labelClass} wrap-anywhere`}>
            Alt text for {file.name}
          </label>
          <input
            ref={alt}
            id={`${id}-alt`}
            value={text}
            onChange={({ target }) => setText(target.value)}
            maxLength={300}
            aria-describedby={`${id}-status`}
            aria-invalid={error ? true : undefined}
            onKeyDown={insertOnEnter}
            className={inputClass}
          />
          <p id={`${id}-status`} aria-live="polite" className={error ? fieldErrorClass : hintClass}>
            {error ?? (isSending ? 'Uploading…' : 'Describes the image to people who can’t see it.')}
          </p>
          <p className="flex flex-wrap gap-3">
            <button
              type="button"
              onClick={insert}
              aria-disabled={isSending || undefined}
              className={buttonVariants({ size: 'small' })}
            >
              Upload and insert
            </button>
            <button
              type="button"
              onClick={cancel}
              disabled={isSending}
              className={buttonVariants({ variant: 'outline', size: 'small' })}
            >
              Cancel
            </button>
          </p>
        </div>
      )}
    </div>
  )
}
