'use client'

import type { ReactNode } from 'react'
import { Field, SubmitButton, TextField, useResult } from '@/core/ui/form'
import { slugOf } from '../../slug'
import { control } from '../editor-fields'
import { useEditor, useText } from './editor-form'
import { findHeadings } from './text-facts'

const maxTags = 8
const maxSummary = 300

const PanelSection = ({ children }: { children: ReactNode }) => (
  <div className="grid grid-cols-1 gap-2 px-4.5 py-3.5">{children}</div>
)

/** The URL of the post. */
export function SlugField() {
  const { post, fields } = useEditor()
  return (
    <PanelSection>
      <Field
        label="URL slug"
        hint="Generated from the title if empty. Old URLs redirect."
        inside={
          <span className="pointer-events-none absolute inset-y-0 start-3 flex items-center text-base text-muted-foreground sm:text-sm">
            /posts/
          </span>
        }
        style={{ paddingInlineStart: 'calc(0.75rem + 3.75em)' }}
        maxLength={80}
        spellCheck={false}
        autoCapitalize="none"
        placeholder={slugOf(fields.title, post.id)}
        {...useText('slug')}
      />
    </PanelSection>
  )
}

/** When the post is published. `at` is the value of the field, in the time zone of the author. */
export function ScheduleField({ at, timeZone, hint }: { at: string; timeZone: string; hint: string }) {
  const result = useResult()
  if (useEditor().isConflict) return null
  const typed = result?.ok ? (result.data as { at?: string }).at : undefined
  return (
    <PanelSection>
      <Field
        key={at}
        label={`Publish on (${timeZone.replaceAll('_', ' ')})`}
        hint={hint}
        name="at"
        type="datetime-local"
        defaultValue={typed ?? at}
      />
      <SubmitButton name="step" value="schedule" variant="outline" size="small" className="justify-self-start">
        Schedule
      </SubmitButton>
    </PanelSection>
  )
}

export function TagsField() {
  const { fields } = useEditor()
  const tags = new Set(fields.tags.split(',').map((tag) => tag.trim().toLowerCase()))
  tags.delete('')
  return (
    <PanelSection>
      <Field
        label="Tags"
        hint="Separate with commas."
        maxLength={500}
        after={
          <span className="text-muted-foreground text-xs tabular-nums">
            {tags.size} of {maxTags}
          </span>
        }
        {...useText('tags')}
      />
    </PanelSection>
  )
}

export function SummaryField() {
  const { fields } = useEditor()
  return (
    <PanelSection>
      <TextField
        label="Summary"
        hint={`${fields.summary.length}/${maxSummary}. Shown in lists and search results. Defaults to the start of the body.`}
        rows={3}
        maxLength={maxSummary}
        {...useText('summary')}
      />
    </PanelSection>
  )
}

/** How the post may look in the results of a search engine. */
export function SearchPreview({ appName, host }: { appName: string; host: string }) {
  const { post, fields } = useEditor()
  return (
    <PanelSection>
      <h2 className="font-medium text-sm">Search preview</h2>
      <div className="wrap-anywhere text-sm">
        <p className="text-primary-text">
          {fields.title} · {appName}
        </p>
        <p className="text-muted-foreground text-xs">
          {host} › posts › {fields.slug || slugOf(fields.title, post.id)}
        </p>
        <p className="line-clamp-2 text-muted-foreground text-xs">{fields.summary}</p>
      </div>
    </PanelSection>
  )
}

/** The headings of the text; a click goes to one. Needs JavaScript. */
export function Outline() {
  const { fields, view, setView } = useEditor()
  const headings = findHeadings(fields.body)
  if (headings.length === 0) return null
  const highest = Math.min(...headings.map(({ level }) => level))
  const goTo = (form: HTMLFormElement | null, index: number) => {
    if (!form) return
    if (view === 'preview') setView('split')
    // After the text is visible. Its headings may have moved since the list was rendered.
    setTimeout(() => {
      const area = control(form, 'body') as unknown as HTMLTextAreaElement
      const at = findHeadings(area.value)[index]?.at ?? 0
      area.focus()
      area.setSelectionRange(at, at)
      const share = at / Math.max(1, area.value.length)
      const { top, height } = area.getBoundingClientRect()
      window.scrollTo({ top: window.scrollY + top + height * share - 120 })
    })
  }
  return (
    <PanelSection>
      <h2 className="font-medium text-sm">Outline</h2>
      <ul className="grid noscript:hidden">
        {headings.map(({ level, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they have no state, and their places change with every key
          <li key={index} style={{ paddingInlineStart: `${(level - highest) * 0.75}rem` }}>
            <button
              type="button"
              onClick={({ currentTarget }) => goTo(currentTarget.form, index)}
              className="wrap-anywhere min-h-6 text-start text-muted-foreground text-sm hover:text-foreground"
            >
              {text}
            </button>
          </li>
        ))}
      </ul>
    </PanelSection>
  )
}
