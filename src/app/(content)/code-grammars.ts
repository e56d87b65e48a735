import 'server-only'
import type { RegexEngine, ShikiPrimitive } from '@shikijs/types'
import { codeTheme } from './code-theme'
import type { Pause } from './pause'

/**
 * The grammars of shiki by the name that it gives them, with the names of languages in posts. Each is imported when a post first
 * has code in its language.
 */
const grammars = {
  css: { names: ['css'], load: () => import('@shikijs/langs/css') },
  diff: { names: ['diff'], load: () => import('@shikijs/langs/diff') },
  html: { names: ['html'], load: () => import('@shikijs/langs/html') },
  json: { names: ['json'], load: () => import('@shikijs/langs/json') },
  markdown: { names: ['markdown', 'md'], load: () => import('@shikijs/langs/markdown') },
  python: { names: ['py', 'python'], load: () => import('@shikijs/langs/python') },
  shellscript: { names: ['bash', 'sh', 'shell', 'zsh'], load: () => import('@shikijs/langs/shellscript') },
  sql: { names: ['sql'], load: () => import('@shikijs/langs/sql') },
  tsx: { names: ['cjs', 'javascript', 'js', 'jsx', 'mjs', 'tsx'], load: () => import('@shikijs/langs/tsx') },
  typescript: { names: ['ts', 'typescript'], load: () => import('@shikijs/langs/typescript') },
  yaml: { names: ['yaml', 'yml'], load: () => import('@shikijs/langs/yaml') },
}
export type GrammarName = keyof typeof grammars

const grammarByLanguage = new Map(
  (Object.keys(grammars) as GrammarName[]).flatMap((name) =>
    grammars[name].names.map((language) => [language, name] as const),
  ),
)
export const grammarOf = (language: string) => grammarByLanguage.get(language.toLowerCase())

/** Some patterns contain words of the code, so their number is unbounded. */
class PatternCache extends Map<string, RegExp | Error> {
  override set(pattern: string, compiled: RegExp | Error): this {
    return this.size < 5_000 ? super.set(pattern, compiled) : this
  }
}

function* patternsIn(rule: unknown): Generator<string> {
  if (typeof rule !== 'object' || rule === null) return
  for (const [key, value] of Object.entries(rule)) {
    if (typeof value !== 'string') yield* patternsIn(value)
    else if (['match', 'begin', 'end', 'while'].includes(key)) yield value
  }
}

let engine: RegexEngine | undefined

async function load(name: GrammarName, pause: Pause): Promise<ShikiPrimitive> {
  const [{ createShikiPrimitive }, { createJavaScriptRegexEngine }, { default: langs }] = await Promise.all([
    import('@shikijs/primitive'),
    import('@shikijs/engine-javascript'),
    grammars[name].load(),
  ])
  engine ??= createJavaScriptRegexEngine({ forgiving: true, cache: new PatternCache() })
  // Fills the cache: the first code would convert hundreds of patterns at once otherwise.
  for (const pattern of new Set(patternsIn(langs))) {
    engine.createScanner([pattern])
    await pause()
  }
  return createShikiPrimitive({ engine, langs, themes: [codeTheme], warnings: false })
}

const highlighters = new Map<GrammarName, Promise<ShikiPrimitive>>()

/**
 * One highlighter for each grammar: in a shared one, code in Markdown would be colored or not depending on what other posts
 * have loaded.
 */
export function loadHighlighter(name: GrammarName, pause: Pause): Promise<ShikiPrimitive> {
  const highlighter = highlighters.get(name) ?? load(name, pause)
  highlighters.set(name, highlighter)
  return highlighter
}
