/** Why an image was rejected. The forms of the library show the text for the key in their URL, and nothing else of it. */
export const imageProblems = {
  alt: 'Describe the image in up to 300 characters.',
  image: 'We couldn’t read this image. Use a JPEG, PNG, WebP or GIF image of up to 40 megapixels.',
  size: 'Use an image of up to 8 MB.',
  limit: 'Too many uploads. Try again later.',
  unavailable: 'We couldn’t save the image. Try again in a moment.',
}
export type ImageProblem = keyof typeof imageProblems

export const isImageProblem = (key: unknown): key is ImageProblem =>
  typeof key === 'string' && Object.hasOwn(imageProblems, key)
