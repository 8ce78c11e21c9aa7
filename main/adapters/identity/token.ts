import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { isAbsolute } from 'node:path'
import type * as Pkcs11 from 'pkcs11js'
import { err, type Failure, fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import { sequence, unsigned } from '../../core/der/read.ts'

/**
 * Keys on security tokens, through PKCS #11 (OASIS, version 2.40). Every use opens the token, logs in, and closes it
 * again.
 */

type TokenPlace = Pick<TokenReference, 'module' | 'token' | 'key'>

/** The result of one session with a token. */
interface TokenSignature {
  /** DER ECDSA-Sig-Value, or PKCS #1 v1.5, over the SHA-256 of the data. */
  readonly signature: Uint8Array
  /** Certificates on the token, unchanged. */
  readonly certificates: readonly Uint8Array[]
  readonly serial: string
}

const load = createRequire(import.meta.url)
const modules = new Map<string, Pkcs11.PKCS11>()

/**
 * A module of a token's maker, loaded once and never unloaded: unloading some of them crashes the program. Fails with
 * token.unavailable when it cannot be loaded, or pkcs11js was not built.
 */
function moduleAt(path: string): Outcome<{ readonly pkcs11: typeof Pkcs11; readonly cryptoki: Pkcs11.PKCS11 }> {
  if (!isAbsolute(path)) return fail('token.unavailable', `${plain(path)} is not the absolute path of a module`)
  let pkcs11: typeof Pkcs11
  try {
    pkcs11 = load('pkcs11js') as typeof Pkcs11
  } catch {
    return fail(
      'token.unavailable',
      'pkcs11js is not built here; run: npm rebuild pkcs11js --ignore-scripts=false (without internet: set npm_config_nodedir=/usr)',
    )
  }
  try {
    const cryptoki = modules.get(path) ?? new pkcs11.PKCS11()
    if (!modules.has(path)) cryptoki.load(path)
    modules.set(path, cryptoki)
    return ok({ pkcs11, cryptoki })
  } catch {
    return fail('token.unavailable', `${plain(path)} is not a loadable PKCS #11 module`)
  }
}

/**
 * Signs with a key on a token. One login, with one attempt: tokens lock after a few failures. Fails with
 * identity.passphrase-wrong for a wrong PIN, with key.refused when the key is not of a kind that seals, and with
 * token.unavailable for everything else.
 */
export function signOnToken(place: TokenPlace, pin: string, data: Uint8Array): Outcome<TokenSignature> {
  const loaded = moduleAt(place.module)
  if (!loaded.ok) return loaded
  const { pkcs11, cryptoki } = loaded.value
  try {
    cryptoki.C_Initialize()
  } catch (problem) {
    return err(failureOf(pkcs11, place, problem))
  }
  try {
    return inSession(pkcs11, cryptoki, place, pin, data)
  } catch (problem) {
    return err(failureOf(pkcs11, place, problem))
  } finally {
    quietly(() => cryptoki.C_Finalize())
  }
}

function inSession(
  pkcs11: typeof Pkcs11,
  cryptoki: Pkcs11.PKCS11,
  place: TokenPlace,
  pin: string,
  data: Uint8Array,
): Outcome<TokenSignature> {
  const named = cryptoki
    .C_GetSlotList(true)
    .map((slot) => ({ slot, info: cryptoki.C_GetTokenInfo(slot) }))
    .filter(({ info }) => info.label.trim() === place.token)
  const [only] = named
  if (only === undefined || named.length > 1)
    return fail('token.unavailable', `there are ${named.length} tokens labelled ${plain(place.token)}`)
  const session = cryptoki.C_OpenSession(only.slot, pkcs11.CKF_SERIAL_SESSION)
  try {
    cryptoki.C_Login(session, pkcs11.CKU_USER, pin)
    const keys = find(cryptoki, session, [
      { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_PRIVATE_KEY },
      { type: pkcs11.CKA_LABEL, value: place.key },
    ])
    const [key] = keys
    if (key === undefined || keys.length > 1)
      return fail('token.unavailable', `the token has ${keys.length} private keys labelled ${plain(place.key)}`)
    const certificates = find(cryptoki, session, [{ type: pkcs11.CKA_CLASS, value: pkcs11.CKO_CERTIFICATE }])
    const signature = signed(pkcs11, cryptoki, session, key, pin, data)
    if (signature === null) return fail('key.refused', 'the key on the token is neither P-256 nor RSA')
    return ok({
      signature,
      certificates: certificates.map((handle) => attribute(cryptoki, session, handle, pkcs11.CKA_VALUE)),
      serial: only.info.serialNumber.trim(),
    })
  } finally {
    quietly(() => cryptoki.C_Logout(session))
    quietly(() => cryptoki.C_CloseSession(session))
  }
}

const MOST_OBJECTS = 200

function find(cryptoki: Pkcs11.PKCS11, session: Buffer, template: Pkcs11.Template): readonly Buffer[] {
  cryptoki.C_FindObjectsInit(session, template)
  try {
    return cryptoki.C_FindObjects(session, MOST_OBJECTS)
  } finally {
    cryptoki.C_FindObjectsFinal(session)
  }
}

const attribute = (cryptoki: Pkcs11.PKCS11, session: Buffer, object: Buffer, type: number): Uint8Array =>
  new Uint8Array(cryptoki.C_GetAttributeValue(session, object, [{ type }])[0]?.value ?? [])

const LONGEST_SIGNATURE = 2048

function signed(
  pkcs11: typeof Pkcs11,
  cryptoki: Pkcs11.PKCS11,
  session: Buffer,
  key: Buffer,
  pin: string,
  data: Uint8Array,
): Uint8Array | null {
  const keyType = Buffer.from(attribute(cryptoki, session, key, pkcs11.CKA_KEY_TYPE)).readUInt8(0)
  const isEc = keyType === pkcs11.CKK_EC
  if (!isEc && keyType !== pkcs11.CKK_RSA) return null
  const mechanism = isEc ? pkcs11.CKM_ECDSA : pkcs11.CKM_SHA256_RSA_PKCS
  cryptoki.C_SignInit(session, { mechanism }, key)
  // Keys for legal signatures require the PIN again for each signature.
  if (attribute(cryptoki, session, key, pkcs11.CKA_ALWAYS_AUTHENTICATE)[0] === 1)
    cryptoki.C_Login(session, pkcs11.CKU_CONTEXT_SPECIFIC, pin)
  const input = isEc ? createHash('sha256').update(data).digest() : Buffer.from(data)
  const made = new Uint8Array(cryptoki.C_Sign(session, input, Buffer.alloc(LONGEST_SIGNATURE)))
  // PKCS #11 returns r and s side by side, each of the order's length; DER has them as two INTEGERs (RFC 3279, section
  // 2.2.3).
  if (!isEc) return made
  return made.length === 64 ? sequence(unsigned(made.subarray(0, 32)), unsigned(made.subarray(32))) : null
}

function failureOf(pkcs11: typeof Pkcs11, place: TokenPlace, problem: unknown): Failure {
  const code = problem instanceof pkcs11.Pkcs11Error ? problem.code : null
  const wrong = [pkcs11.CKR_PIN_INCORRECT, pkcs11.CKR_PIN_INVALID, pkcs11.CKR_PIN_LEN_RANGE]
  const token = `token ${plain(place.token)}`
  if (code !== null && wrong.includes(code))
    return { code: 'identity.passphrase-wrong', detail: `wrong PIN for ${token}; it was tried once` }
  if (code === pkcs11.CKR_PIN_LOCKED)
    return { code: 'token.unavailable', detail: `the PIN of ${token} is locked after failed attempts` }
  const why = problem instanceof Error ? plain(problem.message.split('\n')[0] ?? '', 200) : 'unknown error'
  return { code: 'token.unavailable', detail: `${token}: ${why}` }
}

/** Errors on closing do not matter: the token may have been removed. */
function quietly(close: () => void): void {
  try {
    close()
  } catch {
    return
  }
}

/** Location of a key on a token, and its certificates. Public; the PIN is requested each time. */
export interface TokenReference {
  readonly format: typeof TOKEN_FORMAT
  /** The PKCS #11 module of the token's maker. */
  readonly module: string
  readonly token: string
  readonly key: string
  /** The token's own serial number. */
  readonly serial: string
  /** SHA-256 of the certificates. */
  readonly leaf: string
  readonly root: string
}

export const TOKEN_FORMAT = 'barewitness-token/1'
const MEMBERS = ['module', 'token', 'key', 'serial', 'leaf', 'root'] as const

/** Reads a reference; null for any other text. */
export function parseTokenReference(text: string): TokenReference | null {
  try {
    const value = JSON.parse(text) as TokenReference | null
    if (value?.format !== TOKEN_FORMAT || MEMBERS.some((member) => typeof value[member] !== 'string')) return null
    return value
  } catch {
    return null
  }
}
