import type { ImportRename, Release } from './src/snapshot.ts'

/** The releases of CHANGELOG.md, newest first, with what `upgrade` tells and does about them. */
export function readReleases(changelog: string): Release[] {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const version = /^\d+\.\d+\.\d+/.exec(section)?.[0] ?? ''
      const breaking = section.split(/^### /m).find((part) => part.startsWith('Breaking\n')) ?? ''
      return { version, breaking: withoutTables(breaking.slice('Breaking\n'.length)), imports: importsIn(breaking) }
    })
    .filter(({ version }) => version !== '')
}

/** The text without its tables, and without the lines that introduce them. */
const withoutTables = (text: string) =>
  text
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.trim())
    .filter(
      (paragraph, index, all) => paragraph && !paragraph.startsWith('|') && !isIntroduction(paragraph, all[index + 1]),
    )
    .map((paragraph) => paragraph.replaceAll('\n', ' ').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1'))
    .join('\n\n')

const isIntroduction = (paragraph: string, next = '') =>
  next.trim().startsWith('|') && paragraph.endsWith(':') && !paragraph.includes('\n') && paragraph.length < 80

/** The rows of the tables of renamed imports: "| `old` | `new` | `one` → `other`, … |", or "| `old`: `some`, `exports` | …". */
function importsIn(text: string): ImportRename[] {
  const rows = [...text.matchAll(/^\| (`(?:@\/|tests\/)[^|]*) \| ([^|]+) \| ?([^|]*)\|$/gm)]
  return rows.map(([, old = '', next = '', names = '']) => {
    const [from = '', ...only] = codes(old)
    const exports = [...names.matchAll(/`(\w+)` → `(\w+)`/g)].map(([, name, renamed]) => [name, renamed])
    return {
      from,
      to: codes(next)[0] ?? from,
      exports: Object.fromEntries(exports),
      ...(only.length > 0 && { only }),
    }
  })
}

const codes = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
