import type { SignerStanding, VerificationAnswer, VerificationReport } from '../../../schemas/verification.ts'
import { sha256 } from '../digest.ts'
import { PATHS, stampPath } from '../pack-files.ts'
import { fromPem } from '../pem.ts'
import { quote } from '../plain-text.ts'
import type { PackSource, SealReader, SealReading, StampedBytes } from '../ports.ts'
import { LARGEST_STAMP, MOST_CERTIFICATES, MOST_REVOCATION_LISTS, MOST_STAMPS } from './budgets.ts'
import { bytesOf, textOf } from './read.ts'
import type { ShownTime } from './time.ts'
import { certificatesOf, standingOf, type Trust } from './trust.ts'

/** Reads the seal over the tag manifest, or null when there is none. Anchors help to complete the chain; trust is decided apart. */
export async function readSealOf(source: PackSource, seal: SealReader, trust: Trust): Promise<SealReading | null> {
  const signature = await bytesOf(source, PATHS.seal)
  const content = await bytesOf(source, PATHS.tagManifest)
  if (signature === null || content === null) return null
  const brought = {
    chain: await chainIn(source, PATHS.chain),
    crls: await listsBelow(source, SIGNER_LISTS),
    tsaChain: await chainIn(source, PATHS.tsaChain),
    tsaCrls: await listsBelow(source, PATHS.tsaLists),
  }
  const reading = await seal.read({
    content,
    signature,
    chain: [...brought.chain.slice(0, MOST_CERTIFICATES), ...certificatesOf(trust.signers)],
    crls: brought.crls.slice(0, MOST_REVOCATION_LISTS),
    timestamps: await stampsOver(source, signature),
    tsaChain: [...brought.tsaChain.slice(0, MOST_CERTIFICATES), ...certificatesOf(trust.authorities)],
    tsaCrls: brought.tsaCrls.slice(0, MOST_REVOCATION_LISTS),
    freshCrls: trust.lists,
  })
  const beyond = [
    ...([brought.chain, brought.tsaChain].some(({ length }) => length > MOST_CERTIFICATES)
      ? [`The pack brings more than ${MOST_CERTIFICATES} certificates of one chain; no more are read.`]
      : []),
    ...([brought.crls, brought.tsaCrls].some(({ length }) => length > MOST_REVOCATION_LISTS)
      ? [`The pack brings more than ${MOST_REVOCATION_LISTS} revocation lists of one chain; no more are read.`]
      : []),
  ]
  return beyond.length === 0 ? reading : { ...reading, problems: [...reading.problems, ...beyond] }
}

const SIGNER_LISTS = 'signature/crls/'

/** Certificates that a pack brings along, one more than are read at most. None is trusted by that. */
export const chainIn = async (source: PackSource, path: string): Promise<readonly Uint8Array[]> =>
  fromPem('CERTIFICATE', (await textOf(source, path)) ?? '', MOST_CERTIFICATES + 1)

/** Whether a pack brings the chain of the authority that was to stamp its seal, and the root of it. */
export async function namedAuthority(
  source: PackSource,
): Promise<{ readonly wholeChains: boolean; readonly firstRoot: string | null }> {
  if (!source.paths.includes(PATHS.tsaChain)) return { wholeChains: false, firstRoot: null }
  const root = (await chainIn(source, PATHS.tsaChain)).at(-1)
  return { wholeChains: true, firstRoot: sha256(root ?? new Uint8Array()) }
}

/** Revocation lists in a folder of a pack, one more than are read at most. */
async function listsBelow(source: PackSource, folder: string): Promise<readonly Uint8Array[]> {
  const most = MOST_REVOCATION_LISTS + 1
  const lists: Uint8Array[] = []
  for (const path of source.paths) {
    if (!path.startsWith(folder)) continue
    lists.push(...fromPem('X509 CRL', (await textOf(source, path)) ?? '', most - lists.length))
    if (lists.length >= most) break
  }
  return lists
}

/** The time-stamps in a pack, each with what it is over: the seal, and all time-stamps before it. As many as are read at most. */
export async function stampsOver(source: PackSource, signature: Uint8Array): Promise<readonly StampedBytes[]> {
  const stamps: StampedBytes[] = []
  let over = signature
  while (stamps.length < MOST_STAMPS) {
    const token = await bytesOf(source, stampPath(stamps.length + 1), LARGEST_STAMP)
    if (token === null) break
    stamps.push({ token, over })
    over = new Uint8Array(Buffer.concat([over, token]))
  }
  return stamps
}

/** How the key stands with the reader. A demonstration key, and a seal that does not verify, stand with nobody. */
export const standing = (reading: SealReading, trust: Trust): SignerStanding =>
  reading.demo || reading.problems.length > 0 || reading.signer === null
    ? 'unknown'
    : standingOf(trust.signers, reading.signer, reading.root)

