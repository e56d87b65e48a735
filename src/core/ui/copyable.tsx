'use client'

import { type ReactNode, useRef, useState } from 'react'
import { useInBrowser } from './use-in-browser'

/** Text to copy. A button copies it where JavaScript runs and the clipboard is available. */
export function Copyable({
  children,
  className,
  buttonClassName,
}: {
  children: ReactNode
  className?: string
  buttonClassName: string
}) {
  const text = useRef<HTMLElement>(null)
  const [isCopied, setIsCopied] = useState(false)
  // Missing in an insecure context: a page over http from another machine.
  const canCopy = useInBrowser(() => 'clipboard' in navigator, false)
  const copy = async () => {
    await navigator.clipboard.writeText(text.current?.textContent ?? '')
    setIsCopied(true)
  }
  return (
    <div className="grid justify-items-start gap-3">
      <code ref={text} className={className}>
        {children}
      </code>
      {canCopy && (
        <button type="button" onClick={copy} className={buttonClassName}>
          <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
        </button>
      )}
    </div>
  )
}
