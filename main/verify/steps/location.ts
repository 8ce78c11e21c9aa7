import type { DeclaredLocation, SiteList, SiteRow, VantageRecord } from '../../../schemas/types.ts'
import type { SignerTrust } from '../../../schemas/verification.ts'
import { isWithinBudget } from '../../core/base/bounded-json.ts'
import { millisOf } from '../../core/base/days.ts'
import { sha256 } from '../../core/base/digest.ts'
import { err } from '../../core/base/failure.ts'
import { quote } from '../../core/base/plain-text.ts'
import type { PackScope } from '../../core/conclusion/assess.ts'
import { readSigned, signerOf } from '../../core/der/cms-plain.ts'
import { listText, wordsOf } from '../../core/engagement/list-text.ts'
import { vantageBytes, vantageProblems } from '../../core/fleet/vantage.ts'
import { PATHS } from '../../core/pack/pack-files.ts'
import type { PackSource, SealReader } from '../../core/ports/ports.ts'
import { bytesOf, type PackReading } from './read.ts'
import { bytesIn, type DetachedReading, readDetached } from './signature.ts'
import { NO_TRUST, type Trust } from './trust.ts'

/**
 * Reads the signature of a measurement of valid form and evaluates it against the reader’s trust; `problems` cover the whole measurement. Never
 * throws, whatever it contains.
 */
export async function vantageIsSigned(
  seal: SealReader,
  record: VantageRecord,
  trust: Trust = NO_TRUST,
): Promise<DetachedReading> {
  const { signature, ...unsigned } = record
  const reading = await readDetached(seal, vantageBytes(unsigned, signature), signature, { what: 'record', trust })
  const isOneText = Buffer.from(signature.cms, 'base64').toString('base64') === signature.cms
  const about = [
    ...reading.problems,
    ...(isOneText ? [] : ['The encoding of the signature was changed.']),
    ...(reading.demo && !record.demo
      ? ['It was made with a demo key, but the measurement is not marked as demo data.']
      : []),
  ].map((problem) => `Its signature is invalid: ${problem} It may have been changed since.`)
  return { ...reading, problems: [...about, ...vantageProblems(record)] }
}

/** Location evidence from outside the nodes: problems, and notes for the reader. */
interface LocationReading {
  readonly problems: readonly string[]
  readonly notes: readonly string[]
}

const MOST_PROBLEMS = 100

/**
 * Problems of the vantage measurements of a pack and of the provider’s site list. Every measurement must match its
 * signature. An unreadable scope is reported elsewhere; hostile input never throws.
 */
export async function locationOfPack(
  source: PackSource,
  { scope }: Pick<PackReading, 'scope'>,
  seal: SealReader,
  trust: Trust = NO_TRUST,
): Promise<LocationReading> {
  if (scope === null) return { problems: [], notes: [] }
  const { problems, notes } = await vantagesOfScope(scope, seal, trust)
  return { problems: atMost([...problems, ...(await siteProblems(source, scope.location?.sites))]), notes }
}

const atMost = (problems: readonly string[]): readonly string[] => {
  const more = problems.length - MOST_PROBLEMS
  return more > 0 ? [...problems.slice(0, MOST_PROBLEMS), `${more} more of this kind.`] : problems
}

/** The same of the vantage measurements alone, which a scope has whole. */
export async function vantagesOfScope(scope: PackScope, seal: SealReader, trust: Trust): Promise<LocationReading> {
  const { vantages = [] } = scope.location ?? {}
  const problems: string[] = []
  const notes: string[] = []
  for (const record of vantages) {
    const reading = await vantageIsSigned(seal, record, trust)
    problems.push(...reading.problems.map((problem) => `${PATHS.scope}: ${recordName(record)}: ${problem}`))
    if (reading.problems.length === 0) notes.push(...vantageNotes(record, reading, trust, scope.asOf))
  }
  return { problems: [...problems, ...repeated(vantages)], notes }
}

const recordName = ({ id, vantage }: VantageRecord): string => `vantage measurement ${id} of ${quote(vantage.name)}`

const repeated = (vantages: readonly VantageRecord[]): readonly string[] =>
  vantages
    .filter(({ id }, at) => vantages.findIndex((other) => other.id === id) < at)
    .map((record) => `${PATHS.scope}: ${recordName(record)} occurs twice.`)

/** All bounds depend on the declared place of the vantage point, so the declaring party is stated with every measurement. */
function vantageNotes(
  record: VantageRecord,
  { subject, revokedAt, trust: signerTrust, demo: isDemoKey }: DetachedReading,
  trust: Trust,
  asOf: string,
): readonly string[] {
  const { vantage, signature, measurements, demo } = record
  const { fingerprint } = signature
  const signed = `${quote(subject ?? '')}, key fingerprint ${fingerprint}, signed ${recordName(record)}`
  return [
    `${signed}${demo ? ' (demo data)' : ''}. ${isDemoKey ? 'It is a demo key, which can never be trusted.' : STANDS[signerTrust](trust)} The place of the vantage point was declared by ${quote(vantage.declaredBy)} and not measured; an incorrect place invalidates every bound based on it.`,
    ...(revokedAt === null
      ? []
      : [
          `The key ${fingerprint} was revoked at ${revokedAt}. The earlier signing times are stated by the signer only.`,
        ]),
    ...(measurements.some(({ at }) => millisOf(at) <= millisOf(asOf))
      ? []
      : [`The ${recordName(record)} was made after ${asOf} and is not used at that evaluation date.`]),
  ]
}

