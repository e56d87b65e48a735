'use client'

import { useState } from 'react'
import { inputClass } from '@/core/ui/control'
import { matchesSearch, type OperationEntry } from '../match-operations'
import { methodColors } from './method-colors'

export interface ContentsGroup {
  title: string
  /** The anchor on the page. */
  id: string
  entries: OperationEntry[]
}

const linkClass = 'block py-0.5 font-medium hover:underline'

/**
 * The table of contents, with a search that narrows it while you type; Enter opens the first match. Without JavaScript the form
 * opens the page with the results.
 */
export function Contents({ groups }: { groups: ContentsGroup[] }) {
  const [text, setText] = useState('')
  const found = groups
    .map((group) => ({ ...group, entries: group.entries.filter((entry) => matchesSearch(entry, text)) }))
    .filter(({ entries }) => entries.length > 0)
  const isSearching = text.trim() !== ''
  return (
    <div className="grid gap-4 text-sm">
      <search>
        <form
          action="/docs/api/search"
          onSubmit={(event) => {
            event.preventDefault()
            const first = found[0]?.entries[0]
            if (first) location.hash = first.id
          }}
        >
          <input
            type="search"
            name="q"
            value={text}
            onChange={(event) => setText(event.target.value)}
            aria-label="Search endpoints"
            placeholder="Search endpoints…"
            maxLength={100}
            autoComplete="off"
            className={inputClass}
          />
        </form>
      </search>
      <ul className="grid gap-4">
        {!isSearching && (
          <li>
            <a href="#authenticate" className={linkClass}>
              Authentication
            </a>
          </li>
        )}
        {found.map(({ title, id, entries }) => (
          <li key={id} className="grid gap-0.5">
            <a href={`#${id}`} className={linkClass}>
              {title}
            </a>
            <ul className="grid gap-0.5 text-muted-foreground">
              {entries.map((entry) => (
                <li key={entry.id}>
                  <a
                    href={`#${entry.id}`}
                    title={entry.path}
                    className="flex items-baseline gap-2 py-0.5 hover:text-foreground hover:underline"
                  >
                    <span className={`w-11 shrink-0 font-mono text-[0.6875rem] ${methodColors[entry.method] ?? ''}`}>
                      {entry.method}
                    </span>{' '}
                    {entry.summary}
                  </a>
                </li>
              ))}
            </ul>
          </li>
        ))}
        {!isSearching &&
          [
            ['#errors', 'Errors'],
            ['#rate-limits', 'Rate limits'],
            ['/docs/api/calling', 'Calling the API'],
          ].map(([href, label]) => (
            <li key={href}>
              <a href={href} className={linkClass}>
                {label}
              </a>
            </li>
          ))}
      </ul>
      <p aria-live="polite" className="text-muted-foreground">
        {found.length === 0 && 'No endpoints match'}
      </p>
    </div>
  )
}
