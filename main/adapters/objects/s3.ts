import { createHash } from 'node:crypto'
import { Parser } from 'saxen'
import { err, fail, type Outcome, ok, type Result } from '../../core/base/failure.ts'
import { decodeUtf8, plain } from '../../core/base/plain-text.ts'
import {
  type ObjectHead,
  type ObjectLock,
  type ObjectStore,
  type ObjectVersion,
  secondsOf,
  textBytes,
} from '../../core/objects.ts'
import { compare } from '../../core/recording/recording.ts'
import { createExchange, type Exchange, type Outside, type S3Answer, type S3Place, strange } from './exchange.ts'

/** An element below the root of an answer: its text, and the texts of the elements in it. */
interface Part {
  readonly name: string
  text: string
  readonly parts: Map<string, string>
}

const MOST_PARTS = 5000
const LONGEST_TEXT = 4096

/**
 * The parts of an answer of a store (XML), two levels deep; deeper parts are omitted. The bytes may be hostile: an answer that is not
 * completely readable gives an error. No valid answer declares entities, and none are expanded.
 */
function partsOf(bytes: Uint8Array, root: string): Result<readonly Part[], string> {
  const text = decodeUtf8(bytes)
  if (text === null || /<!(DOCTYPE|ENTITY)/i.test(text)) return err('is not readable XML')
  const open: string[] = []
  const parts: Part[] = []
  let [isBroken, isWhole] = [false, false]
  const add = (piece: string): void => {
    const last = parts.at(-1)
    if (last === undefined || piece.length > LONGEST_TEXT) return
    if (open.length === 2) last.text += piece
    const inner = open[2]
    if (open.length === 3 && inner !== undefined) last.parts.set(inner, `${last.parts.get(inner) ?? ''}${piece}`)
  }
  new Parser()
    .on('openTag', (name) => {
      open.push(name)
      if (open.length === 1 && (name !== root || isWhole)) isBroken = true
      if (open.length === 2 && parts.length < MOST_PARTS) parts.push({ name, text: '', parts: new Map() })
      else if (open.length === 2) isBroken = true
    })
    .on('closeTag', (name) => {
      if (open.pop() !== name) isBroken = true
      if (open.length === 0) isWhole = true
    })
    .on('text', (piece, decode) => add(decode(piece)))
    .on('cdata', add)
    .on('error', () => {
      isBroken = true
    })
    .parse(text)
  return isBroken || !isWhole || open.length > 0 ? err('is not readable XML') : ok(parts)
}

const textOf = (parts: readonly Part[], name: string): string => parts.find((one) => one.name === name)?.text ?? ''

/** Whether a bucket keeps versions. */
function isVersioned(bytes: Uint8Array): boolean {
  const parts = partsOf(bytes, 'VersioningConfiguration')
  return parts.ok && textOf(parts.value, 'Status') === 'Enabled'
}

/** Whether a bucket has Object Lock. */
function hasObjectLock(bytes: Uint8Array): boolean {
  const parts = partsOf(bytes, 'ObjectLockConfiguration')
  return parts.ok && textOf(parts.value, 'ObjectLockEnabled') === 'Enabled'
}

/** The code of an error, or an empty text. */
function errorCode(bytes: Uint8Array): string {
  const parts = partsOf(bytes, 'Error')
  const code = parts.ok ? textOf(parts.value, 'Code') : ''
  return /^[A-Za-z0-9]{1,60}$/.test(code) ? code : ''
}

/** A page of the list of versions. The newest of a key comes first, as the store lists them. */
interface VersionPage {
  readonly versions: readonly Omit<ObjectVersion, 'hidden'>[]
  /** Keys with a delete marker as the latest version. */
  readonly marked: readonly string[]
  /** Where the next page begins; null on the last one. */
  readonly next: { readonly key: string; readonly version: string } | null
}

const VERSION = /^[A-Za-z0-9._-]{1,1024}$/