/** Who sealed, as a report says it, judged at a moment; null when that cannot be read. */
export function signerOf(reading: SealReading | null, trust: Trust, at: string): VerificationReport['signer'] {
  if (reading === null || reading.signer === null) return null
  const { subject, fingerprint, notAfter } = reading.signer
  const stands = standing(reading, trust)
  return { subject, fingerprint, trusted: stands !== 'unknown', standing: stands, ended: at > notAfter }
}

export interface Judgement {
  readonly trust: Trust
  readonly time: ShownTime
  readonly verifiedAt: string
  /** Whether the chain must be there up to its root. */
  readonly wholeChain: boolean
  /** What to say where no seal can be read at all. */
  readonly absent: string
}

/** Of a pack, or of a copy of one. */
export const NO_SEAL = `There is no seal: ${PATHS.seal} or ${PATHS.tagManifest} is missing.`

/**
 * Whose key sealed it, and whether the reader trusts that key, judged at the moment that is shown; else now. A pack brings its whole chain;
 * a report by itself may not, and then only the key can be known, not who issued it.
 */
export function signedBy(reading: SealReading | null, judgement: Judgement): VerificationAnswer {
  const answer = (
    outcome: VerificationAnswer['outcome'],
    summary: string,
    details: readonly string[] = [],
  ): VerificationAnswer => ({ question: 'signed-by', outcome, summary, details })
  if (reading === null) return answer('no', judgement.absent)
  if (reading.problems.length > 0 || reading.signer === null)
    return answer('no', 'The seal does not verify.', reading.problems)
  const { trust, time, verifiedAt, wholeChain } = judgement
  if (wholeChain && reading.incomplete !== null)
    return answer('no', 'The seal verifies, and its chain of certificates is cut short.', [reading.incomplete])
  const { subject, fingerprint } = reading.signer
  const who = `${quote(subject)}, key fingerprint ${fingerprint}`
  const { refused, open, facts } = validity(reading, reading.signer, time, verifiedAt)
  if (refused !== null) return answer('no', `The seal of ${who} verifies, and ${refused}`, facts)
  const stands = standing(reading, trust)
  if (stands === 'unknown' && trust.signers.length > 0)
    return answer(
      'no',
      reading.demo
        ? 'The seal verifies, and it was made by a demonstration key. Such a key is never trusted, even when named.'
        : `The seal verifies, and the key of ${who} is not among those you trust.`,
      facts,
    )
  if (open !== null) return answer('not-shown', `The seal of ${who} verifies, and ${open}`, facts)
  if (stands === 'pinned') return answer('yes', `Pinned: sealed by ${who}, the very key that you named.`, facts)
  if (stands === 'known')
    return answer('yes', `Known: sealed by ${who}, issued under a root certificate that you named.`, facts)
  return answer(
    'not-shown',
    reading.demo
      ? 'Unknown: the seal verifies. It was made by a demonstration key, which nobody may trust.'
      : `Unknown: the seal of ${who} verifies. Whether it is theirs is not shown: compare the fingerprint with one received another way, or name their root certificate.`,
    facts,
  )
}

interface Validity {
  /** Why it is rejected. */
  readonly refused: string | null
  /** Why its moment leaves it open. */
  readonly open: string | null
  readonly facts: readonly string[]
}

/** The certificate's term and revocation against the one moment that counts (RFC 5280 §6.1.3; ETSI EN 319 102-1 §5.5.4). */
function validity(
  reading: SealReading,
  { notBefore, notAfter }: NonNullable<SealReading['signer']>,
  time: ShownTime,
  verifiedAt: string,
): Validity {
  const at = time.at ?? verifiedAt
  const moment = time.at === null ? 'now' : `at ${at}, by when it is shown to have existed`
  const revokedAt = reading.revoked?.at ?? null
  const later = revokedAt !== null && time.at !== null && revokedAt > time.at
  const facts = [
    `The certificate and its issuers are valid from ${notBefore} to ${notAfter}; judged ${moment}.`,
    ...(reading.root === null
      ? reading.incomplete === null
        ? []
        : [reading.incomplete]
      : [`Issued under ${quote(reading.root.subject)}, fingerprint ${reading.root.fingerprint}.`]),
    ...(later ? [`The key was revoked later, at ${revokedAt}. The seal existed before that.`] : []),
    ...(reading.revocationCovered && (reading.revocationUntil === null || reading.revocationUntil >= at)
      ? []
      : ['Revocation was not checked: there is no list for every certificate that is current at that moment.']),
  ]
  const none = { refused: null, open: null, facts }
  if (revokedAt !== null && !later)
    return time.at === null
      ? { ...none, refused: `its key was revoked at ${revokedAt}. No time-stamp shows that the seal is from before.` }
      : { ...none, refused: `its key was revoked at ${revokedAt}, before the seal is shown to have existed.` }
  if (at < notBefore) return { ...none, refused: `its certificate was not valid yet ${moment}.` }
  if (at <= notAfter) return none
  return time.at === null
    ? { ...none, open: `its certificate ended on ${notAfter}. Nothing shows that the seal is from before.` }
    : { ...none, refused: `its certificate had ended ${moment}.` }
}
