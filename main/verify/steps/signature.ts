import type { EntrySignature } from '../../../schemas/types.ts'
import type {
  CheckOutcome,
  SignerTrust,
  VerificationCheckResult,
  VerificationReport,
} from '../../../schemas/verification.ts'
import { LARGEST_STAMP, MOST_CERTIFICATES, MOST_REVOCATION_LISTS, MOST_STAMPS } from '../../core/base/budgets.ts'
import { sha256 } from '../../core/base/digest.ts'
import { fromPem } from '../../core/base/pem.ts'
import { quote } from '../../core/base/plain-text.ts'
import { PATHS, stampPath } from '../../core/pack/pack-files.ts'
import type { PackSource, SealReader, SealReading, StampedBytes } from '../../core/ports/ports.ts'
import { bytesOf, textOf } from './read.ts'
import { checkResult } from './result.ts'
import type { ShownTime } from './time.ts'
import { certificatesOf, type Trust, trustOf } from './trust.ts'

/** Reads the seal over the tag manifest, or null when there is none. Trust anchors help to complete the chain; trust is evaluated separately. */
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
      ? [`The pack contains more than ${MOST_CERTIFICATES} certificates for one chain; the others were not read.`]
      : []),
    ...([brought.crls, brought.tsaCrls].some(({ length }) => length > MOST_REVOCATION_LISTS)
      ? [
          `The pack contains more than ${MOST_REVOCATION_LISTS} revocation lists for one chain; the others were not read.`,
        ]
      : []),
  ]
  return beyond.length === 0 ? reading : { ...reading, problems: [...reading.problems, ...beyond] }
}

/** Folder of the revocation lists of the signer. */
export const SIGNER_LISTS = 'signature/crls/'

/** Certificates in a pack, up to one above the limit. Their presence gives them no trust. */
export const chainIn = async (source: PackSource, path: string): Promise<readonly Uint8Array[]> =>
  fromPem('CERTIFICATE', (await textOf(source, path)) ?? '', MOST_CERTIFICATES + 1)

/** Whether a pack contains the chain of the authority that was to time-stamp its seal, and the root of that chain. */
export async function namedAuthority(
  source: PackSource,
): Promise<{ readonly wholeChains: boolean; readonly firstRoot: string | null }> {
  if (!source.paths.includes(PATHS.tsaChain)) return { wholeChains: false, firstRoot: null }
  const root = (await chainIn(source, PATHS.tsaChain)).at(-1)
  return { wholeChains: true, firstRoot: sha256(root ?? new Uint8Array()) }
}

/** Revocation lists in a folder of a pack, up to one above the limit. */
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

/** The time-stamps in a pack up to the limit, each with the bytes it covers: the seal and all earlier time-stamps. */
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

/** Signer trust. A demo key, or an invalid seal, is never trusted. */
export const statusOfSigner = (reading: SealReading, trust: Trust): SignerTrust =>
  reading.demo || reading.problems.length > 0 || reading.signer === null
    ? 'unknown'
    : trustOf(trust.signers, reading.signer, reading.root)

/** The signer for the verification report, evaluated at a time; null when it cannot be read. */
export function signerOf(reading: SealReading | null, trust: Trust, at: string): VerificationReport['signer'] {
  if (reading === null || reading.signer === null) return null
  const { subject, fingerprint, notAfter } = reading.signer
  const stands = statusOfSigner(reading, trust)
  return { subject, fingerprint, trusted: stands !== 'unknown', trust: stands, ended: at > notAfter }
}

interface Judgement {
  readonly trust: Trust
  readonly time: ShownTime
  readonly verifiedAt: string
  /** Whether the chain must be complete up to its root. */
  readonly wholeChain: boolean
  /** Message where no seal can be read. */
  readonly absent: string
}

/** Message for a pack or redacted copy without a seal. */
export const NO_SEAL = `No seal: ${PATHS.seal} or ${PATHS.tagManifest} is missing.`

