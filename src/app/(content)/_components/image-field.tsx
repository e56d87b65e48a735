'use client'

import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { buttonVariants, fieldErrorClass, hintClass, inputClass, labelClass } from '@/core/ui/control'
import { imageButton } from './editor/image-button'

const formats = ['image/jpeg', 'image/png', 'image/webp', 'image/gif']

const bodyOf = (element: Element | null) =>
  element?.closest('form')?.querySelector<HTMLTextAreaElement>('textarea[name="body"]')

/** The images in what was pasted or dropped. Copied text, from a table for example, often has a picture of itself: none then. */
const imagesIn = (data: DataTransfer | null) =>
  data && !data.types.includes('text/plain') ? [...data.files].filter(({ type }) => formats.includes(type)) : []

interface Listener {
  onButton(): void
  onImages(files: File[]): void
  onFocus(): void
}

const buttonBeside = (element: Element) => element.closest('form')?.querySelector<HTMLElement>(`[${imageButton}]`)

/**
 * Listens to the text and to the button of the toolbar, and keeps what is typed beside the text from the form. Returns the function
 * that ends this.
 */
function listen(beside: HTMLElement, body: HTMLTextAreaElement, { onButton, onImages, onFocus }: Listener): () => void {
  const listening = new AbortController()
  const { signal } = listening
  const take = (event: Event, data: DataTransfer | null) => {
    const images = imagesIn(data)
    if (images.length === 0) return
    event.preventDefault()
    onImages(images)
  }
  const allowDrop = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
  }
  buttonBeside(beside)?.addEventListener('click', onButton, { signal })
  body.addEventListener('paste', (event) => take(event, event.clipboardData), { signal })
  body.addEventListener('drop', (event) => take(event, event.dataTransfer), { signal })
  body.addEventListener('dragover', allowDrop, { signal })
  body.addEventListener('focus', onFocus, { signal })
  // These fields are no part of the post: the form must not save when they change.
  beside.addEventListener('input', (event) => event.stopPropagation(), { signal })
  return () => listening.abort()
}

/** Replaces the selection with a paragraph of its own. The event makes the editor save it. */
function insertParagraph(body: HTMLTextAreaElement, text: string): void {
  const before = body.value.slice(0, body.selectionStart)
  const gap = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n'
  body.setRangeText(`${gap}${text}\n\n`, body.selectionStart, body.selectionEnd, 'end')
  body.dispatchEvent(new Event('input', { bubbles: true }))
  body.focus()
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
  const [error, setError] = useState<string>()
  const [file] = files

  useEffect(() => {
    const element = container.current
    const body = bodyOf(element)
    if (!element || !body) return
    hasCaret.current = document.activeElement === body
    return listen(element, body, {
      onButton: () => chooser.current?.click(),
      onImages: (images) => setFiles((waiting) => [...waiting, ...images]),
      onFocus: () => {
        hasCaret.current = true
      },
    })
  }, [])
  useEffect(() => {
    if (file) alt.current?.focus()
  }, [file])

  const drop = () => {
    setError(undefined)
    setFiles((waiting) => waiting.slice(1))
  }
  const cancel = () => {
    drop()
    const element = container.current
    if (element && files.length === 1) buttonBeside(element)?.focus()
  }
  async function insert() {
    const text = alt.current?.value.trim() ?? ''
    if (!file || isSending) return
    if (text === '') {
      setError('Describe the image')
      return
    }
    setIsSending(true)
    setError(undefined)
    const { markdown, error: problem } = await upload(file, text)
    setIsSending(false)
    const body = bodyOf(container.current)
    if (markdown === undefined || !body) {
      setError(problem)
      return
    }
    if (!hasCaret.current) body.setSelectionRange(body.value.length, body.value.length)
    insertParagraph(body, markdown)
    drop()
  }
  const insertOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    // It would submit the post.
    event.preventDefault()
    void insert()
  }

  return (
    <div ref={container}>
      <input
        ref={chooser}
        type="file"
        hidden
        multiple
        accept={formats.join(',')}
        aria-label="Insert an image"
        onChange={({ target }) => {
          const chosen = [...(target.files ?? [])]
          setFiles((waiting) => [...waiting, ...chosen])
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
      {file && (
        // In sight, however long the text is.
        <div className="sticky bottom-0 z-5 grid gap-1.5 border-t bg-background px-4 py-3 shadow-e2 lg:px-7">
          <label htmlFor={`${id}-alt`} className={`${labelClass} wrap-anywhere`}>
            Alt text for {file.name}
          </label>
          <input
            key={`${files.length} ${file.name}`}
            ref={alt}
            id={`${id}-alt`}
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
