import 'server-only'
import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import { AppError } from '@/core/errors'
import { env } from './env'

const patience = 5_000

/** The settings are all there, or none is: the app does not start with some of them. */
export const hasBucket = () => env.ACCOUNT_S3_URL !== undefined

/** One call to the bucket. Null for what is not there. */
export async function bucket(method: 'PUT' | 'GET' | 'DELETE', key: string, body?: Buffer): Promise<Buffer | null> {
  const { ACCOUNT_S3_URL: url, ACCOUNT_S3_REGION: region, ACCOUNT_S3_KEY: id, ACCOUNT_S3_SECRET: secret } = env
  try {
    if (!url || !region || !id || !secret) throw new Error('The settings of the bucket are gone')
    const client = new AwsClient({ accessKeyId: id, secretAccessKey: secret, region, service: 's3', retries: 0 })
    const content = { method, ...(body && { body: new Uint8Array(body) }) }
    // Signed with the rest: nobody in between can put another picture in its place.
    const sum = createHash('sha256')
      .update(body ?? '')
      .digest('hex')
    const signed = await client.sign(`${url}/avatars/${key}`, { ...content, headers: { 'X-Amz-Content-Sha256': sum } })
    // Not client.fetch: it makes a request of a request, and the signal is lost when the first of them is swept away.
    const response = await fetch(signed.url, {
      ...content,
      headers: signed.headers,
      // Where it leads was not chosen by whoever chose the bucket.
      redirect: 'manual',
      signal: AbortSignal.timeout(patience),
      cache: 'no-store',
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    if (response.status === 404 && method !== 'PUT') return null
    if (!response.ok) throw new Error(`The bucket answered ${response.status} to ${method}`)
    return bytes
  } catch (cause) {
    throw new AppError('unavailable', 'The place for pictures cannot be reached. Try again in a moment', { cause })
  }
}
