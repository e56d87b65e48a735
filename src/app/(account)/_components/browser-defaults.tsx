'use client'

import { useEffect, useRef } from 'react'

/**
 * Selects the time zone and the language of the browser in the form around it, for a user who has chosen none. Without
 * JavaScript the user chooses from the whole list.
 */
export function BrowserDefaults() {
  const marker = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    const form = marker.current?.closest('form')
    const select = (name: string, value: string) => {
      const field = form?.elements.namedItem(name)
      // Not if the user was faster, and not if the server does not know the value.
      if (!(field instanceof HTMLSelectElement) || field.value !== '') return
      if ([...field.options].some((option) => option.value === value)) field.value = value
    }
    select('timeZone', Intl.DateTimeFormat().resolvedOptions().timeZone)
    select('locale', navigator.language)
  }, [])
  return (
    <p ref={marker} className="text-muted-foreground text-xs">
      Save to use the time zone for all dates and times.
    </p>
  )
}
