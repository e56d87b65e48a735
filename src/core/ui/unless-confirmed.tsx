'use client'

import type { ReactNode } from 'react'
import { useResult } from './form'

/** Shows its children if the session was not confirmed when the page was rendered, or is no longer. */
export function UnlessConfirmed({
  isConfirmed,
  fieldName,
  children,
}: {
  isConfirmed: boolean
  fieldName: string
  children: ReactNode
}) {
  const result = useResult()
  const error = result?.ok === false ? result.error : undefined
  const isAsked = error?.code === 'reauth_required' || error?.fields?.[fieldName] !== undefined
  return isConfirmed && !isAsked ? null : children
}
