import { appSlug } from '@/brand'
import type { Fields } from './editor-fields'

export interface StoredDraft {
  version: number
  fields: Fields
}

/** Unsaved text in `localStorage`, one key per user, post and tab, so that users and tabs never see each other's text. */
export function makeDraftStore(prefix: string) {
  let key = prefix
  const attempt = <T>(work: () => T): T | null => {
    try {
      return work()
    } catch {
      // Storage is full or disabled: the text is then only on the server.
      return null
    }
  }
  attempt(() => {
    const name = `${appSlug}.window`
    const window = sessionStorage.getItem(name) ?? crypto.randomUUID()
    sessionStorage.setItem(name, window)
    key = `${prefix}.${window}`
  })
  // A Web Lock held while this tab shows the post: an entry whose lock is free belongs to a closed tab.
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  navigator.locks?.request(key, () => released).catch(() => {})
  const read = (): StoredDraft | null => attempt(() => JSON.parse(localStorage.getItem(key) ?? 'null'))
  return {
    keep: (stored: StoredDraft) => attempt(() => localStorage.setItem(key, JSON.stringify(stored))) !== null,
    clear: () => attempt(() => localStorage.removeItem(key)),
    read,
    /** Moves the entry of a closed tab to this tab, unless this tab already has one. */
    async takeOver(): Promise<StoredDraft | null> {
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
    leave: release,
  }
}
