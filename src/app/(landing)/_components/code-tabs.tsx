import { Fragment, type ReactNode } from 'react'
import { content } from '../content'

const token = /('[^']*')|\b(export|const|async|await)\b|\w+(?=\()/g

/** Marks keywords, and strings and calls. */
function highlight(line: string): ReactNode[] {
  const parts: ReactNode[] = []
  let end = 0
  for (const match of line.matchAll(token)) {
    const Tag = match[2] ? 'i' : 'b'
    parts.push(line.slice(end, match.index), <Tag key={match.index}>{match[0]}</Tag>)
    end = match.index + match[0].length
  }
  return [...parts, line.slice(end)]
}

/** Files in tabs, without JavaScript: radio buttons choose, CSS shows (see page-style.tsx). */
export function CodeTabs() {
  const examples: readonly { file: string; code: readonly string[]; mark: string }[] = content.examples
  return (
    <div data-slot="code" className="min-w-0 self-start overflow-hidden rounded-lg">
      <fieldset className="flex min-w-0 overflow-x-auto border-border-strong border-b px-2 text-[0.8125rem]">
        <legend className="sr-only">File</legend>
        {examples.map(({ file }, index) => (
          <label key={file} className="relative whitespace-nowrap">
            <input type="radio" name="example" value={index} defaultChecked={index === 0} className="sr-only" />
            {file}
          </label>
        ))}
      </fieldset>
      {examples.map(({ file, code, mark }, index) => (
        <div key={file} data-tab={index} style={{ minHeight: '13rem' }}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: code that scrolls must be reachable by keyboard */}
          <pre tabIndex={0} className="overflow-x-auto p-5 font-mono text-[0.8125rem] leading-6">
            <code>
              {code.map((line) => (
                <Fragment key={line}>
                  {line.includes(mark) ? (
                    <mark>{highlight(line)}</mark>
                  ) : (
                    <span className="block">{highlight(line)}</span>
                  )}
                </Fragment>
              ))}
            </code>
          </pre>
        </div>
      ))}
    </div>
  )
}
