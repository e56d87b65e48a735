'use client'

import { useRouter } from 'next/navigation'
import { useEffect } from 'react'

/** Loads the page again every few seconds, while it is shown. Without JavaScript, the browser itself reloads it. */
export function RefreshEvery({ seconds }: { seconds: number }) {
  const router = useRouter()
  useEffect(() => {
    const timer = setInterval(() => router.refresh(), seconds * 1_000)
    return () => clearInterval(timer)
  }, [router, seconds])
  return (
    <noscript>
      <meta httpEquiv="refresh" content={String(seconds)} />
    </noscript>
  )
}
