import 'server-only'
import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import { AppError } from '../errors'
import { timeoutMs } from '../timeout'

/** Where a bucket is. All of it or nothing is set: `bucketRule` rejects a partial configuration at startup. */
export interface BucketSettings {
  url: string | undefined
  region: string | undefined
  key: string | undefined
  secret: string | undefined
}

/** One S3 request. Returns null for an object that does not exist. */
export async function s3Request(
  { url, region, key, secret }: BucketSettings,
  method: 'PUT' | 'GET' | 'DELETE',
  path: string,
  body?: Buffer,
): Promise<Buffer | null> {
  try {
    if (!url || !region || !key || !secret) throw new Error('The S3 settings are missing')
    const client = new AwsClient({ accessKeyId: key, secretAccessKey: secret, region, service: 's3', retries: 0 })
    const content = { method, ...(body && { body: new Uint8Array(body) }) }
    // The signature covers the body hash, so that nothing in between can replace the file.
    const bodyHash = createHash('sha256')
      .update(body ?? '')
      .digest('hex')
    const signed = await client.sign(`${url}/${path}`, {
      ...content,
      headers: { 'X-Amz-Content-Sha256': bodyHash },
    })
    // Not client.fetch: it wraps one Request in another, and garbage collection of the first loses the abort signal.
    const response = await fetch(signed.url, {
      ...content,
      headers: signed.headers,
      // A redirect could point to a host that the operator did not configure.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs(5_000)),
      cache: 'no-store',
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    if (response.status === 404 && method !== 'PUT') return null
    if (!response.ok) throw new Error(`S3 responded with ${response.status} to ${method}`)
    return bytes
  } catch (cause) {
    throw new AppError('unavailable', 'Image storage is unavailable. Try again in a moment.', { cause })
  }
}
