import { hmacWith, isSha256, type Sha256, sha256 } from '../../core/digest.ts'
import { compare } from '../../core/recording.ts'
import type { PartClass } from './classes.ts'
import { cutsOf, pathPartsOf } from './parts.ts'
import { RULES_NAME } from './rules.ts'
import type { WordIndex } from './words.ts'

/** The seed is part of the payload, so that its digest in the sealed manifest prevents guessing the digest of the manifest. */
export const SEED_PATH = 'data/disclosure/seed'
/** A tag file: one unit root a line, in the order of the sorted payload paths. */
export const INDEX_PATH = 'disclosure-sha256.txt'

const SEED_BYTES = 32

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The seed file: 64 hexadecimal characters and a line end. Throws on a seed of another length, which is a program error. */
export function seedFile(seed: Uint8Array): Uint8Array {
  if (seed.length !== SEED_BYTES) throw new Error('a disclosure seed has 32 bytes')
  return utf8(`${Buffer.from(seed).toString('hex')}\n`)
}

/** Reads the seed from its file, or null where the file contains no seed. */
export function seedIn(file: Uint8Array): Uint8Array | null {
  const text = new TextDecoder().decode(file)
  return text.endsWith('\n') && isSha256(text.slice(0, -1))
    ? new Uint8Array(Buffer.from(text.slice(0, -1), 'hex'))
    : null
}

/** Position of a part in a unit: in its path or in its content, counted from 1. */
export interface PartPlace {
  readonly of: 'path' | 'content'
  readonly part: number
}

/** HMAC-SHA-256(seed, path ‖ 0x00 ‖ place): a disclosed salt reveals nothing about the others. */
export const saltFor = (seed: Uint8Array, path: string, place: PartPlace): Uint8Array => saltsFor(seed, path)(place)

/** As saltFor(), of many parts of one unit. */
function saltsFor(seed: Uint8Array, path: string): (place: PartPlace) => Uint8Array {
  const mac = hmacWith(seed)
  return ({ of, part }) => mac(`${path}\0${of} ${part}`)
}

/** A salted commitment, in the spirit of RFC 9901 §4.2: without its salt, guesses cannot be tested against it. */
export const commitment = (salt: Uint8Array, bytes: Uint8Array): Sha256 => sha256(Buffer.concat([TAG, salt, bytes]))

const TAG = utf8(`${RULES_NAME} part\0`)

/** A length as disclosed in the copy: rounded up to a power of two, at least 8. */
export const bucketOf = (length: number): number => {
  let bucket = 8
  while (bucket < length) bucket *= 2
  return bucket
}

export interface CommittedPart {
  readonly class: PartClass
  readonly bucket: number
  readonly commitment: Sha256
}

/**
 * The unit root: SHA-256 over lines that any tool can produce, one per part of the path and the content. Class and rounded length
 * are thereby covered by the seal as well.
 */
export function rootOf(path: readonly CommittedPart[], content: readonly CommittedPart[]): Sha256 {
  let lines = `${RULES_NAME} unit\n`
  for (const part of path) lines += lineOf('path', part)
  for (const part of content) lines += lineOf('content', part)
  return sha256(lines)
}

const lineOf = (of: PartPlace['of'], part: CommittedPart): string =>
  `${of} ${part.class} ${part.bucket} ${part.commitment}\n`

/** The line of one payload file. */
export function unitRoot(path: string, bytes: Uint8Array, seed: Uint8Array, words: WordIndex): Sha256 {
  const salt = saltsFor(seed, path)
  const commit = (of: PartPlace['of'], kind: PartClass, part: Uint8Array, index: number): CommittedPart => ({
    class: kind,
    bucket: bucketOf(part.length),
    commitment: commitment(salt({ of, part: index + 1 }), part),
  })
  return rootOf(
    pathPartsOf(path, words).map((part, index) => commit('path', part.class, part.bytes, index)),
    cutsOf(path, bytes, words).map((cut, index) =>
      commit('content', cut.class, bytes.subarray(cut.start, cut.end), index),
    ),
  )
}

/** Whether a path has a line: every payload file except the seed. */
export const isUnit = (path: string): boolean => path.startsWith('data/') && path !== SEED_PATH

/** The bytes of disclosure-sha256.txt: the roots in the order of their paths. */
export const indexOf = (roots: ReadonlyMap<string, Sha256>): Uint8Array =>
  utf8(
    [...roots]
      .sort(([a], [b]) => compare(a, b))
      .map(([, root]) => `${root}\n`)
      .join(''),
  )