function versionPage(bytes: Uint8Array): Result<VersionPage, string> {
  const parts = partsOf(bytes, 'ListVersionsResult')
  if (!parts.ok) return parts
  const versions: Omit<ObjectVersion, 'hidden'>[] = []
  const marked: string[] = []
  for (const { name, parts: of } of parts.value) {
    const [key = '', version = '', size = ''] = ['Key', 'VersionId', 'Size'].map((one) => of.get(one))
    if (name === 'DeleteMarker' && of.get('IsLatest') === 'true') marked.push(key)
    if (name !== 'Version') continue
    if (!VERSION.test(version) || version === 'null') return err('names a version that cannot be kept')
    if (!/^\d{1,15}$/.test(size)) return err('names an object without a size')
    versions.push({ key, version, size: Number(size) })
  }
  if (textOf(parts.value, 'IsTruncated') !== 'true') return ok({ versions, marked, next: null })
  const next = {
    key: textOf(parts.value, 'NextKeyMarker'),
    version: textOf(parts.value, 'NextVersionIdMarker'),
  }
  return next.key === '' ? err('does not state where its next page begins') : ok({ versions, marked, next })
}

/** The mode that no account can lift, including that of the owner. */
const MODE = 'COMPLIANCE'
const LARGEST_ANSWER = 64 * 1024
const LARGEST_PAGE = 8 * 1024 * 1024
const MOST_PAGES = 10_000
/** The largest object that S3 accepts in one request. */
const LARGEST_OBJECT = 5 * 1024 ** 3

/**
 * A bucket of an S3 store (Amazon S3 API of 2006-03-01) with versions and Object Lock, below a prefix that is empty or ends in “/”. Fails
 * with objects.refused for a bucket without either, for credentials that are not accepted, and for a store whose clock differs.
 */
export async function openS3(place: S3Place, prefix: string, outside: Outside): Promise<Outcome<ObjectStore>> {
  const exchange = createExchange(place, outside)
  const unsuitable = await whyUnsuitable(exchange, place.bucket)
  if (!unsuitable.ok) return unsuitable
  return ok({
    name: `${place.endpoint}/${place.bucket}/${prefix}`,
    locks: true,
    put: async (key, content, until) => {
      if (content.size > LARGEST_OBJECT) return strange(`${key} has more than ${LARGEST_OBJECT} bytes`)
      const answer = await exchange.ask(
        {
          verb: 'PUT',
          key: `${prefix}${key}`,
          headers: {
            'x-amz-object-lock-mode': MODE,
            'x-amz-object-lock-retain-until-date': until,
            'x-amz-sdk-checksum-algorithm': 'SHA256',
            'x-amz-checksum-sha256': Buffer.from(content.sha256, 'hex').toString('base64'),
          },
          body: content,
        },
        LARGEST_ANSWER,
      )
      if (!answer.ok) return answer
      if (answer.value.status !== 200) return refusal(answer.value, key)
      const version = answer.value.headers['x-amz-version-id']
      return typeof version === 'string' && version !== '' && version !== 'null'
        ? ok(version)
        : strange(`${key} was stored without a version`)
    },
    head: async (key, version) => {
      const request = { verb: 'HEAD', key: `${prefix}${key}`, query: { versionId: version } } as const
      const answer = await exchange.ask(request, LARGEST_ANSWER)
      if (!answer.ok) return answer
      if (answer.value.status === 404) return ok(null)
      return answer.value.status === 200 ? ok(headOf(answer.value)) : refusal(answer.value, key)
    },
    stored: ({ key, version, size }, digest) => {
      const request = { verb: 'GET', key: `${prefix}${key}`, query: { versionId: version } } as const
      const open = (): AsyncIterable<Uint8Array> => exchange.stream(request, size)
      return { size, sha256: digest, open, read: () => wholeOf(open()) }
    },
    versions: (below) => versionsBelow(exchange, `${prefix}${below}`, prefix.length),
    extend: async (key, version, until) => {
      const text = `<Retention xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Mode>${MODE}</Mode><RetainUntilDate>${until}</RetainUntilDate></Retention>`
      const body = textBytes(text)
      const answer = await exchange.ask(
        {
          verb: 'PUT',
          key: `${prefix}${key}`,
          query: { retention: '', versionId: version },
          headers: { 'content-md5': createHash('md5').update(text).digest('base64') },
          body,
        },
        LARGEST_ANSWER,
      )
      if (!answer.ok) return answer
      return answer.value.status === 200 ? ok(null) : refusal(answer.value, key)
    },
  })
}

