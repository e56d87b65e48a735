import type { Route } from 'next'

/** The URL of the inbox with these parameters; empty ones are left out. */
export const inboxUrl = (params: Record<string, string>) =>
  `/dev/inbox?${new URLSearchParams(Object.entries(params).filter(([, value]) => value !== ''))}` as Route
