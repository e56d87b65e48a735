'use client'

import { useInBrowser } from '@/core/ui/use-in-browser'

/** Chooses every row of the table that it stands in, or none. Appears with JavaScript, without which it could do nothing. */
export function ChooseAll({ name }: { name: string }) {
  const hasScript = useInBrowser(() => true, false)
  if (!hasScript) return null
  return (
    <input
      type="checkbox"
      aria-label="Choose everybody on this page"
      className="size-4 align-middle accent-primary"
      onChange={({ currentTarget }) => {
        const rows = currentTarget.form?.querySelectorAll<HTMLInputElement>(`input[name="${name}"]:enabled`) ?? []
        for (const row of rows) row.checked = currentTarget.checked
      }}
    />
  )
}
