import { Share2 } from 'lucide-react'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { ScopeField } from '@/core/ui/scope-field'
import { createPreview, endPreviews } from '../../actions'
import { PreviewLink } from '../preview-link'

const id = 'share-preview'
const anchor = `--${id}`

export const ShareButton = () => (
  <button
    type="button"
    popoverTarget={id}
    data-slot="menu-button"
    style={{ anchorName: anchor }}
    className={buttonVariants({ variant: 'ghost', size: 'small' })}
  >
    <Share2 aria-hidden="true" />
    Share preview
  </button>
)

/** Creates and revokes preview links. Not beside its button, because that is inside the form of the editor. */
export function ShareMenu({ postId, scope }: { postId: string; scope: string | undefined }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div
      id={id}
      popover="auto"
      role="group"
      aria-label="Share preview"
      data-slot="menu"
      style={{ positionAnchor: anchor }}
      className="w-72 [position-area:block-end_span-inline-start]"
    >
      <div className="grid grid-cols-1 gap-3 p-2">
        <p className="text-muted-foreground text-sm">Anyone with the link can read the latest draft for 7 days.</p>
        <ActionForm action={createPreview} className="grid grid-cols-1 justify-items-start gap-3">
          <input type="hidden" name="id" value={postId} />
          <ScopeField slug={scope} />
          <FormMessage />
          <PreviewLink className="wrap-anywhere text-sm" />
          <SubmitButton variant="outline" size="small">
            Create preview link
          </SubmitButton>
        </ActionForm>
        <ActionForm action={endPreviews} className="grid grid-cols-1 justify-items-start gap-3">
          <input type="hidden" name="id" value={postId} />
          <ScopeField slug={scope} />
          <FormMessage done="All preview links revoked." />
          <SubmitButton variant="outline" size="small">
            Revoke all links
          </SubmitButton>
        </ActionForm>
      </div>
    </div>
  )
}
