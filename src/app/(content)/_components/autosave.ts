import type { savePost } from '../actions'

export const names = ['title', 'slug', 'summary', 'tags', 'body'] as const
export type Fields = Record<(typeof names)[number], string>

/** How it stands with what somebody writes. */
export type State =
  | { is: 'untouched' }
  | { is: 'waiting' }
  | { is: 'saving' }
  | { is: 'saved'; at: Date }
  | { is: 'offline'; isKept: boolean }
  | { is: 'refused'; isKept: boolean; why: string }
  | { is: 'conflict' }

interface Kept {
  version: number
  fields: Fields
}

const pause = 1_000
const untilNextTry = 5_000

const same = (one: Fields, other: Fields | null) => names.every((name) => one[name] === other?.[name])

/** The newest version of each post that was saved from here: a page that comes back from the history knows an older one. */
export const savedVersions = new Map<string, number>()

/** A place for text in this browser: of one person, so that nobody else finds it, and of one window. */
function makePlace(prefix: string) {
  let key = prefix
  const attempt = <T>(work: () => T): T | null => {
    try {
      return work()
    } catch {
      // Full, or forbidden: then there is only the server.
      return null
    }
  }
  attempt(() => {
    const window = sessionStorage.getItem('plinth.window') ?? crypto.randomUUID()
    sessionStorage.setItem('plinth.window', window)
    key = `${prefix}.${window}`
  })
  // Held while this window shows the post: only what is kept under a name that nobody holds was left behind.
  let leave = () => {}
  const isOver = new Promise<void>((resolve) => {
    leave = resolve
  })
  navigator.locks?.request(key, () => isOver).catch(() => {})
  const read = (): Kept | null => attempt(() => JSON.parse(localStorage.getItem(key) ?? 'null'))
  return {
    keep: (kept: Kept) => attempt(() => localStorage.setItem(key, JSON.stringify(kept))) !== null,
    forget: () => attempt(() => localStorage.removeItem(key)),
    read,
    /** What a window kept that is gone; from now on it is this one's, unless this one has something to keep by now. */
    async takeOver(): Promise<Kept | null> {
      const locks = await navigator.locks?.query().catch(() => null)
      const isHeld = (name: string) => locks?.held?.some((lock) => lock.name === name)
      return attempt(() => {
        const from = Object.keys(localStorage).find((name) => name.startsWith(prefix) && !isHeld(name))
        if (!from || read()) return null
        localStorage.setItem(key, localStorage.getItem(from) ?? '')
        localStorage.removeItem(from)
        return read()
      })
    },
    leave,
  }
}

/**
 * Saves what is written in a form, a moment after each pause, over the version that was opened. Until the server has it, it
 * is kept in this browser as well: a closed tab, a lost network and an ended session lose nothing.
 */
