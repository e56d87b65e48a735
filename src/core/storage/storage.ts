import 'server-only'
import { type BucketSettings, s3Request } from './bucket'

/**
 * Where the bytes of files are. The row of a file holds `Stored`: the bytes, or null while they are in the bucket. So files
 * stay readable when the settings change, as long as the bucket of earlier ones is configured.
 */
export interface FileStorage<Stored extends Buffer | null> {
  /** Whether new files go to the bucket. Then enqueue their cleanup before `write`: whatever fails, none stays without a row. */
  isExternal(): boolean
  /** Stores a file. Returns what its row must hold. Never call it in a transaction. */
  write(key: string, bytes: Buffer): Promise<Stored>
  /** The bytes of a file, by what its row holds. Null if it is missing in the bucket. */
  read(key: string, stored: Stored): Promise<Buffer | null>
  /** Deletes a file from the bucket, whether it is there or not. */
  remove(key: string): Promise<void>
}

/**
 * Defines a storage: PostgreSQL, or the folder of a bucket if its settings are set.
 * @public For modules that store files.
 */
export function defineStorage(folder: string): FileStorage<Buffer>
export function defineStorage(folder: string, bucket: () => BucketSettings): FileStorage<Buffer | null>
export function defineStorage(folder: string, bucket: () => BucketSettings = noBucket): FileStorage<Buffer | null> {
  const isExternal = () => bucket().url !== undefined
  const request = (method: 'PUT' | 'GET' | 'DELETE', key: string, body?: Buffer) =>
    s3Request(bucket(), method, `${folder}/${key}`, body)
  return {
    isExternal,
    write: async (key, bytes) => {
      if (!isExternal()) return bytes
      await request('PUT', key, bytes)
      return null
    },
    read: async (key, stored) => stored ?? request('GET', key),
    remove: async (key) => void (await request('DELETE', key)),
  }
}

const noBucket = (): BucketSettings => ({ url: undefined, region: undefined, key: undefined, secret: undefined })
