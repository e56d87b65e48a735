'use client'

import { useRef, useState } from 'react'
import { appName, appSlug } from '@/brand'
import { alertVariants, buttonVariants } from '@/core/ui/control'
import { CopyButton } from '@/core/ui/copy-button'
import { ResultText } from '@/core/ui/form'
import { useInBrowser } from '@/core/ui/use-in-browser'

const smallButton = buttonVariants({ variant: 'outline', size: 'small' })

/**
 * The recovery codes from the action's result. They are shown only once, so with JavaScript the user first says that they
 * are saved. Copying, downloading and printing need JavaScript; without it, the codes can be selected.
 */
export function RecoveryCodes({ next = '/account/two-factor' }: { next?: string }) {
  const codes = useRef<HTMLElement>(null)
  const [isSaved, setIsSaved] = useState(false)
  const hasScript = useInBrowser(() => true, false)
  const download = () => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([`${codes.current?.textContent ?? ''}\n`], { type: 'text/plain' }))
    link.download = `${appSlug}-recovery-codes.txt`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 1_000)
  }
  return (
    <div className="grid grid-cols-1 gap-4">
      <p role="status" tabIndex={-1} className={alertVariants({ tone: 'success', className: 'print:hidden' })}>
        Save these recovery codes somewhere safe, like a password manager. You won’t see them again.
      </p>
      <h2 className="font-[550] text-base">{appName} recovery codes</h2>
      <figure className="grid grid-cols-1 gap-4">
        <code
          ref={codes}
          className="block select-all columns-3xs whitespace-pre-wrap rounded-md bg-muted p-4 font-mono text-sm leading-7"
        >
          <ResultText name="codes" />
        </code>
        {hasScript && (
          <div className="flex flex-wrap gap-2 print:hidden">
            <CopyButton />
            <button type="button" onClick={download} className={smallButton}>
              Download
            </button>
            <button type="button" onClick={() => window.print()} className={smallButton}>
              Print
            </button>
          </div>
        )}
      </figure>
      <div className="flex flex-wrap items-center justify-between gap-3 print:hidden">
        {hasScript && (
          <label className="flex min-h-8 items-center gap-2 text-sm">
            <input type="checkbox" checked={isSaved} onChange={(event) => setIsSaved(event.target.checked)} />
            I’ve saved my codes
          </label>
        )}
        {hasScript && !isSaved ? (
          <button type="button" disabled className={buttonVariants()}>
            Done
          </button>
        ) : (
          <a href={next} className={buttonVariants()}>
            Done
          </a>
        )}
      </div>
    </div>
  )
}
