// Prints the ten slowest tests named in the output of a run, which it reads from standard input.
import { readFileSync } from 'node:fs'

/** How each runner writes the time of a test: Playwright, the security suite, node:test, Vitest. */
const formats = [
  /^\s+✓\s+\d+ \[[^\]]+\] › (.+) \(([\d.]+)(ms|s|m)\)$/,
  /^\s+(?:ok|FAIL)\s+([HP]-\d+ .+) \[([\d.]+) (s)\]$/,
  /^\s*✔ (.+) \(([\d.]+)(ms)\)$/,
  /^\s{3}✓ (.+) ([\d.]+)(ms)$/,
  /^(?:ok|caught)\s+(.+) \[([\d.]+) (s)\]$/,
]
const inSeconds = { ms: 0.001, s: 1, m: 60 }

const tests = readFileSync(0, 'utf8')
  .split('\n')
  .flatMap((line) => {
    const match = formats.map((format) => format.exec(line)).find(Boolean)
    return match ? [{ name: match[1], seconds: Number(match[2]) * inSeconds[match[3]] }] : []
  })
  .sort((a, b) => b.seconds - a.seconds)

for (const { name, seconds } of tests.slice(0, 10))
  process.stdout.write(`${seconds.toFixed(1).padStart(7)} s  ${name}\n`)
