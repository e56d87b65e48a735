'use client'

import { FormMessage, SubmitButton } from '@/core/ui/form'
import { useEditor } from './editor-form'

/** In a conflict there is another choice to make first, and Enter in a field must not make it: the form then has no default. */
export function SaveButton() {
  if (useEditor().isConflict) return <button type="submit" disabled hidden />
  return (
    <SubmitButton name="step" value="save" variant="outline">
      Save
    </SubmitButton>
  )
}

/** What went wrong, unless it is a conflict, which has a notice of its own. */
export const EditorMessage = () => (useEditor().isConflict ? null : <FormMessage className="mt-4" />)
