'use client'

import { ResultToast, UndoForm } from '@/core/ui/result-toast'
import { undoRoleChange, undoSuspension } from '../actions'
import { readResult } from '../results'

/** Shows the result of the last action on any admin page, with a button to undo it where that is possible. */
export const AdminToast = () => <ResultToast read={read} />

function read(params: Parameters<typeof readResult>[0]) {
  const result = readResult(params)
  if (!result) return null
  const { kind, text, undo } = result
  if (undo && kind === 'suspended') return { text, undo: <UndoForm action={undoSuspension} token={undo} /> }
  if (undo && kind === 'role') return { text, undo: <UndoForm action={undoRoleChange} token={undo} /> }
  return { text }
}
