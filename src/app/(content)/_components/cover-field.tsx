'use client'

import { useRouter } from 'next/navigation'
import { type ReactNode, useId, useState } from 'react'
import { fieldErrorClass, hintClass, inputClass, labelClass } from '@/core/ui/control'

/**
 * Uploads an image as soon as it is chosen. Needs JavaScript: a photo exceeds the body limit of server actions. The children show
 * the present cover.
 */
export function CoverField({ postId, children }: { postId: string; children: ReactNode }) {
  const router = useRouter()
  const id = useId()
  const [isSending, setIsSending] = useState(false)
  const [error, setError] = useState<string>()

  async function send(file: File | undefined) {
    if (!file) return
    setIsSending(true)
    setError(undefined)
    const response = await fetch(`/api/content/posts/${postId}/cover`, { method: 'PUT', body: file }).catch(() => null)
    const problem = response?.ok ? null : await response?.json().catch(() => null)
    setIsSending(false)
    if (response?.ok) return router.refresh()
    setError(problem?.errors?.picture?.join('. ') ?? problem?.detail ?? 'Upload failed. Try again.')
  }

  return (
    <>
      <label htmlFor={id} className={labelClass}>
        Cover image
      </label>
      {children}
      <input
        id={id}
        type="file"
        accept="image/jpeg,image/png,image/webp,image/gif"
        aria-describedby={`${id}-hint`}
        aria-invalid={error ? true : undefined}
        aria-disabled={isSending || undefined}
        onChange={(event) => {
          if (!isSending) send(event.target.files?.[0])
          // Without this, choosing the same file again fires no change event.
          event.target.value = ''
        }}
        className={`noscript:hidden ${inputClass}`}
      />
      <p id={`${id}-hint`} aria-live="polite" className={`noscript:hidden ${error ? fieldErrorClass : hintClass}`}>
        {error ?? (isSending ? 'Uploading…' : 'JPEG, PNG, WebP or GIF. Up to 8 MB.')}
      </p>
    </>
  )
}
