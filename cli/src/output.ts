import { styleText } from 'node:util'

const hasColor = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR

export const bold = (text: string) => (hasColor ? styleText('bold', text) : text)

/** The output of a command: lines of text, or one JSON object with --json. */
export interface Output {
  print: (...lines: string[]) => void
  result: (data: Record<string, unknown>) => void
  /** A line that replaces the one before in a terminal; elsewhere only now and then, so that a log stays short. */
  progress?: (line: string) => void
}

export function createOutput(isJson: boolean): Output {
  let lastLine = 0
  return {
    progress: (line) => {
      if (isJson) return
      if (process.stdout.isTTY) process.stdout.write(`\r${line}\u001b[K`)
      else if (Date.now() - lastLine > 10_000) {
        lastLine = Date.now()
        process.stdout.write(`${line}\n`)
      }
    },
    print: (...lines) => {
      if (!isJson) for (const line of lines) process.stdout.write(`${line}\n`)
    },
    result: (data) => {
      if (isJson) process.stdout.write(`${JSON.stringify(data, null, 2)}\n`)
    },
  }
}

export const formatList = (paths: string[], max = 12) => [
  ...paths.slice(0, max).map((path) => `  ${path}`),
  ...(paths.length > max ? [`  and ${paths.length - max} more`] : []),
]
