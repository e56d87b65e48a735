import { appSlug } from '@/brand'
import type { Result } from '@/core/action'
import type { SaveResult } from '../posts'
import { makeDraftStore, type StoredDraft } from './draft-store'
import { areEqual, control, type Fields, readFields, writeFields } from './editor-fields'

/** State of the autosave, as the editor shows it. */
export type State =
  | { status: 'untouched' }
  | { status: 'waiting' }
  | { status: 'saving' }
  | { status: 'saved'; at: Date }
  | { status: 'offline'; isStored: boolean }
  | { status: 'refused'; isStored: boolean; reason: string }
  | { status: 'conflict' }

type SaveInput = Fields & { id: string; version: number }
type SaveResponse = Result<SaveResult>

interface Options {
  id: string
  userId: string
  version: number
  fields: Fields
  save: (input: SaveInput) => Promise<SaveResponse>
  onChange: (state: State, version: number) => void
}

const saveDelayMs = 1_000
const retryDelayMs = 5_000

/** Newest version of each post that this tab has saved. A page restored by the back button may still hold an older one. */
export const savedVersions = new Map<string, number>()

/**
 * Saves the form after each typing pause, based on the version that was opened. Until the server has confirmed, a copy stays
 * in `localStorage`, so that a closed tab, a lost connection or an expired session loses no text.
 */
export class Autosave {
  private readonly store
  private version: number
  /** The fields that the server last confirmed. */
  private saved: Fields | null
  /** Sent without a response, so the server may have it. Resent before newer text, which would otherwise be a conflict. */
  private unconfirmed: Fields | null = null
  private timer: ReturnType<typeof setTimeout> | undefined
  private running: Promise<boolean> | null = null
  private isDirty = false
  private isStored = false
  private isConflict = false
  private isStopped = false
  private isSubmitting = false
  private isResubmitting = false
  private status: State['status'] = 'untouched'
  private readonly form: HTMLFormElement
  private readonly options: Options

  constructor(form: HTMLFormElement, options: Options) {
    this.form = form
    this.options = options
    this.version = options.version
    this.saved = options.fields
    this.store = makeDraftStore(`${appSlug}.post.${options.userId}.${options.id}`)
    form.addEventListener('input', this.onInput)
    form.addEventListener('submit', this.onSubmit)
    window.addEventListener('online', this.flush)
    window.addEventListener('beforeunload', this.onUnload)
    const ownDraft = this.store.read()
    if (ownDraft) this.restoreDraft(ownDraft)
    else {
      // Typed before this script ran.
      if (!areEqual(readFields(form), options.fields)) this.onInput()
      this.store.takeOver().then((stored) => {
        if (stored && !this.isStopped) this.restoreDraft(stored)
      })
    }
  }

  /** Called on each render with the post as the server has it. */
  onServerVersion(now: { version: number; fields: Fields }): void {
    if (this.running) {
      // The response to the save in flight may have caused this render, and says whether there is a conflict.
      this.running.then(() => this.onServerVersion(now))
      return
    }
    if (this.isStopped) return
    if (now.version < this.version || (now.version === this.version && !this.isConflict)) return
    if (!this.isDirty) writeFields(this.form, now.fields)
    const matchesForm = areEqual(now.fields, readFields(this.form))
    if (!matchesForm && !areEqual(now.fields, this.saved)) {
      this.markConflict()
      return
    }
    this.version = now.version
    this.isConflict = false
    this.markSaved(now.fields, new Date())
    if (this.isDirty) this.scheduleFlush(0)
  }

  markConflict(): void {
    this.isConflict = true
    clearTimeout(this.timer)
    this.notify({ status: 'conflict' })
  }

  stop(): void {
    clearTimeout(this.timer)
    // The user navigated away before the pause was over: save now.
    if (this.isDirty && !this.isConflict) void this.flush()
    this.isStopped = true
    this.store.leave()
    this.form.removeEventListener('input', this.onInput)
    this.form.removeEventListener('submit', this.onSubmit)
    window.removeEventListener('online', this.flush)
    window.removeEventListener('beforeunload', this.onUnload)
  }

