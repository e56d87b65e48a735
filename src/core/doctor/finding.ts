/** What a check of the setup found. `fix` says what to do, or what else is possible. */
export interface Finding {
  state: 'ok' | 'note' | 'broken'
  message: string
  fix?: string
}

export const ok = (message: string, fix?: string): Finding => ({ state: 'ok', message, ...(fix && { fix }) })
export const note = (message: string, fix?: string): Finding => ({ state: 'note', message, ...(fix && { fix }) })
export const broken = (message: string, fix: string): Finding => ({ state: 'broken', message, fix })
