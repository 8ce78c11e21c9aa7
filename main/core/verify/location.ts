import type { DeclaredLocation, SiteList, VantageRecord } from '../../../schemas/types.ts'
import type { SignerStanding } from '../../../schemas/verification.ts'
import { readSigned, signerOf } from '../cms-plain.ts'
import { sha256 } from '../digest.ts'
import { PATHS } from '../pack-files.ts'
import { quote } from '../plain-text.ts'
import type { PackSource, SealReader } from '../ports.ts'
import { millisOf } from '../register/days.ts'
import { err } from '../result.ts'
import { vantageBytes, vantageProblems } from '../vantage.ts'
import { type DetachedReading, readDetached } from './detached.ts'
import { bytesOf, type PackReading } from './read.ts'
import { siteRowProblems } from './site-rows.ts'
import { NOBODY, type Trust } from './trust.ts'

/** What the signature of a vantage record shows; `problems` are of the whole record. */
export type VantageReading = DetachedReading

/** Reads a record of the right form, against what the reader decided beforehand. Nothing is thrown, whatever it holds. */
export async function vantageStands(
  seal: SealReader,
  record: VantageRecord,
  trust: Trust = NOBODY,
): Promise<VantageReading> {
  const { signature, ...unsigned } = record
  const reading = await readDetached(seal, vantageBytes(unsigned, signature), signature, { what: 'record', trust })
  const isOneText = Buffer.from(signature.cms, 'base64').toString('base64') === signature.cms
  const about = [
    ...reading.problems,
    ...(isOneText ? [] : ['The signature is written otherwise than it was made.']),
    ...(reading.demo && !record.demo
      ? ['It is of a demonstration key, and the record is said to be of no demonstration.']
      : []),
  ].map((problem) => `Its signature does not stand: ${problem} It may have been changed since.`)
  return { ...reading, problems: [...about, ...vantageProblems(record)] }
}

/** What was brought from outside to judge where nodes are: what does not fit, and what a reader should know of it. */
export interface LocationReading {
  readonly problems: readonly string[]
  readonly notes: readonly string[]
}

const MOST_PROBLEMS = 100

/**
 * What is wrong with the vantage records of a pack, and with the provider's record of where machines stand. Every record must fit its
 * signature again. A scope that cannot be read is told elsewhere; hostile ones throw nothing.
 */
export async function locationOfPack(
  source: PackSource,
  { scope }: Pick<PackReading, 'scope'>,
  seal: SealReader,
  trust: Trust = NOBODY,
): Promise<LocationReading> {
  if (scope === null) return { problems: [], notes: [] }
  const { vantages = [], sites } = scope.location ?? {}
  const problems: string[] = []
  const notes: string[] = []
  for (const record of vantages) {
    const reading = await vantageStands(seal, record, trust)
    problems.push(...reading.problems.map((problem) => `${PATHS.scope}: ${recordName(record)}: ${problem}`))
    if (reading.problems.length === 0) notes.push(...vantageNotes(record, reading, trust, scope.asOf))
  }
  problems.push(...repeated(vantages), ...(await siteProblems(source, sites)))
  const more = problems.length - MOST_PROBLEMS
  return {
    problems: more > 0 ? [...problems.slice(0, MOST_PROBLEMS), `${more} more of this kind.`] : problems,
    notes,
  }
}

const recordName = ({ id, vantage }: VantageRecord): string => `vantage record ${id} of ${quote(vantage.name)}`

const repeated = (vantages: readonly VantageRecord[]): readonly string[] =>
  vantages
    .filter(({ id }, at) => vantages.findIndex((other) => other.id === id) < at)
    .map((record) => `${PATHS.scope}: ${recordName(record)} stands there twice.`)

/** All that its times show rests on the place that somebody declared: so whose word that is stands beside every record. */
function vantageNotes(
  record: VantageRecord,
  { subject, revokedAt, standing, demo: isDemoKey }: VantageReading,
  trust: Trust,
  asOf: string,
): readonly string[] {
  const { vantage, signature, measurements, demo } = record
  const { fingerprint } = signature
  const signed = `${quote(subject ?? '')}, key fingerprint ${fingerprint}, signed ${recordName(record)}`
  return [
    `${signed}${demo ? ', which is a demonstration' : ''}. ${isDemoKey ? 'It is a demonstration key, which nobody may trust.' : STANDS[standing](trust)} Where that machine stood is the declaration of ${quote(vantage.declaredBy)}, and no measurement; a wrong one moves every bound that rests on it.`,
    ...(revokedAt === null
      ? []
      : [`The key ${fingerprint} was revoked at ${revokedAt}. What it signed names earlier moments, on its own word.`]),
    ...(measurements.some(({ at }) => millisOf(at) <= millisOf(asOf))
      ? []
      : [`The ${recordName(record)} was made after ${asOf}, and counts for nothing as of then.`]),
  ]
}

const STANDS: Readonly<Record<SignerStanding, (trust: Trust) => string>> = {
  pinned: () => 'That is the very key that you named.',
  known: () => 'It was issued under a root certificate that you named.',
  unknown: ({ signers }) =>
    `${signers.length === 0 ? 'You named nobody whom you trust' : 'That key is not among those you trust'}, so that whose it is, is not shown: compare the fingerprint with one received another way.`,
}

/** The provider's record of where machines stand lies there exactly as it was read, and fits the signature that came with it. */
async function siteProblems(source: PackSource, sites: DeclaredLocation['sites']): Promise<readonly string[]> {
  const isThere = source.paths.includes(PATHS.sites)
  if (sites === undefined) return isThere ? [`${PATHS.sites} belongs to no list of sites.`] : []
  const called = `The list of sites ${quote(sites.file.name)}`
  if (!isThere) return [`${called} is missing: there is no ${PATHS.sites}.`]
  const bytes = await bytesOf(source, PATHS.sites)
  return bytes !== null && bytes.length === sites.file.size && sha256(bytes) === sites.file.sha256
    ? [
        ...siteRowProblems(bytes, sites).map((problem) => `${called} ${problem}.`),
        ...siteSignatureProblems(called, sites, bytes),
      ]
    : [`${called} is not what was read: ${PATHS.sites} has another digest or size.`]
}

function siteSignatureProblems(called: string, { signature, signer }: SiteList, bytes: Uint8Array): readonly string[] {
  if (signature === undefined) return signer === undefined ? [] : [`${called} names a signer, and is not signed.`]
  const message = readSigned(new Uint8Array(Buffer.from(signature.cms, 'base64')))
  const read = message === null ? err('it is of no form that we read') : signerOf(message, bytes)
  if (!read.ok) return [`${called}: its signature does not stand: ${read.error}.`]
  const { subject, fingerprint } = read.value
  return fingerprint === signature.fingerprint && subject === signature.subject
    ? []
    : [`${called}: its signature is of ${quote(subject)}, and another signer is named.`]
}
