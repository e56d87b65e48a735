import { imageFilePath } from '../_images/image-path'

/** An image of the library, in its smallest size. Its alt text is beside it. */
export function Thumbnail({ image: { fileId, variants } }: { image: { fileId: string; variants: string[] } }) {
  return (
    // biome-ignore lint/performance/noImgElement: the image optimizer is off
    <img
      src={imageFilePath(fileId, variants[0] ?? '')}
      alt=""
      loading="lazy"
      className="max-h-48 w-full rounded-lg border object-cover"
    />
  )
}
