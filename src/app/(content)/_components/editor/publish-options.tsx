'use client'

import { useEffect } from 'react'
import { SubmitButton, useResult } from '@/core/ui/form'
import { useEditor } from './editor-form'
import { findMissing } from './find-missing'
import { publishMenuId } from './view'

/** Says what is missing before the post is published. Nothing of it is required. */
export function PublishOptions({ hasCover, isPublished }: { hasCover: boolean; isPublished: boolean }) {
  const { fields, isConflict } = useEditor()
  const result = useResult()
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each of its buttons, the menu would cover what they did
  useEffect(() => {
    const menu = document.getElementById(publishMenuId)
    if (menu?.matches(':popover-open')) menu.hidePopover()
  }, [result, isPublished])
  const missing = findMissing(fields, hasCover)
  return (
    <div className="grid gap-3 p-2 text-sm">
      {isConflict ? (
        <p>First choose which draft to keep.</p>
      ) : (
        <>
          <p className="font-medium">{isPublished ? 'Publish these changes?' : 'Publish this post?'}</p>
          {missing.length > 0 && (
            <div className="grid gap-1 text-muted-foreground">
              <p>Still missing:</p>
              <ul className="list-disc ps-4">
                {missing.map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            </div>
          )}
          <SubmitButton name="step" value="publish">
            Publish now
          </SubmitButton>
        </>
      )}
    </div>
  )
}
