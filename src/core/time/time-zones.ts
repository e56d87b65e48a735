/**
 * The name of a time zone as this server calls it, or null if it does not know the zone. Browsers may use another name for
 * the same zone: Asia/Kolkata and Asia/Calcutta.
 */
export function canonicalTimeZone(name: string): string | null {
  // Without this, an offset such as "+01:00" would be accepted, which does not follow daylight saving time.
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(name)) return null
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return null
  }
}

/**
 * All time zones, by region: `['Europe', ['Europe/Amsterdam', …]]`. Those without a region are in "Other". `chosen` is listed
 * in any case: it may be another name of one of them.
 */
export function listTimeZones(chosen?: string | null): [region: string, names: string[]][] {
  const names = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', ...(chosen ? [chosen] : [])])
  const regionOf = (name: string) => (name.includes('/') ? (name.split('/')[0] ?? '') : 'Other')
  return [...Map.groupBy([...names].sort(), regionOf)].sort(([a], [b]) => a.localeCompare(b, 'en'))
}
