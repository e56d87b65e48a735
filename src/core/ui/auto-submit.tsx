'use client'

import { useEffect, useRef } from 'react'

/** Long enough to type on, short enough not to be noticed. */
const pauseMs = 300

/** A date, too: it changes with every digit of the year. */
const isText = (field: EventTarget | null) =>
  field instanceof HTMLInputElement && ['search', 'text', 'date'].includes(field.type)

function fieldsOf(form: HTMLFormElement, values: Record<string, string>) {
  return Object.entries(values).flatMap(([name, value]) => {
    const field = form.elements.namedItem(name)
    return field instanceof HTMLInputElement || field instanceof HTMLSelectElement ? [{ field, value }] : []
  })
}

/**
 * Submits the form around it as soon as a field changes, and a text after a pause in typing. `values` are those that the
 * page shows, by field: after a link has changed them, the fields follow. Without JavaScript the form needs a button.
 */
export function AutoSubmit({ values }: { values: Record<string, string> }) {
  const marker = useRef<HTMLInputElement>(null)
  const isReady = useRef(false)

  useEffect(() => {
    const form = marker.current?.form
    if (!form) return
    const listening = new AbortController()
    const { signal } = listening
    let timer: ReturnType<typeof setTimeout> | undefined
    const submit = () => {
      clearTimeout(timer)
      form.requestSubmit()
    }
    const listen = <Type extends keyof HTMLElementEventMap>(
      type: Type,
      handle: (event: HTMLElementEventMap[Type]) => void,
    ) => form.addEventListener(type, handle, { signal })
    listen('input', ({ target }) => {
      if (!isText(target)) return
      clearTimeout(timer)
      timer = setTimeout(submit, pauseMs)
    })
    listen('change', ({ target }) => {
      if (!isText(target)) submit()
    })
    // A browser submits a form with several fields on Enter only if it has a button.
    listen('keydown', (event) => {
      if (event.key !== 'Enter' || event.isComposing || !isText(event.target)) return
      event.preventDefault()
      submit()
    })
    // Keeps unset filters out of the URL.
    listen('formdata', ({ formData }) => {
      for (const [name, value] of [...formData]) if (value === '') formData.delete(name)
    })
    // The browser closes a menu only for a click outside of it.
    listen('click', ({ target }) => {
      if (target instanceof Element && target.closest('a'))
        target.closest<HTMLElement>('[popover]:popover-open')?.hidePopover()
    })
    return () => {
      clearTimeout(timer)
      listening.abort()
    }
  }, [])

  useEffect(() => {
    const form = marker.current?.form
    if (!form) return
    const changed = fieldsOf(form, values).filter(({ field, value }) => field.value !== value)
    if (isReady.current) {
      // The user may type on while the page loads.
      for (const { field, value } of changed) if (field !== document.activeElement) field.value = value
    } else {
      isReady.current = true
      // Chosen or typed before this script ran.
      if (changed.length > 0) form.requestSubmit()
    }
  }, [values])

  return <input ref={marker} type="hidden" disabled />
}
