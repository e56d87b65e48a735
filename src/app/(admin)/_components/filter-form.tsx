'use client'

import Form from 'next/form'
import { type ReactNode, useEffect, useRef } from 'react'

/** Typed text is applied after a pause, because every listing is recorded in the audit log. */
const pauseMs = 250

const isChanged = (control: Element) =>
  control instanceof HTMLInputElement &&
  (control.value !== control.defaultValue || control.checked !== control.defaultChecked)

/** A filter of the user list. With JavaScript it applies itself, and without it has a button in `noscript`. */
export function FilterForm({ className, children }: { className?: string; children: ReactNode }) {
  const form = useRef<HTMLFormElement>(null)
  const timer = useRef<number>(undefined)
  const isReady = useRef(false)
  // After every render of the list.
  useEffect(() => {
    const element = form.current
    if (!element) return
    if (isReady.current) {
      // A link or the back button may have changed the filter. What the user is changing here stays.
      if (!element.contains(document.activeElement)) element.reset()
    } else {
      isReady.current = true
      // Typed or chosen before this script ran.
      if ([...element.elements].some(isChanged)) element.requestSubmit()
    }
  })
  useEffect(() => () => window.clearTimeout(timer.current), [])
  return (
    <Form
      ref={form}
      action="/admin/users"
      replace
      scroll={false}
      prefetch={false}
      autoComplete="off"
      className={className}
      onChange={({ currentTarget, target }) => {
        window.clearTimeout(timer.current)
        const isTyped = target instanceof HTMLInputElement && target.type === 'search'
        timer.current = window.setTimeout(() => currentTarget.requestSubmit(), isTyped ? pauseMs : 0)
      }}
      onSubmit={() => window.clearTimeout(timer.current)}
    >
      {children}
    </Form>
  )
}
