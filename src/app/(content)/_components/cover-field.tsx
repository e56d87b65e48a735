'use client'

import { useRouter } from 'next/navigation'
import { useId, useState } from 'react'
import { fieldErrorClass, hintClass, inputClass, labelClass } from '@/core/ui/control'

/** Sends a picture as soon as it is chosen. Needs scripts: a photograph is larger than a form may be. */
export function CoverField({ postId }: { postId: string }) {
  const router = useRouter()
  const id = useId()
  const [isSending, setIsSending] = useState(false)
  const [trouble, setTrouble] = useState<string>()

  async function send(file: File | undefined) {
    if (!file) return
    setIsSending(true)
    setTrouble(undefined)
    const answer = await fetch(`/api/content/posts/${postId}/cover`, { method: 'PUT', body: file }).catch(() => null)
    const problem = answer?.ok ? null : await answer?.json().catch(() => null)
    setIsSending(false)
    if (answer?.ok) return router.refresh()
    setTrouble(problem?.errors?.picture?.join('. ') ?? problem?.detail ?? 'It could not be sent. Try again')
  }

  return (
    <div className="grid gap-1.5 noscript:hidden">
      <label htmlFor={id} className={labelClass}>
        Picture
      </label>
      <input
        id={id}
        type="file"
        accept="image/jpeg,image/png,image/webp,image/gif,image/avif"
        aria-describedby={`${id}-hint`}
        aria-invalid={trouble ? true : undefined}
        aria-disabled={isSending || undefined}
        onChange={(event) => {
          if (!isSending) send(event.target.files?.[0])
          // The same one may be chosen again.
          event.target.value = ''
        }}
        className={inputClass}
      />
      <p id={`${id}-hint`} role="status" className={trouble ? fieldErrorClass : hintClass}>
        {trouble ?? (isSending ? 'Sending …' : 'JPEG, PNG, WebP, GIF or AVIF, at most 8 MB.')}
      </p>
    </div>
  )
}
