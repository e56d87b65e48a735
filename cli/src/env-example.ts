import { mergeKeys } from './merge.ts'

const heading = /^# --- ([\w-]+) ---$/

/** Splits the text by owner; the part before the first heading belongs to ''. Joined again, the blocks give the same text. */
export function blocksOf(text: string): Map<string, string> {
  const blocks = new Map<string, string>()
  let owner = ''
  for (const line of text.split(/(?<=\n)/)) {
    owner = heading.exec(line.trimEnd())?.[1] ?? owner
    blocks.set(owner, (blocks.get(owner) ?? '') + line)
  }
  return blocks
}

const textOf = (blocks: Map<string, string>) => {
  const parts = [...blocks.values()].map((block) => block.trimEnd())
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

/** The file without the settings of these modules. */
export function withoutBlocks(text: string, modules: string[]): string {
  const blocks = blocksOf(text)
  for (const module of modules) blocks.delete(module)
  return textOf(blocks)
}

/** Merges block by block. A block that both the user and the template changed becomes a git conflict. */
export function mergeEnvExample(texts: { base: string; next: string; user: string }): { base: string; next: string } {
  const trimmed = (text: string) => new Map([...blocksOf(text)].map(([owner, block]) => [owner, block.trimEnd()]))
  const { base, next } = mergeKeys(trimmed(texts.base), trimmed(texts.next), trimmed(texts.user))
  // Without any change, the text stays byte-identical.
  const unchangedOr = (blocks: Map<string, string>) =>
    textOf(blocks) === textOf(trimmed(texts.user)) ? texts.user : textOf(blocks)
  return { base: unchangedOr(base), next: unchangedOr(next) }
}
