'use client'

import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Field } from './form'

const sizePx = 512
/** Leaves room for the other fields within the body size limit of next.config.ts. */
const maxBytes = 60_000

/**
 * A picture input next to the current picture. With JavaScript the chosen file is previewed and scaled down before it
 * is sent, so large photos work; without JavaScript it is sent unchanged.
 * @public For modules.
 */
export function PictureField({
  name,
  label,
  className = '',
  children,
}: {
  name: string
  label: string
  /** Of the preview, such as its shape. */
  className?: string
  children: ReactNode
}) {
  const input = useRef<HTMLInputElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const pendingShrink = useRef<Promise<void>>(null)
  const [hasPreview, setHasPreview] = useState(false)

  useEffect(() => {
    const form = input.current?.form
    const hidePreview = () => setHasPreview(false)
    let isWaiting = false
    const waitForShrink = (event: SubmitEvent) => {
      if (!pendingShrink.current) return
      event.preventDefault()
      // A second click is the same submit.
      if (isWaiting) return
      isWaiting = true
      pendingShrink.current.then(() => {
        isWaiting = false
        form?.requestSubmit(event.submitter)
      })
    }
    form?.addEventListener('reset', hidePreview)
    form?.addEventListener('submit', waitForShrink)
    return () => {
      form?.removeEventListener('reset', hidePreview)
      form?.removeEventListener('submit', waitForShrink)
    }
  }, [])

  const shrinkChosen = () => {
    if (!input.current || !canvas.current) return
    const current = shrink(input.current, canvas.current)
      .then(setHasPreview)
      .finally(() => {
        if (pendingShrink.current === current) pendingShrink.current = null
      })
    pendingShrink.current = current
  }

  return (
    <div className="flex flex-wrap items-start gap-5">
      {!hasPreview && children}
      <canvas
        ref={canvas}
        width={sizePx}
        height={sizePx}
        hidden={!hasPreview}
        role="img"
        aria-label={`Selected ${label.toLowerCase()}`}
        className={`size-16 ${className}`}
      />
      <Field
        ref={input}
        label={label}
        name={name}
        type="file"
        accept="image/jpeg,image/png,image/webp,image/gif"
        hint="JPEG, PNG, WebP or GIF. We’ll crop it to a square."
        onChange={shrinkChosen}
        className="min-w-0 flex-1 basis-64"
      />
    </div>
  )
}

/**
 * Crops the chosen picture to a centered square, draws it on the canvas, and puts a scaled-down copy into the input.
 * Returns false when there is nothing to preview.
 */
async function shrink(input: HTMLInputElement, canvas: HTMLCanvasElement): Promise<boolean> {
  const file = input.files?.[0]
  if (!file) return false
  const picture = await createImageBitmap(file).catch(() => null)
  // The user chose another file in the meantime; a later call handles that one.
  if (input.files?.[0] !== file) return false
  if (!picture) {
    // The server cannot decode it either and reports that. The first bytes are enough for it to tell.
    if (file.size > maxBytes) setFile(input, file.slice(0, maxBytes, file.type), file.name)
    return false
  }
  const edge = Math.min(picture.width, picture.height)
  const context = canvas.getContext('2d')
  if (!context) return false
  context.fillStyle = 'white'
  context.fillRect(0, 0, sizePx, sizePx)
  context.drawImage(picture, (picture.width - edge) / 2, (picture.height - edge) / 2, edge, edge, 0, 0, sizePx, sizePx)
  picture.close()
  const small = await encode(canvas)
  if (input.files?.[0] !== file) return false
  if (small) setFile(input, small, file.name)
  return true
}

/** The best quality that fits. A browser that cannot encode WebP returns PNG instead; then JPEG is used. */
async function encode(canvas: HTMLCanvasElement): Promise<Blob | null> {
  const encodeAs = (type: string, quality: number) =>
    new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, quality))
  const type = (await encodeAs('image/webp', 0.1))?.type === 'image/webp' ? 'image/webp' : 'image/jpeg'
  for (const quality of [0.9, 0.7, 0.5, 0.3]) {
    const small = await encodeAs(type, quality)
    if (small && small.size <= maxBytes) return small
  }
  return encodeAs(type, 0.1)
}

function setFile(input: HTMLInputElement, content: Blob, name: string): void {
  const transfer = new DataTransfer()
  transfer.items.add(new File([content], name, { type: content.type }))
  input.files = transfer.files
}
