'use client'

import { usePathname, useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'

const intervalMilliseconds = 3_000

async function fetchCount(): Promise<number | null> {
  try {
    const response = await fetch('/dev/inbox/unread')
    return response.ok ? (await response.json()).count : null
  } catch {
    // The server restarts, or the user leaves the page.
    return null
  }
}

/** The number of unread emails. Asks again and again, because an email arrives after the page that caused it has loaded. */
export function UnreadCount({ initial }: { initial: number }) {
  const [count, setCount] = useState(initial)
  const router = useRouter()
  const isInbox = usePathname() === '/dev/inbox'
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let hasLeft = false
    // The next request starts after the response, so that a slow server gets one at a time.
    const wait = () => {
      timer = setTimeout(ask, intervalMilliseconds)
    }
    const ask = async () => {
      const current = document.visibilityState === 'visible' ? await fetchCount() : null
      if (hasLeft) return
      wait()
      if (current === null || current === count) return
      setCount(current)
      // Not while an email is open: a refresh would undo the click on another view of it.
      if (isInbox && !location.search.includes('mail=')) router.refresh()
    }
    wait()
    return () => {
      hasLeft = true
      clearTimeout(timer)
    }
  }, [count, isInbox, router])
  if (count === 0) return null
  return (
    <span className="rounded-full bg-primary px-1.5 text-primary-foreground tabular-nums">
      {count}
      <span className="sr-only"> unread</span>
    </span>
  )
}