/**
 * Signature check: validity of the seal and signer trust, evaluated at the confirmed time, otherwise now. A pack contains its complete chain;
 * a report alone may not, and then only the key can be recognized, not its issuer.
 */
export function signedBy(reading: SealReading | null, judgement: Judgement): VerificationCheckResult {
  const answer = (outcome: CheckOutcome, summary: string, details?: readonly string[]): VerificationCheckResult =>
    checkResult('signature', outcome, summary, details)
  if (reading === null) return answer('failed', judgement.absent)
  if (reading.problems.length > 0 || reading.signer === null)
    return answer('failed', 'The signature is invalid.', reading.problems)
  const { trust, time, verifiedAt, wholeChain } = judgement
  if (wholeChain && reading.incomplete !== null)
    return answer('failed', 'The signature is valid, but its certificate chain is incomplete.', [reading.incomplete])
  const { subject, fingerprint } = reading.signer
  const who = `${quote(subject)}, key fingerprint ${fingerprint}`
  const { refused, open, facts } = validity(reading, reading.signer, time, verifiedAt)
  if (refused !== null) return answer('failed', `The signature by ${who} is valid, but ${refused}`, facts)
  const stands = statusOfSigner(reading, trust)
  if (stands === 'unknown' && trust.signers.length > 0)
    return answer(
      'failed',
      reading.demo
        ? 'The signature is valid, but was made with a demo key. Demo keys are never trusted, even when supplied.'
        : `The signature is valid, but the key of ${who} is not among those you trust.`,
      facts,
    )
  if (open !== null) return answer('indeterminate', `The signature by ${who} is valid, but ${open}`, facts)
  if (stands === 'pinned') return answer('passed', `Trusted key: signed by ${who}, a key you trust.`, facts)
  if (stands === 'known' && wholeChain && !isCurrent(reading.revocationNamed, time.at ?? verifiedAt))
    return answer(
      'indeterminate',
      `Revocation not confirmed: signed by ${who}, issued under a root certificate you trust. The certificate names a source of revocation information, and no current revocation list is at hand. Verify again with one from its issuer.`,
      facts,
    )
  if (stands === 'known')
    return answer('passed', `Trusted issuer: signed by ${who}, issued under a root certificate you trust.`, facts)
  if (reading.demo)
    return answer(
      'indeterminate',
      'Unconfirmed signer: the signature is valid, but was made with a demo key, which can never be trusted.',
      facts,
    )
  const unconfirmed = `Unconfirmed signer: the signature by ${who} is valid. Compare the fingerprint with one obtained from the signer directly, or trust their root certificate.`
  return { ...answer('indeterminate', unconfirmed, facts), needs: 'signer' }
}

/**
 * Whether revocation lists show, at a time, that no certificate was revoked. Null, where no certificate names a list, counts as current.
 */
const isCurrent = (lists: SealReading['revocationNamed'], at: string): boolean =>
  lists === null || (lists.covered && (lists.until === null || lists.until >= at))

interface Validity {
  /** Reason for failure. */
  readonly refused: string | null
  /** Reason why the result is indeterminate. */
  readonly open: string | null
  readonly facts: readonly string[]
}

