'use client'

import type { ReactNode } from 'react'
import { useResult } from './form'

/** Shows its children unless the user had reauthenticated when the page was rendered, and still has. */
export function UnlessReauthenticated({
  isReauthenticated,
  fieldNames,
  children,
}: {
  isReauthenticated: boolean
  fieldNames: string[]
  children: ReactNode
}) {
  const result = useResult()
  const error = result?.ok === false ? result.error : undefined
  const isAsked = error?.code === 'reauth_required' || fieldNames.some((name) => error?.fields?.[name] !== undefined)
  return isReauthenticated && !isAsked ? null : children
}
