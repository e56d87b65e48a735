'use client'

import { type ReactNode, useEffect, useId, useRef } from 'react'
import { fieldErrorClass } from '@/core/ui/control'
import { useResult } from '@/core/ui/form'
import type { Fields } from '../editor-fields'
import { applyEdit, selectedIn } from './apply-edit'
import { useEditor, useText } from './editor-form'
import { continueLine, type Edit, type Format, format, indentItem, pasteLink } from './markdown-edit'
import { MirroredText } from './mirrored-text'
import { hasCommandKey, isComposing } from './use-editor-keys'

/** The title and the text. Both are plain fields: they work without JavaScript. */
export function WritingPane({ toolbar, footer }: { toolbar: ReactNode; footer: ReactNode }) {
  const { view } = useEditor()
  const container = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = container.current
    const area = element?.querySelector('textarea')
    const bar = element?.querySelector<HTMLElement>('[role="toolbar"]')
    if (!element || !area || !bar) return
    const listening = new AbortController()
    const { signal } = listening
    bar.addEventListener('click', (event) => onToolbarClick(event, area), { signal })
    bar.addEventListener('keydown', (event) => moveInToolbar(event, bar), { signal })
    area.addEventListener('keydown', (event) => onTextKey(event, area), { signal })
    area.addEventListener('paste', (event) => linkSelection(event, area), { signal })
    return () => listening.abort()
  }, [])
  return (
    <section ref={container} aria-label="Text" className={view === 'preview' ? 'hidden' : 'min-w-0'}>
      {toolbar}
      <BareField name="title" label="Title">
        {(props) => (
          <input
            {...props}
            maxLength={200}
            required
            placeholder="Title"
            className="w-full bg-transparent px-4 pt-5 pb-2 font-semibold text-[1.625rem] leading-8 tracking-[-0.025em] outline-none placeholder:text-faint lg:px-7"
          />
        )}
      </BareField>
      <BareField name="body" label="Body">
        {(props) => <MirroredText {...props} />}
      </BareField>
      {footer}
    </section>
  )
}

interface TextProps {
  id: string
  name: string
  defaultValue: string
  readOnly: boolean
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}

/** A field without a border. Its label is for assistive technology. */
function BareField({
  name,
  label,
  children,
}: {
  name: keyof Fields
  label: string
  children: (props: TextProps) => ReactNode
}) {
  const id = useId()
  const { defaultValue, ...text } = useText(name)
  const result = useResult()
  const failure = result?.ok === false ? result : undefined
  const errors = failure?.error.fields?.[name] ?? []
  const isInvalid = errors.length > 0
  return (
    <>
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      {children({
        ...text,
        id,
        defaultValue: failure?.values?.[name] ?? defaultValue,
        'aria-invalid': isInvalid || undefined,
        'aria-describedby': isInvalid ? `${id}-error` : undefined,
      })}
      {isInvalid && (
        <p id={`${id}-error`} className={`px-4 pb-2 lg:px-7 ${fieldErrorClass}`}>
          {errors.join('. ')}
        </p>
      )}
    </>
  )
}

function onToolbarClick({ target }: Event, area: HTMLTextAreaElement): void {
  const button = target instanceof Element ? target.closest<HTMLElement>('[data-format]') : null
  if (button) applyEdit(area, format(button.dataset.format as Format, selectedIn(area)))
}

/** The toolbar is one stop for Tab. */
function moveInToolbar(event: KeyboardEvent, bar: HTMLElement): void {
  const buttons = [...bar.querySelectorAll<HTMLElement>('button')]
  const current = buttons.indexOf(document.activeElement as HTMLElement)
  const isRtl = getComputedStyle(bar).direction === 'rtl'
  const last = buttons.length - 1
  const steps: Record<string, number> = {
    ArrowRight: current + (isRtl ? -1 : 1),
    ArrowLeft: current + (isRtl ? 1 : -1),
    Home: 0,
    End: last,
  }
  const next = steps[event.key]
  if (next === undefined || current === -1) return
  event.preventDefault()
  const target = buttons[next < 0 ? last : next > last ? 0 : next]
  for (const button of buttons) button.tabIndex = button === target ? 0 : -1
  target?.focus()
}

const formatKeys: Record<string, Format> = { b: 'bold', i: 'italic', k: 'link', e: 'code' }
/** With Shift, by the key itself: the character depends on the keyboard layout. */
const lineKeys: Record<string, Format> = { Digit7: 'numbers', Digit8: 'bullets', Digit9: 'quote' }

function editOf(event: KeyboardEvent, area: HTMLTextAreaElement): Edit | null {
  const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event
  const selected = selectedIn(area)
  if (hasCommandKey(event)) {
    const kind = altKey ? undefined : shiftKey ? lineKeys[code] : formatKeys[key.toLowerCase()]
    return kind ? format(kind, selected) : null
  }
  if (altKey || ctrlKey || metaKey) return null
  if (key === 'Enter' && !shiftKey) return continueLine(selected)
  return key === 'Tab' ? indentItem(shiftKey, selected) : null
}

function onTextKey(event: KeyboardEvent, area: HTMLTextAreaElement): void {
  if (isComposing(event) || area.readOnly) return
  const edit = editOf(event, area)
  if (!edit) return
  event.preventDefault()
  applyEdit(area, edit)
}

function linkSelection(event: ClipboardEvent, area: HTMLTextAreaElement): void {
  const edit = pasteLink(event.clipboardData?.getData('text/plain') ?? '', selectedIn(area))
  if (!edit || event.defaultPrevented) return
  event.preventDefault()
  applyEdit(area, edit)
}