export function startAutosave(
  form: HTMLFormElement,
  {
    id,
    userId,
    save,
    tell,
    ...post
  }: {
    id: string
    userId: string
    version: number
    fields: Fields
    save: typeof savePost
    tell: (state: State, version: number) => void
  },
) {
  const place = makePlace(`plinth.post.${userId}.${id}`)
  let { version } = post
  /** What the server has, as far as is known here. */
  let saved: Fields | null = post.fields
  /** Sent, and not answered: perhaps the server has it. It is sent again before anything newer, which would look like another's. */
  let unanswered: Fields | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<boolean> | null = null
  let isTouched = false
  let isKept = false
  let isConflict = false
  let isStopped = false
  let isPassing = false

  const control = (name: string) => form.elements.namedItem(name) as HTMLInputElement
  const read = () => Object.fromEntries(names.map((name) => [name, control(name).value])) as Fields
  const write = (fields: Fields) => {
    for (const name of names) control(name).value = fields[name] ?? ''
  }
  const say = (state: State) => {
    if (!isStopped) tell(state, version)
  }
  const keep = () => {
    isKept = place.keep({ version, fields: read() })
  }
  const later = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(flush, ms)
  }
  const stand = () => {
    isConflict = true
    clearTimeout(timer)
    say({ is: 'conflict' })
  }
  const settle = (fields: Fields, at: Date) => {
    saved = fields
    savedVersions.set(id, version)
    isTouched = !same(read(), fields)
    if (isTouched) keep()
    else place.forget()
    say(isTouched ? { is: 'waiting' } : { is: 'saved', at })
  }

  /** Whether the server has it now. */
  async function send(): Promise<boolean> {
    const fields = unanswered ?? read()
    unanswered = fields
    say({ is: 'saving' })
    const answer = await save({ id, version, ...fields }).catch(() => null)
    if (!answer || (!answer.ok && answer.error.code === 'unavailable')) {
      if (!isStopped) later(untilNextTry)
      say({ is: 'offline', isKept })
      return false
    }
    unanswered = null
    if (answer.ok) {
      version = answer.data.version
      settle(fields, new Date(answer.data.savedAt))
      return true
    }
    if (answer.error.code === 'conflict') stand()
    else {
      const facts = Object.values(answer.error.fields ?? {}).flat()
      say({ is: 'refused', isKept, why: [answer.error.message, ...facts].join('. ') })
    }
    return false
  }

  /** Until all that is written is saved, or something stands against it. */
  function flush(): Promise<boolean> {
    clearTimeout(timer)
    const all = async () => {
      while (isTouched && !isConflict) if (!(await send())) return false
      return !isConflict
    }
    running ??= all().finally(() => {
      running = null
    })
    return running
  }

  const changed = () => {
    isTouched = true
    keep()
    if (isConflict) return
    if (!running) say({ is: 'waiting' })
    later(pause)
  }
  /**
   * Whoever presses a button sends the text with it. What is not saved yet is saved first: without the server nothing is
   * sent, so nothing is lost, and what is on its way does not look like somebody else's. A text that is refused is sent all
   * the same, because the answer says what is wrong at its field.
   */
  const submitted = (event: SubmitEvent) => {
    control('version').value = String(version)
    if (isPassing || isConflict || (!isTouched && !running)) return
    event.preventDefault()
    const { submitter } = event
    flush().then((isSaved) => {
      if (isStopped || (!isSaved && unanswered) || isConflict) return
      isPassing = true
      form.requestSubmit(submitter)
      isPassing = false
    })
  }
  const back = () => void flush()
  form.addEventListener('input', changed)
  form.addEventListener('submit', submitted)
  window.addEventListener('online', back)

  const goOnWith = (kept: Kept) => {
    if (same(kept.fields, saved)) {
      place.forget()
      return
    }
    write(kept.fields)
    isTouched = true
    isKept = true
    if (kept.version === version) later(0)
    else {
      version = kept.version
      saved = null
      stand()
    }
  }
  const own = place.read()
  if (own) goOnWith(own)
  else
    place.takeOver().then((kept) => {
      if (kept && !isStopped) goOnWith(kept)
    })

  return {
    /** What the page knows of the server's text, whenever it is made anew. */
    serverHas(now: { version: number; fields: Fields }): void {
      if (now.version < version || (now.version === version && !isConflict)) return
      if (!isTouched) write(now.fields)
      const isAsWritten = same(now.fields, read())
      if (!isAsWritten && !same(now.fields, saved)) {
        stand()
        return
      }
      version = now.version
      isConflict = false
      settle(now.fields, new Date())
      if (isTouched) later(0)
    },
    stand,
    stop(): void {
      clearTimeout(timer)
      // Whoever goes to another page has not been waited for.
      if (isTouched && !isConflict) void flush()
      isStopped = true
      place.leave()
      form.removeEventListener('input', changed)
      form.removeEventListener('submit', submitted)
      window.removeEventListener('online', back)
    },
  }
}
