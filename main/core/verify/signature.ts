import type { VerificationAnswer } from '../../../schemas/verification.ts'
import { sha256 } from '../digest.ts'
import { PATHS } from '../pack.ts'
import { certificatesIn, fromPem } from '../pem.ts'
import { quote } from '../plain-text.ts'
import type { PackSource, SealReader, SealReading } from '../ports.ts'
import { bytesOf, textOf } from './read.ts'

/** Reads the seal over the tag manifest, or null when there is none. Anchors help to complete the chain; trust is decided apart. */
export async function readSealOf(
  source: PackSource,
  seal: SealReader,
  trust: readonly Uint8Array[],
): Promise<SealReading | null> {
  const signature = await bytesOf(source, PATHS.seal)
  const content = await bytesOf(source, PATHS.tagManifest)
  if (signature === null || content === null) return null
  const chain = fromPem('CERTIFICATE', (await textOf(source, PATHS.chain)) ?? '')
  const lists: Uint8Array[] = []
  for (const path of source.paths.filter((one) => one.startsWith('signature/crls/')))
    lists.push(...fromPem('X509 CRL', (await textOf(source, path)) ?? ''))
  return await seal.read(content, signature, [...chain, ...trust.flatMap(certificatesIn)], lists, null)
}

/** Whether the leaf or its root is among the certificates that the reader decided to trust. A demonstration key never is. */
export function isTrusted(reading: SealReading, trust: readonly Uint8Array[]): boolean {
  if (reading.demo || reading.problems.length > 0 || reading.signer === null) return false
  const pinned = new Set(trust.flatMap(certificatesIn).map(sha256))
  return pinned.has(reading.signer.fingerprint) || (reading.root !== null && pinned.has(reading.root.fingerprint))
}

/** Whose key sealed it, and whether the reader trusts that key. */
export function signedBy(
  reading: SealReading | null,
  trust: readonly Uint8Array[],
  verifiedAt: string,
): VerificationAnswer {
  const answer = (
    outcome: VerificationAnswer['outcome'],
    summary: string,
    details: readonly string[] = [],
  ): VerificationAnswer => ({
    question: 'signed-by',
    outcome,
    summary,
    details,
  })
  if (reading === null) return answer('no', `There is no seal: ${PATHS.seal} or ${PATHS.tagManifest} is missing.`)
  if (reading.problems.length > 0 || reading.signer === null)
    return answer('no', 'The seal does not verify.', reading.problems)
  const { subject, fingerprint, notBefore, notAfter } = reading.signer
  const who = `${quote(subject)}, key fingerprint ${fingerprint}`
  const facts = [
    `The certificate is valid from ${notBefore} to ${notAfter}.`,
    ...(reading.root === null
      ? []
      : [`Issued under ${quote(reading.root.subject)}, fingerprint ${reading.root.fingerprint}.`]),
  ]
  if (reading.revoked !== null) return answer('no', `The key of ${who} was revoked at ${reading.revoked.at}.`, facts)
  if (verifiedAt < notBefore)
    return answer('no', `The seal of ${who} verifies, and the certificate is not valid yet.`, facts)
  const pinned = isTrusted(reading, trust)
  if (!pinned && trust.length > 0)
    return answer(
      'no',
      reading.demo
        ? 'The seal verifies, and it was made by a demonstration key. Such a key is never trusted, even when named.'
        : `The seal verifies, and the key of ${who} is not among those you trust.`,
      facts,
    )
  if (verifiedAt > notAfter)
    return answer(
      'not-shown',
      `The seal of ${who} verifies, and the certificate has ended. Nothing shows that the seal is from before.`,
      facts,
    )
  if (pinned) return answer('yes', `Sealed by ${who}, which you trust.`, facts)
  return answer(
    'not-shown',
    reading.demo
      ? 'The seal verifies. It was made by a demonstration key, which nobody may trust.'
      : `The seal of ${who} verifies. Whether it is theirs is not shown: compare the fingerprint with one received another way, or name their root certificate.`,
    facts,
  )
}

/** By when it existed, according to somebody else's clock. */
export function existedBy(reading: SealReading | null, statedAt: string | null): VerificationAnswer {
  const own = statedAt === null ? [] : [`The pack itself says that it was evaluated as of ${statedAt}.`]
  const stamp = reading?.timestamp ?? null
  if (stamp === null)
    return {
      question: 'existed-by',
      outcome: 'not-shown',
      summary: 'No time-stamp by somebody else. All times in the pack are the signer’s own.',
      details: own,
    }
  if (stamp.problems.length > 0)
    return {
      question: 'existed-by',
      outcome: 'no',
      summary: 'The time-stamp does not verify.',
      details: stamp.problems,
    }
  return {
    question: 'existed-by',
    outcome: 'yes',
    summary: `It existed at ${stamp.at}, says ${quote(stamp.authority)}.`,
    details: own,
  }
}