async function whyUnsuitable(exchange: Exchange, bucket: string): Promise<Outcome<null>> {
  const versioning = await exchange.ask({ verb: 'GET', key: '', query: { versioning: '' } }, LARGEST_ANSWER)
  if (!versioning.ok) return versioning
  if (versioning.value.status !== 200) return refusal(versioning.value, bucket)
  if (!isVersioned(versioning.value.body)) return strange(`the bucket ${bucket} keeps no versions; ${NEXT}`)
  const lock = await exchange.ask({ verb: 'GET', key: '', query: { 'object-lock': '' } }, LARGEST_ANSWER)
  if (!lock.ok) return lock
  const hasLock = lock.value.status === 200 && hasObjectLock(lock.value.body)
  if (hasLock) return ok(null)
  return lock.value.status === 200 || lock.value.status === 404
    ? strange(`the bucket ${bucket} has no Object Lock; ${NEXT}`)
    : refusal(lock.value, bucket)
}

const NEXT = 'create a bucket with Object Lock enabled, and name it in the configuration'

async function versionsBelow(
  exchange: Exchange,
  below: string,
  own: number,
): Promise<Outcome<readonly ObjectVersion[]>> {
  const newestFirst: Omit<ObjectVersion, 'hidden'>[] = []
  const marked = new Set<string>()
  let from: { readonly key: string; readonly version: string } | null = null
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const more: Readonly<Record<string, string>> =
      from === null
        ? {}
        : { 'key-marker': from.key, ...(from.version === '' ? {} : { 'version-id-marker': from.version }) }
    const answer = await exchange.ask(
      { verb: 'GET', key: '', query: { versions: '', prefix: below, 'max-keys': '1000', ...more } },
      LARGEST_PAGE,
    )
    if (!answer.ok) return answer
    if (answer.value.status !== 200) return refusal(answer.value, below)
    const read = versionPage(answer.value.body)
    if (!read.ok) return strange(`its list of objects ${read.error}`)
    const { versions, marked: here, next } = read.value
    if (versions.some(({ key }) => !key.startsWith(below)))
      return strange('its list of objects has some that were not asked for')
    newestFirst.push(...versions)
    for (const key of here) marked.add(key)
    if (next === null)
      return ok(
        newestFirst
          .reverse()
          .map((one) => ({ ...one, key: one.key.slice(own), hidden: marked.has(one.key) }))
          .sort((a, b) => compare(a.key, b.key)),
      )
    if (from !== null && compare(next.key, from.key) < 0) return strange('its list of objects goes back')
    if (from !== null && next.key === from.key && next.version === from.version)
      return strange('its list of objects does not go on')
    from = next
  }
  return strange('its list of objects has no end')
}

function headOf({ headers }: S3Answer): ObjectHead {
  const mode = headers['x-amz-object-lock-mode']
  const until = headers['x-amz-object-lock-retain-until-date']
  const seconds = typeof until === 'string' ? secondsOf(until) : Number.NaN
  const isMode = mode === 'COMPLIANCE' || mode === 'GOVERNANCE'
  const lock: ObjectLock | null =
    isMode && !Number.isNaN(seconds) ? { mode, until: new Date(seconds * 1000).toISOString() } : null
  return { size: Number(headers['content-length'] ?? Number.NaN), lock }
}

/** Codes that a person can act on; the others are printed as the store states them. */
const IN_WORDS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'the bucket does not exist',
  InvalidAccessKeyId: 'the access key is not known to it',
  SignatureDoesNotMatch: 'the secret key is not the one of the access key',
  AccessDenied: 'the credentials do not permit this',
  RequestTimeTooSkewed: 'its clock differs from that of this computer',
}

function refusal({ status, body }: S3Answer, about: string): Outcome<never> {
  const code = errorCode(body)
  const why = IN_WORDS[code] ?? (code === '' ? `status ${status}` : `status ${status}, ${code}`)
  return fail(
    status >= 500 || status === 429 ? 'objects.unreachable' : 'objects.refused',
    plain(`${about}: ${why}`, 300),
  )
}

async function wholeOf(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}
