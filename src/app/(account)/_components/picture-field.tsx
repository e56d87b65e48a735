'use client'

import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Field } from '@/core/ui/form'

const side = 512
/** What fits into a form here, with room for the rest of it: next.config.ts says how much that is. */
const mostBytes = 60_000

/**
 * A field for a picture, beside the present one. With JavaScript, what was chosen is made small before it is sent, so a
 * large photograph will do, and shown; without, it is sent as it is.
 */
export function PictureField({ children }: { children: ReactNode }) {
  const input = useRef<HTMLInputElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const work = useRef<Promise<void>>(null)
  const [isShown, setIsShown] = useState(false)

  useEffect(() => {
    const form = input.current?.form
    const forget = () => setIsShown(false)
    const wait = (event: SubmitEvent) => {
      if (!work.current) return
      event.preventDefault()
      work.current.then(() => form?.requestSubmit(event.submitter))
    }
    form?.addEventListener('reset', forget)
    form?.addEventListener('submit', wait)
    return () => {
      form?.removeEventListener('reset', forget)
      form?.removeEventListener('submit', wait)
    }
  }, [])

  const shrinkChosen = () => {
    if (!input.current || !canvas.current) return
    const current = shrink(input.current, canvas.current)
      .then(setIsShown)
      .finally(() => {
        if (work.current === current) work.current = null
      })
    work.current = current
  }

  return (
    <div className="flex flex-wrap items-start gap-5">
      {!isShown && children}
      <canvas
        ref={canvas}
        width={side}
        height={side}
        hidden={!isShown}
        role="img"
        aria-label="The picture you have chosen"
        className="size-20 rounded-full"
      />
      <Field
        ref={input}
        label="Picture"
        name="picture"
        type="file"
        accept="image/jpeg,image/png,image/webp,image/gif,image/avif"
        hint="JPEG, PNG, WebP, GIF or AVIF. Without JavaScript, at most 60 kB"
        onChange={shrinkChosen}
        className="min-w-0 flex-1 basis-64"
      />
    </div>
  )
}

/** Puts the middle of the chosen picture on the canvas and a small copy into the field; false when it cannot be shown. */
async function shrink(input: HTMLInputElement, canvas: HTMLCanvasElement): Promise<boolean> {
  const file = input.files?.[0]
  if (!file) return false
  const picture = await createImageBitmap(file).catch(() => null)
  // Another one was chosen in the meantime, and is on its way.
  if (input.files?.[0] !== file) return false
  if (!picture) {
    // The app cannot read it either, and says so: the beginning is enough to tell.
    if (file.size > mostBytes) choose(input, file.slice(0, mostBytes, file.type), file.name)
    return false
  }
  const edge = Math.min(picture.width, picture.height)
  const context = canvas.getContext('2d')
  if (!context) return false
  context.fillStyle = 'white'
  context.fillRect(0, 0, side, side)
  context.drawImage(picture, (picture.width - edge) / 2, (picture.height - edge) / 2, edge, edge, 0, 0, side, side)
  picture.close()
  const small = await encode(canvas)
  if (input.files?.[0] !== file) return false
  if (small) choose(input, small, file.name)
  return true
}

/** As good as fits. A browser that cannot make WebP says so by making PNG, and is asked for JPEG. */
async function encode(canvas: HTMLCanvasElement): Promise<Blob | null> {
  const as = (type: string, quality: number) =>
    new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, quality))
  const type = (await as('image/webp', 0.1))?.type === 'image/webp' ? 'image/webp' : 'image/jpeg'
  for (const quality of [0.9, 0.7, 0.5, 0.3]) {
    const small = await as(type, quality)
    if (small && small.size <= mostBytes) return small
  }
  return as(type, 0.1)
}

function choose(input: HTMLInputElement, content: Blob, name: string): void {
  const choice = new DataTransfer()
  choice.items.add(new File([content], name, { type: content.type }))
  input.files = choice.files
}