  private notify(state: State): void {
    this.status = state.status
    if (!this.isStopped) this.options.onChange(state, this.version)
  }

  private storeDraft(): void {
    this.isStored = this.store.keep({ version: this.version, fields: readFields(this.form) })
  }

  private restoreDraft(stored: StoredDraft): void {
    if (areEqual(stored.fields, this.saved)) {
      this.store.clear()
      return
    }
    writeFields(this.form, stored.fields)
    this.isDirty = true
    this.isStored = true
    if (stored.version === this.version) this.scheduleFlush(0)
    else {
      this.version = stored.version
      this.saved = null
      this.markConflict()
    }
  }

  private scheduleFlush(ms: number): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(this.flush, ms)
  }

  /** Saves until nothing is unsaved, or until a save fails. */
  private readonly flush = (): Promise<boolean> => {
    clearTimeout(this.timer)
    const saveAll = async () => {
      while (this.isDirty && !this.isConflict) if (!(await this.send())) return false
      return !this.isConflict
    }
    this.running ??= saveAll().finally(() => {
      this.running = null
    })
    return this.running
  }

  /** Returns whether the server has saved the fields. */
  private async send(): Promise<boolean> {
    const { id, save } = this.options
    const fields = this.unconfirmed ?? readFields(this.form)
    this.unconfirmed = fields
    this.notify({ status: 'saving' })
    const response = await save({ id, version: this.version, ...fields }).catch(() => null)
    if (!response || (!response.ok && response.error.code === 'unavailable')) {
      if (!this.isStopped) this.scheduleFlush(retryDelayMs)
      this.notify({ status: 'offline', isStored: this.isStored })
      return false
    }
    this.unconfirmed = null
    if (response.ok) {
      this.version = response.data.version
      this.markSaved(fields, new Date(response.data.savedAt))
      return true
    }
    if (response.error.code === 'conflict') this.markConflict()
    else {
      const reason = [response.error.message, ...Object.values(response.error.fields ?? {}).flat()].join('. ')
      this.notify({ status: 'refused', isStored: this.isStored, reason })
    }
    return false
  }

  private markSaved(fields: Fields, at: Date): void {
    this.saved = fields
    savedVersions.set(this.options.id, this.version)
    this.isDirty = !areEqual(readFields(this.form), fields)
    if (this.isDirty) this.storeDraft()
    else this.store.clear()
    this.notify(this.isDirty ? { status: 'waiting' } : { status: 'saved', at })
  }

  private readonly onInput = () => {
    // A field that is not part of the text, such as the time to publish.
    if (!this.isDirty && areEqual(readFields(this.form), this.saved)) return
    this.isDirty = true
    this.storeDraft()
    if (this.isConflict) return
    // Not for every key: the editor is rendered each time.
    if (!this.running && this.status !== 'waiting') this.notify({ status: 'waiting' })
    this.scheduleFlush(saveDelayMs)
  }

  /** The browser asks whether to leave if the text would be lost. */
  private readonly onUnload = (event: BeforeUnloadEvent) => {
    if (this.isDirty && !this.isStored) event.preventDefault()
  }

  /**
   * A submit sends the text as well, so unsaved text is saved first: while offline nothing is submitted and nothing is lost,
   * and a save in flight does not turn into a conflict. Invalid text is submitted anyway, because the response has the field
   * errors.
   */
  private readonly onSubmit = (event: SubmitEvent) => {
    control(this.form, 'version').value = String(this.version)
    if (this.isResubmitting || this.isConflict || (!this.isDirty && !this.running)) return
    event.preventDefault()
    // A second click while the text is being saved is the same submit.
    if (this.isSubmitting) return
    this.isSubmitting = true
    const { submitter } = event
    this.flush().then((isSaved) => {
      this.isSubmitting = false
      if (this.isStopped || (!isSaved && this.unconfirmed) || this.isConflict) return
      this.isResubmitting = true
      this.form.requestSubmit(submitter)
      this.isResubmitting = false
    })
  }
}
