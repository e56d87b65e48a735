'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react'
import { ActionForm, FormMessage, SubmitButton } from './form'
import { withoutResult } from './result-params'

const visibleMilliseconds = 6_000
/** With a button, it must be reached with the keyboard first. */
const visibleWithUndoMilliseconds = 20_000
/** How soon it leaves once nobody points at it any more. */
const graceMilliseconds = 2_000

/**
 * Shows the result of the last action, which travels in the URL (result-params.ts). `read` turns the parameters into a text,
 * and null for values that it does not know. In a layout, because that keeps the live region on the page: what appears in it
 * is announced.
 * @public For the layouts of modules.
 */
export function ResultToast({
  read,
}: {
  read: (params: { get: (name: string) => string | null }) => { text: string; undo?: ReactNode } | null
}) {
  const params = useSearchParams()
  const result = read(params)
  return (
    <div role="status">
      {result && (
        <Toast key={params.toString()} milliseconds={result.undo ? visibleWithUndoMilliseconds : visibleMilliseconds}>
          <p className="min-w-0 flex-1">{result.text}</p>
          {result.undo}
        </Toast>
      )}
    </div>
  )
}

function Toast({ milliseconds, children }: { milliseconds: number; children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const leave = () => {
      if (element.current?.matches(':hover, :focus-within')) timer = setTimeout(leave, graceMilliseconds)
      // The router follows, and the toast is gone, also after a reload.
      else window.history.replaceState(null, '', withoutResult(window.location.pathname + window.location.search))
    }
    let timer = setTimeout(leave, milliseconds)
    return () => clearTimeout(timer)
  }, [milliseconds])
  return (
    <div ref={element} data-slot="toast">
      {children}
    </div>
  )
}

/**
 * The button that undoes what the toast reports. The action gets the token of the result as `undo`, and as `returnTo` the
 * page to show afterwards.
 * @public For the layouts of modules.
 */
export function UndoForm<Data>({
  action,
  token,
}: {
  action: ComponentProps<typeof ActionForm<Data>>['action']
  token: string
}) {
  const path = usePathname()
  const params = useSearchParams()
  return (
    <ActionForm action={action} className="flex flex-wrap items-center justify-end gap-2">
      <FormMessage isBoxed={false} className="font-medium text-destructive text-xs" />
      <input type="hidden" name="undo" value={token} />
      <input type="hidden" name="returnTo" value={withoutResult(`${path}?${params}`)} />
      <SubmitButton variant="outline" size="small" aria-keyshortcuts="z">
        Undo
      </SubmitButton>
    </ActionForm>
  )
}
