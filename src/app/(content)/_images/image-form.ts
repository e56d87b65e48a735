import 'server-only'
import { AppError } from '@/core/errors'
import { log } from '@/core/log'
import { parse } from '@/core/parse'
import type { Writer } from '../policy'
import { ImageText } from './image-text'
import { addImage, maxBytes, replaceImage } from './library'
import type { ImageProblem } from './problems'

/** For the other fields, and what separates them. */
const formOverhead = 16_000

/** Uploads the image of a form, or replaces `id` with it. Returns the path of the page to show next. */
export async function takeImageForm(
  actor: Writer,
  id: string | undefined,
  contentType: string,
  readUpload: (limit: number) => Promise<Buffer>,
): Promise<string> {
  const read = async () => {
    const form = await parseForm(await readUpload(maxBytes + formOverhead), contentType)
    const file = form.get('image')
    if (!(file instanceof File)) throw new AppError('invalid_input')
    return { form, name: file.name, bytes: Buffer.from(await file.arrayBuffer()) }
  }
  try {
    if (id) {
      await replaceImage(actor, id, read)
      return '/content/images?done=replaced'
    }
    await addImage(actor, async () => {
      const { form, name, bytes } = await read()
      return { ...parse(ImageText, { name, alt: form.get('alt') }), bytes }
    })
    return '/content/images?done=uploaded'
  } catch (error) {
    const problem = problemOf(error)
    return `/content/images/${id ? `replace/${id}` : 'new'}?problem=${problem}`
  }
}

async function parseForm(bytes: Buffer, contentType: string): Promise<FormData> {
  // Other forms that it would read have no files, and could have millions of fields.
  if (!/^multipart\/form-data;/i.test(contentType)) throw new AppError('invalid_input')
  try {
    return await new Response(new Uint8Array(bytes), { headers: { 'Content-Type': contentType } }).formData()
  } catch (cause) {
    throw new AppError('invalid_input', undefined, { cause })
  }
}

/** What the form page says about an error. Rethrows errors that the user did not cause. */
function problemOf(error: unknown): ImageProblem {
  if (!(error instanceof AppError)) throw error
  if (error.code === 'invalid_input') return error.fields?.alt ? 'alt' : 'image'
  if (error.code === 'too_large') return 'size'
  if (error.code === 'rate_limited') return 'limit'
  if (error.code !== 'unavailable') throw error
  log.error({ error: error.cause ?? error }, 'image upload failed')
  return 'unavailable'
}
