import { styleText } from 'node:util'

const isColourful = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR

export const strong = (text: string) => (isColourful ? styleText('bold', text) : text)

/** Where the answer goes: words for people, or with --json one object for programs. */
export interface Voice {
  say: (...lines: string[]) => void
  result: (facts: Record<string, unknown>) => void
}

export function voiceFor(isJson: boolean): Voice {
  return {
    say: (...lines) => {
      if (!isJson) for (const line of lines) process.stdout.write(`${line}\n`)
    },
    result: (facts) => {
      if (isJson) process.stdout.write(`${JSON.stringify(facts, null, 2)}\n`)
    },
  }
}

export const listOf = (paths: string[], most = 12) => [
  ...paths.slice(0, most).map((path) => `  ${path}`),
  ...(paths.length > most ? [`  and ${paths.length - most} more`] : []),
]
