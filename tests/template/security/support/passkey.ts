// Passkeys as a browser sends them: ES256, without attestation.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { World } from '../../../app/support/test-world.ts'

type Cbor = number | string | Buffer | Map<Cbor, Cbor>

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  return length < 256
    ? Buffer.from([(major << 5) | 24, length])
    : Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}

function encode(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, entry]) => [encode(key), encode(entry)])])
}

const base64url = (bytes: Buffer) => bytes.toString('base64url')

/** The public key as an authenticator sends it and the app stores it. */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const key = new Map<Cbor, Cbor>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, Buffer.from(x, 'base64url')],
    [-3, Buffer.from(y, 'base64url')],
  ])
  return encode(key)
}

/** The counter is always zero, as with passkeys that are synchronized. */
function authenticatorData(origin: string, flags: number): Buffer {
  const rpIdHash = createHash('sha256').update(new URL(origin).hostname).digest()
  return Buffer.concat([rpIdHash, Buffer.from([flags, 0, 0, 0, 0])])
}

const clientData = (type: string, challenge: string, origin: string) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

const envelope = (id: Buffer) => ({
  id: base64url(id),
  rawId: base64url(id),
  type: 'public-key',
  clientExtensionResults: {},
})

/** Creates a passkey in response to a registration challenge of this origin. */
export function newPasskey(challenge: string, origin: string) {
  const id = randomBytes(16)
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  // User present, user verified, credential included; an authenticator id of zeros.
  const authData = Buffer.concat([
    authenticatorData(origin, 0x45),
    Buffer.alloc(16),
    Buffer.from([0, id.length]),
    id,
    coseKey(publicKey),
  ])
  const attestation = new Map<Cbor, Cbor>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authData],
  ])
  return {
    ...envelope(id),
    response: {
      clientDataJSON: base64url(clientData('webauthn.create', challenge, origin)),
      attestationObject: base64url(encode(attestation)),
      transports: ['internal'],
    },
  }
}

/** Gives the user a passkey. Returns how it responds to a challenge of signing in. */
export async function addPasskey(world: World, userId: string) {
  const origin = world.app.url
  const id = randomBytes(16)
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await world.query(
    `insert into account_passkeys (id, user_id, public_key, counter, transports, name)
     values ($1, $2, $3, 0, '{internal}', 'A key')`,
    [base64url(id), userId, coseKey(publicKey)],
  )
  return {
    respond(challenge: string) {
      // User present, user verified.
      const authData = authenticatorData(origin, 0x05)
      const client = clientData('webauthn.get', challenge, origin)
      const signed = Buffer.concat([authData, createHash('sha256').update(client).digest()])
      return {
        ...envelope(id),
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(authData),
          signature: base64url(sign('sha256', signed, privateKey)),
        },
      }
    },
  }
}
