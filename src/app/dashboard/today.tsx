'use client'

import { useEffect } from 'react'
import { type TimePreferences, timeFormatFor } from '@/core/time/time-format'
import { useInBrowser } from '@/core/ui/use-in-browser'
import { rememberBrowser } from './actions'

const browserPreferences = () => ({
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  locale: navigator.language,
})

/**
 * Today's date where the user is. A user who has not chosen a time zone gets that of the browser. With `shouldRemember` it is
 * stored, for times that the server formats.
 */
export function Today({
  onServer,
  preferences,
  shouldRemember,
}: {
  onServer: string
  preferences: TimePreferences
  shouldRemember: boolean
}) {
  useEffect(() => {
    // If that fails, for example because the user leaves the page, the next visit tries again.
    if (shouldRemember) rememberBrowser(browserPreferences()).catch(() => {})
  }, [shouldRemember])
  const format = () => timeFormatFor(preferences.timeZone ? preferences : browserPreferences())
  return useInBrowser(() => format().weekday(new Date()), onServer)
}
