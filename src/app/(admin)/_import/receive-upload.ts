import 'server-only'
import { type Actor, requireReauthenticated } from '@/core/auth/session/actor'
import { transactionAs } from '@/core/auth/transaction-as'
import { AppError, toAppError } from '@/core/errors'
import { defineLimit } from '@/core/limits/limit'
import { defineSlots } from '@/core/slots'
import { can } from '../policy'
import { boundaryOf, readFilePart } from './multipart'
import { maxMegabytes } from './problems'
import { stageImport } from './stage'

const importLimit = defineLimit('admin_import', { points: 20, seconds: 60 * 60 })
/** Each upload holds only a batch of rows, but keeps the database busy. */
const slots = defineSlots('import', 2)
const maxBytes = maxMegabytes * 1_000_000

/** Reads the file of a form into the table of rows, as it arrives. Returns the id of the import. */
export async function receiveUpload(actor: Actor, request: Request): Promise<string> {
  const boundary = boundaryOf(request.headers.get('content-type'))
  if (!boundary || !request.body) throw new AppError('unsupported_media_type', 'Send multipart/form-data with a file.')
  const reader = request.body.getReader()
  try {
    await requireReauthenticated()
    if (Number(request.headers.get('content-length')) > maxBytes) throw new AppError('too_large')
    return await stageUpload(actor, reader, boundary)
  } catch (error) {
    await drain(reader)
    throw toAppError(error)
  }
}

async function stageUpload(actor: Actor, reader: Reader, boundary: string): Promise<string> {
  const release = slots.take(actor.id)
  try {
    await importLimit.consume(actor.id)
    let fileName = ''
    const file = readFilePart(chunksOf(reader), boundary, (name) => {
      fileName = name
    })
    return await stageImport(file, {
      createdBy: actor.id,
      highestRole: actor.role,
      fileName: () => fileName,
      transact: (work) => transactionAs(actor, can('users.import'), work),
    })
  } finally {
    release()
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** The chunks of the body up to the limit. Leaves the reader open, so that the rest can be drained after an error. */
async function* chunksOf(reader: Reader): AsyncGenerator<Uint8Array> {
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    size += value.byteLength
    if (size > maxBytes) throw new AppError('too_large')
    yield value
  }
}

/** Reads the rest: a browser shows the response only after it has sent its whole body. Gives up on a very long one. */
async function drain(reader: Reader): Promise<void> {
  let size = 0
  try {
    while (size < 2 * maxBytes) {
      const { done, value } = await reader.read()
      if (done) return
      size += value.byteLength
    }
    await reader.cancel()
  } catch {
    // The caller has disconnected.
  }
}