const STANDS: Readonly<Record<SignerTrust, (trust: Trust) => string>> = {
  pinned: () => 'You trust this key.',
  known: () => 'Its certificate was issued under a root certificate that you trust.',
  unknown: ({ signers }) =>
    `${signers.length === 0 ? 'No trusted signers were supplied' : 'The key is not among those you trust'}, so the signer is not confirmed: compare the fingerprint with one obtained from the signer directly.`,
}

/** The provider’s site list must be stored unchanged and match its signature. */
async function siteProblems(source: PackSource, sites: DeclaredLocation['sites']): Promise<readonly string[]> {
  const isThere = source.paths.includes(PATHS.sites)
  if (sites === undefined) return isThere ? [`${PATHS.sites} is present without a site list.`] : []
  const called = `The site list ${quote(sites.file.name)}`
  if (!isThere) return [`${called} is missing: there is no ${PATHS.sites}.`]
  const bytes = await bytesOf(source, PATHS.sites)
  return bytes !== null && bytes.length === sites.file.size && sha256(bytes) === sites.file.sha256
    ? [
        ...siteRowProblems(bytes, sites).map((problem) => `${called} ${problem}.`),
        ...siteSignatureProblems(called, sites, bytes),
      ]
    : [`${called} was changed: ${PATHS.sites} has a different digest or size.`]
}

function siteSignatureProblems(called: string, { signature, signer }: SiteList, bytes: Uint8Array): readonly string[] {
  if (signature === undefined) return signer === undefined ? [] : [`${called} names a signer but is not signed.`]
  const message = readSigned(bytesIn(signature.cms))
  const read = message === null ? err('unsupported format') : signerOf(message, bytes)
  if (!read.ok) return [`${called}: its signature is invalid: ${read.error}.`]
  const { subject, fingerprint } = read.value
  return fingerprint === signature.fingerprint && subject === signature.subject
    ? []
    : [`${called}: it was signed by ${quote(subject)}, but a different signer is stated.`]
}

const MOST_TOLD = 20

/**
 * Differences between rows and a provider’s site list, as text after its name. It needs no column knowledge or CSV parser: every word of
 * a row’s serial number, site, room, rack and unit must occur in the list and, in a table without quoted cells, in the same line. Countries
 * and numbers can be formatted differently and are not compared.
 */
function siteRowProblems(bytes: Uint8Array, { kind, rows }: Pick<SiteList, 'kind' | 'rows'>): readonly string[] {
  const text = kind === 'csv' ? listText(bytes) : jsonText(bytes)
  const lines = kind === 'csv' && !text.includes('"') ? text.split(text.includes('\n') ? '\n' : '\r') : null
  const whole = lines === null ? new Set(wordsOf(text)) : null
  // Each line once: any number of rows can name the same one.
  const known = new Map<number, ReadonlySet<string>>()
  const inLine = (line: number): ReadonlySet<string> => {
    const words = known.get(line) ?? new Set(wordsOf(lines?.[line - 1] ?? ''))
    known.set(line, words)
    return words
  }
  const wrong = rows.filter((row) => {
    const there = whole ?? inLine(row.line)
    return !placeWords(row).every((word) => there.has(word))
  })
  const problems = wrong
    .slice(0, MOST_TOLD)
    .map(({ serial }) => `does not contain the row of ${quote(serial)} at its position`)
  const more = wrong.length - problems.length
  return more > 0 ? [...problems, `does not contain ${more} more rows`] : problems
}

/** Words that the Redfish reader adds to a resource. */
const OURS = new Set(['floor', 'row', 'asset'])

const placeWords = ({ serial, site, room = '', rack = '', unit = '' }: SiteRow): readonly string[] => [
  ...wordsOf(serial),
  ...wordsOf(site),
  ...[room, rack, unit].flatMap(wordsOf).filter((word) => !OURS.has(word)),
]

/** Texts and numbers of a JSON document; empty where it is not valid JSON. Parsed, because texts can contain escapes. */
function jsonText(bytes: Uint8Array): string {
  const found: string[] = []
  try {
    const text = listText(bytes).replace(/^\uFEFF/, '')
    if (!isWithinBudget(text)) return ''
    JSON.parse(text, (_, value: unknown) => {
      if (typeof value === 'string' || typeof value === 'number') found.push(String(value))
      return null
    })
  } catch {
    return ''
  }
  return found.join('\n')
}
