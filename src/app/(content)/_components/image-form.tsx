import { buttonVariants } from '@/core/ui/button'
import { Field } from '@/core/ui/form'
import { Alert } from '@/core/ui/surface'
import { imageProblems, isImageProblem } from '../_images/problems'

/**
 * Uploads an image, or replaces the one with this id. A plain form for a route handler: it needs no JavaScript, and a photo
 * exceeds the body limit of server actions.
 */
export function ImageForm({ replacedId, problem }: { replacedId?: string; problem: unknown }) {
  return (
    <form
      action={`/api/content/images/form${replacedId ? `?id=${replacedId}` : ''}`}
      method="post"
      encType="multipart/form-data"
      className="grid justify-items-start gap-4"
    >
      {isImageProblem(problem) && (
        <Alert as="p" tone="danger" role="alert">
          {imageProblems[problem]}
        </Alert>
      )}
      <Field
        label="Image file"
        name="image"
        type="file"
        accept="image/jpeg,image/png,image/webp,image/gif"
        required
        hint="JPEG, PNG, WebP or GIF. Up to 8 MB."
        className="w-full"
      />
      {!replacedId && (
        <Field
          label="Alt text"
          name="alt"
          maxLength={300}
          required
          hint="Describes the image to people who can’t see it."
          className="w-full"
        />
      )}
      <button type="submit" className={buttonVariants()}>
        {replacedId ? 'Replace image' : 'Upload image'}
      </button>
    </form>
  )
}
