import type { savePost } from '../actions'

export const names = ['title', 'slug', 'summary', 'tags', 'body'] as const
export type Fields = Record<(typeof names)[number], string>

/** How it stands with what somebody writes. */
export type State =
  | { is: 'untouched' }
  | { is: 'waiting' }
  | { is: 'saving' }
  | { is: 'saved'; at: Date }
  | { is: 'offline' }
  | { is: 'refused'; why: string }
  | { is: 'conflict' }

interface Kept {
  version: number
  fields: Fields
}

const pause = 1_000
const untilNextTry = 5_000

const same = (one: Fields, other: Fields | null) => names.every((name) => one[name] === other?.[name])

/**
 * Saves what is written in a form, a moment after each pause, over the version that was opened. Until the server has it, it
 * is kept in this browser as well: a closed tab, a lost network and an ended session lose nothing.
 */
export function startAutosave(
  form: HTMLFormElement,
  {
    id,
    save,
    tell,
    ...post
  }: {
    id: string
    version: number
    fields: Fields
    save: typeof savePost
    tell: (state: State, version: number) => void
  },
) {
  const key = `plinth.post.${id}`
  let { version } = post
  /** What the server has, as far as is known here. */
  let saved: Fields | null = post.fields
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> | null = null
  let isStopped = false
  let isConflict = false

  const control = (name: string) => form.elements.namedItem(name) as HTMLInputElement
  const read = () => Object.fromEntries(names.map((name) => [name, control(name).value])) as Fields
  const say = (state: State) => {
    if (!isStopped) tell(state, version)
  }
  const keep = () => {
    try {
      localStorage.setItem(key, JSON.stringify({ version, fields: read() } satisfies Kept))
    } catch {
      // Full, or forbidden: then there is only the server.
    }
  }
  const forget = () => {
    try {
      localStorage.removeItem(key)
    } catch {}
  }
  const later = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(run, ms)
  }
  const stand = () => {
    isConflict = true
    clearTimeout(timer)
    say({ is: 'conflict' })
  }

  async function send(): Promise<void> {
    const fields = read()
    say({ is: 'saving' })
    const answer = await save({ id, version, ...fields }).catch(() => null)
    if (isStopped) return
    if (!answer || (!answer.ok && answer.error.code === 'unavailable')) {
      later(untilNextTry)
      return say({ is: 'offline' })
    }
    if (!answer.ok) {
      if (answer.error.code === 'conflict') return stand()
      const facts = Object.values(answer.error.fields ?? {}).flat()
      return say({ is: 'refused', why: [answer.error.message, ...facts].join('. ') })
    }
    version = answer.data.version
    saved = fields
    if (same(read(), saved)) {
      forget()
      return say({ is: 'saved', at: new Date(answer.data.savedAt) })
    }
    keep()
    later(pause)
    say({ is: 'waiting' })
  }

  function run(): void {
    clearTimeout(timer)
    if (running || isConflict || isStopped) return
    running = send().finally(() => {
      running = null
    })
  }

  const changed = () => {
    keep()
    if (isConflict) return
    say({ is: 'waiting' })
    later(pause)
  }
  /** Whoever presses a button sends the text with it: what is on its way comes first, or it would look like somebody else's. */
  const submitted = (event: SubmitEvent) => {
    clearTimeout(timer)
    if (!running) return
    event.preventDefault()
    const { submitter } = event
    running.then(() => form.requestSubmit(submitter))
  }
  form.addEventListener('input', changed)
  form.addEventListener('submit', submitted)
  window.addEventListener('online', run)

  /** What this browser kept the last time. */
  function bringBack(): void {
    let kept: Kept | null = null
    try {
      kept = JSON.parse(localStorage.getItem(key) ?? 'null')
    } catch {}
    if (!kept) return
    if (same(kept.fields, saved)) {
      forget()
      return
    }
    for (const name of names) control(name).value = kept.fields[name] ?? ''
    if (kept.version === version) later(0)
    else {
      version = kept.version
      saved = null
      stand()
    }
  }
  bringBack()

  return {
    /** What the page knows of the server's text, whenever it is made anew. */
    serverHas(now: { version: number; fields: Fields }): void {
      if (now.version <= version) return
      const isAsWritten = same(now.fields, read())
      if (!isAsWritten && !same(now.fields, saved)) {
        stand()
        return
      }
      version = now.version
      saved = now.fields
      isConflict = false
      if (isAsWritten) {
        forget()
        say({ is: 'saved', at: new Date() })
      } else later(0)
    },
    stand,
    stop(): void {
      isStopped = true
      clearTimeout(timer)
      form.removeEventListener('input', changed)
      form.removeEventListener('submit', submitted)
      window.removeEventListener('online', run)
    },
  }
}
