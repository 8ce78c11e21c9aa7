import type { IdentityInfo } from '../../core/identities.ts'
import { plain } from '../../core/plain-text.ts'

/** A fingerprint in groups of four, eight to a line. */
const grouped = (fingerprint: string): readonly string[] =>
  (fingerprint.match(/.{1,32}/g) ?? []).map((line) => `  ${(line.match(/.{1,4}/g) ?? []).join(' ')}`)

/**
 * The text that a signer gives to auditors over another channel than the packs, so that they can confirm the signer. It contains
 * nothing secret.
 */
export function identityCard({
  subject,
  fingerprint,
  notAfter,
  retired,
}: Pick<IdentityInfo, 'subject' | 'fingerprint' | 'notAfter' | 'retired'>): string {
  return [
    'Signing identity for evidence packs (Barewitness)',
    '',
    `Signer:      ${plain(subject)}`,
    `Valid until: ${notAfter.slice(0, 10)} (UTC)`,
    'Fingerprint of the certificate (SHA-256):',
    ...grouped(fingerprint),
    ...retired.flatMap((old) => [
      '',
      `Earlier key, valid until ${old.notAfter.slice(0, 10)} (UTC):`,
      ...grouped(old.fingerprint),
    ]),
    '',
    'To confirm the signer: open a pack, compare all 64 characters with those of the signature, and record how you',
    'received this card. Do not rely on a card that arrived together with the pack.',
    '',
  ].join('\n')
}