/** Validity and revocation of the certificate at the relevant time (RFC 5280 §6.1.3; ETSI EN 319 102-1 §5.5.4). */
function validity(
  reading: SealReading,
  { notBefore, notAfter }: NonNullable<SealReading['signer']>,
  time: ShownTime,
  verifiedAt: string,
): Validity {
  const at = time.at ?? verifiedAt
  const moment = time.at === null ? 'now' : `at ${at}, the confirmed time`
  const revokedAt = reading.revoked?.at ?? null
  const later = revokedAt !== null && time.at !== null && revokedAt > time.at
  const facts = [
    `The certificate and its issuers are valid from ${notBefore} to ${notAfter}; evaluated ${moment}.`,
    ...(reading.root === null
      ? reading.incomplete === null
        ? []
        : [reading.incomplete]
      : [`Issued under ${quote(reading.root.subject)}, fingerprint ${reading.root.fingerprint}.`]),
    ...(later ? [`The key was revoked later, at ${revokedAt}. The seal was made before that time.`] : []),
    ...(isCurrent({ covered: reading.revocationCovered, until: reading.revocationUntil }, at)
      ? []
      : ['Revocation not checked: no current revocation list for every certificate at that time.']),
  ]
  const none = { refused: null, open: null, facts }
  if (revokedAt !== null && !later)
    return time.at === null
      ? { ...none, refused: `its key was revoked at ${revokedAt}. No time-stamp shows that the seal was made before.` }
      : { ...none, refused: `its key was revoked at ${revokedAt}, before the confirmed time of the seal.` }
  if (at < notBefore) return { ...none, refused: `its certificate was not yet valid ${moment}.` }
  if (at <= notAfter) return none
  return time.at === null
    ? { ...none, open: `its certificate expired on ${notAfter}. No time-stamp shows that the seal was made before.` }
    : { ...none, refused: `its certificate had expired ${moment}.` }
}

/** A detached CMS signature as stored in Barewitness documents. */
type KeptSignature = Pick<EntrySignature, 'fingerprint' | 'at' | 'cms' | 'chain'>

/** Result of reading one such signature. */
export interface DetachedReading {
  /** As stated in the document. */
  readonly fingerprint: string
  /** Null where the signature cannot be read. */
  readonly subject: string | null
  /** SHA-256 of the public key, independent of its certificate; null as above. */
  readonly key: string | null
  /** Revocation time of the certificate, according to the available lists. */
  readonly revokedAt: string | null
  /** Signer trust; a demo key, or a key whose signature is invalid, is never trusted. */
  readonly trust: SignerTrust
  /** Signed with a demo key. */
  readonly demo: boolean
  /** Empty: the content is unchanged since it was signed with the stated key. The holder of the key is not confirmed. */
  readonly problems: readonly string[]
}

/** Reads a signature over content and evaluates it against the reader’s trust. Never throws, whatever it contains. */
export async function readDetached(
  seal: SealReader,
  content: Uint8Array,
  { fingerprint, at, cms, chain }: KeptSignature,
  { what, trust }: { readonly what: string; readonly trust: Trust },
): Promise<DetachedReading> {
  const reading = await seal.read({
    ...ALONE,
    content,
    signature: bytesIn(cms),
    chain: [...chain.map(bytesIn), ...certificatesOf(trust.signers)],
    freshCrls: trust.lists,
  })
  const { signer, demo } = reading
  const revokedAt = reading.revoked?.at ?? null
  // The validity of a demo key is irrelevant, because it is never trusted.
  const term =
    demo ||
    signer === null ||
    (Date.parse(signer.notBefore) <= Date.parse(at) && Date.parse(at) <= Date.parse(signer.notAfter))
  return {
    fingerprint,
    subject: signer?.subject ?? null,
    key: signer?.key ?? null,
    revokedAt,
    trust: statusOfSigner(reading, trust),
    demo,
    problems: [
      ...reading.problems,
      ...(signer === null || signer.fingerprint === fingerprint
        ? []
        : [`It was made with key ${signer.fingerprint}, but the ${what} names ${fingerprint}.`]),
      ...(term ? [] : [`Its certificate was not valid at ${at}.`]),
      ...(revokedAt !== null && !(Date.parse(at) < Date.parse(revokedAt))
        ? [`Its certificate was revoked at ${revokedAt}.`]
        : []),
    ],
  }
}

/** The empty input next to a detached signature without certificates, lists or time-stamps. */
export const ALONE = { chain: [], crls: [], freshCrls: [], timestamps: [], tsaChain: [], tsaCrls: [] }

export const bytesIn = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'))
