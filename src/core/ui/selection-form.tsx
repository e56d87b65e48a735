'use client'

import type { Route } from 'next'
import Form from 'next/form'
import { type ReactNode, useState } from 'react'
import { useInBrowser } from './use-in-browser'

const selectAllIn = (form: HTMLFormElement) => form.querySelector<HTMLInputElement>('[data-slot="select-all"]')

/**
 * The form around a table with checkboxes. Its buttons send the selected ids to a page that asks for confirmation. CSS shows
 * the bar and counts; JavaScript adds the checkbox for all rows, and says the count to screen readers. `action` is the
 * page of the first button, which Enter presses.
 */
export function SelectionForm({ action, children }: { action: Route; children: ReactNode }) {
  const [count, setCount] = useState(0)
  return (
    <Form
      action={action}
      prefetch={false}
      scroll={false}
      data-slot="selectable"
      // Nothing that is focused ends up under the table head, which sticks.
      className="[&_:is(a,button,input)]:scroll-mt-28!"
      onChange={({ currentTarget, target }) => {
        const rows = [...currentTarget.querySelectorAll<HTMLInputElement>('tbody [data-slot="select"]:enabled')]
        const all = selectAllIn(currentTarget)
        if (all && (target as EventTarget) === all) for (const row of rows) row.checked = all.checked
        const selected = rows.filter((row) => row.checked).length
        if (all) {
          all.checked = selected > 0 && selected === rows.length
          all.indeterminate = selected > 0 && selected < rows.length
        }
        setCount(selected)
      }}
      onReset={({ currentTarget }) => {
        const all = selectAllIn(currentTarget)
        if (all) all.indeterminate = false
        setCount(0)
        // The bar with the button that was pressed is gone.
        currentTarget.querySelector<HTMLElement>('tbody [data-slot="select"]:enabled')?.focus()
      }}
    >
      {children}
      <span aria-live="polite" className="sr-only">
        {count > 0 && `${count} selected`}
      </span>
    </Form>
  )
}

/** Checkbox that selects all rows, or none. Rendered only with JavaScript, which it needs. */
export function SelectAll() {
  const hasScript = useInBrowser(() => true, false)
  if (!hasScript) return <span className="block size-4" />
  return (
    <label className="relative -m-2 grid size-8 place-items-center">
      <input type="checkbox" data-slot="select-all" />
      <span className="sr-only">Select all on this page</span>
    </label>
  )
}
