import { parseBounded } from '../base/bounded-json.ts'
import { isSha256, type Sha256, sha256 } from '../base/digest.ts'
import { readHeadStatement } from './audit-head.ts'

/** A signature in the record of a sealer. It was recorded before it was made; the key may have failed afterwards. */
interface RecordedSignature {
  /** Line in the record, from 1. */
  readonly line: number
  /** By the sealer’s clock. */
  readonly at: string
  /** Fingerprint of the certificate. */
  readonly signer: Sha256
  readonly digest: Sha256
  /** Signatures for one export, or for entries recorded together, have one order. */
  readonly order: string
  readonly engagement: string
  readonly purpose: string
  /** `entry`: the sealer read the whole signed text. */
  readonly kind: 'document' | 'entry'
}

/** The record of a sealer, as far as it is readable. */
export interface SealingRecord {
  readonly signatures: readonly RecordedSignature[]
  /** Statements about audit logs. */
  readonly heads: number
  /** Lines that are no entry of a record, are incomplete, or contain a text with another digest; from 1. */
  readonly unread: readonly number[]
}

/** Parses the record of a sealer, which may be any text. */
export function readSealingRecord(text: string): SealingRecord {
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  const signatures: RecordedSignature[] = []
  const unread: number[] = []
  let heads = 0
  for (const [index, line] of lines.entries()) {
    const read = entryIn(line)
    if (read === null) unread.push(index + 1)
    else if (read === 'head') heads += 1
    else signatures.push({ line: index + 1, ...read })
  }
  // The last line has no line end, because it was being written.
  return { signatures, heads, unread: last === '' ? unread : [...unread, lines.length + 1] }
}

type Unnumbered = Omit<RecordedSignature, 'line'>
type Members = Readonly<Partial<Record<keyof Unnumbered | 'auditHead' | 'content', unknown>>>

function entryIn(line: string): Unnumbered | 'head' | null {
  const members = parsed(line)
  if (members === null) return null
  const { at, signer, digest, order, engagement, purpose, content, auditHead } = members
  if (!isText(signer) || !isSha256(signer)) return null
  if (auditHead !== undefined) return isText(auditHead) && readHeadStatement(auditHead) !== null ? 'head' : null
  if (!isText(digest) || !isSha256(digest)) return null
  if (!isText(at) || !isText(order) || !isText(engagement) || !isText(purpose)) return null
  if (content !== undefined && (!isText(content) || sha256(content) !== digest)) return null
  return { at, signer, digest, order, engagement, purpose, kind: content === undefined ? 'document' : 'entry' }
}

function parsed(line: string): Members | null {
  try {
    const value = parseBounded(line)
    return typeof value === 'object' && value !== null ? value : null
  } catch {
    return null
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** Where a signature is in a file. */
export type SignaturePlace = 'seal' | 'report' | 'executive-summary' | 'pdf' | 'register-entry' | 'chain-entry'

/** A signature in a pack or PDF. */
export interface FoundSignature {
  readonly file: string
  readonly place: SignaturePlace
  /** Id of an entry, line of the run chain, or path in the pack. */
  readonly name: string
  /** What it covers and who made it; null where it does not verify. */
  readonly made: { readonly signer: Sha256; readonly digest: Sha256 } | null
}

/** The seal of another pack, named by a run chain. */
export interface NamedSeal {
  readonly signer: Sha256
  readonly digest: Sha256
}

/** `other-key`: its key signed nothing in this record. `invalid`: it does not verify. */
export type SignatureState = 'recorded' | 'not-recorded' | 'other-key' | 'invalid'
/**
 * `found`: in a file. `named`: the seal of another pack, which a run chain names. `not-given`: belongs to an export
 * whose seal is found or named, or to a document that is in no file. `unaccounted`: none of these. `other-key`: its
 * key signed nothing in these files.
 */
export type EntryState = 'found' | 'named' | 'not-given' | 'unaccounted' | 'other-key'

export interface RecordComparison {
  readonly signatures: readonly (FoundSignature & {
    readonly state: SignatureState
    /** Its line in the record. */
    readonly line: number | null
  })[]
  readonly entries: readonly (RecordedSignature & { readonly state: EntryState })[]
}

/** Compares the record of a sealer with the signatures of files, by key and digest. */
export function compareRecord(
  { signatures }: Pick<SealingRecord, 'signatures'>,
  found: readonly FoundSignature[],
  named: readonly NamedSeal[],
): RecordComparison {
  const lines = new Map<string, number>()
  for (const one of signatures) if (!lines.has(keyOf(one))) lines.set(keyOf(one), one.line)
  const ownKeys = new Set(signatures.map(({ signer }) => signer))
  const made = found.flatMap((one) => one.made ?? [])
  const [inFiles, inChains] = [new Set(made.map(keyOf)), new Set(named.map(keyOf))]
  const keysOfFiles = new Set(made.map(({ signer }) => signer))
  const knownOrders = new Set(
    signatures.filter((one) => inFiles.has(keyOf(one)) || inChains.has(keyOf(one))).map(orderOf),
  )
  const stateOf = (one: RecordedSignature): EntryState => {
    if (!keysOfFiles.has(one.signer)) return 'other-key'
    if (inFiles.has(keyOf(one))) return 'found'
    if (inChains.has(keyOf(one))) return 'named'
    return one.kind === 'document' && knownOrders.has(orderOf(one)) ? 'not-given' : 'unaccounted'
  }
  return {
    signatures: found.map((one) => {
      if (one.made === null) return { ...one, state: 'invalid', line: null }
      const line = lines.get(keyOf(one.made)) ?? null
      const missing = ownKeys.has(one.made.signer) ? 'not-recorded' : 'other-key'
      return { ...one, state: line === null ? missing : 'recorded', line }
    }),
    entries: signatures.map((one) => ({ ...one, state: stateOf(one) })),
  }
}

const keyOf = ({ signer, digest }: NamedSeal): string => `${signer} ${digest}`
const orderOf = ({ signer, order }: RecordedSignature): string => `${signer} ${order}`
