/** The URL of one file of an image. Its content never changes: a replaced image has another `fileId`. */
export const imageFilePath = (fileId: string, variant: string) => `/posts/images/${fileId}/${variant}`
