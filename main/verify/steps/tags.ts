import type { Statement } from '../../../schemas/types.ts'
import { VERSION } from '../../../schemas/version.ts'
import { LARGEST_TEXT } from '../../core/budgets.ts'
import { sha256 } from '../../core/digest.ts'
import { bagInfo, CHAIN_RECIPE, PATHS } from '../../core/pack.ts'
import { evidenceDigestOf } from '../../core/pack-files.ts'
import { fromPem, pem } from '../../core/pem.ts'
import { quote } from '../../core/plain-text.ts'
import type { PackSource, SealReading } from '../../core/ports.ts'
import { CHAIN_PATHS } from '../../core/run-chain/files.ts'
import { VERIFY_SH } from '../../core/verify-sh.ts'
import { verifyText } from '../../core/verify-text.ts'

/** What the files outside the payload are written from. */
export interface TagMatter {
  readonly statement: Statement
  readonly signer: NonNullable<SealReading['signer']>
}

/**
 * Differences between the files for people and scripts outside the payload and those that follow from the sealed contents, one sentence each:
 * they are sealed, and only their signer states them. What another version of the program words is not compared: VERIFY.txt and verify.sh.
 */
export async function tagFileProblems(source: PackSource, matter: TagMatter): Promise<readonly string[]> {
  const text = async (path: string): Promise<string> =>
    new TextDecoder().decode(await source.read(path, LARGEST_TEXT).catch(() => new Uint8Array()))
  const [info, manifest, chain] = [await text(PATHS.info), await text(PATHS.manifest), await text(PATHS.chain)]
  const { predicate } = matter.statement
  const about = {
    producer: predicate.producer,
    asOf: predicate.asOf,
    identifier: predicate.run,
    // Compared with the payload where all of it is at hand.
    oxum: /^Payload-Oxum: (\d{1,15}\.\d{1,7})$/m.exec(info)?.[1] ?? '',
    evidenceDigest: evidenceDigestOf(manifest),
    fingerprint: matter.signer.fingerprint,
    demo: predicate.demo,
  }
  const certificates = fromPem('CERTIFICATE', chain)
  return [
    ...(info === bagInfo(about) ? [] : [differs(PATHS.info)]),
    ...(chain === certificates.map((der) => pem('CERTIFICATE', der)).join('') &&
    new Set(certificates.map(sha256)).size === certificates.length
      ? []
      : [`${PATHS.chain} has more in it than each certificate once.`]),
    ...(predicate.producer === `Barewitness ${VERSION}` ? await worded(source, matter, certificates, text) : []),
  ]
}

const differs = (path: string): string => `${quote(path)} differs from the one that follows from the sealed contents.`

async function worded(
  { paths }: PackSource,
  { statement: { predicate }, signer }: TagMatter,
  certificates: readonly Uint8Array[],
  text: (path: string) => Promise<string>,
): Promise<readonly string[]> {
  const [help, script, manifest] = [await text(PATHS.help), await text(PATHS.verifyScript), await text(PATHS.manifest)]
  const isStamped = paths.includes(PATHS.tsaChain)
  const again = verifyText({
    // The names of the archive and of the authority are in no other sealed file: one word, and one line, that any text may stand for.
    packName: /^ {4}unzip -p ([A-Za-z0-9._-]{1,200}) /m.exec(help)?.[1] ?? '',
    timestamp: isStamped
      ? { authority: / 3\. From the time-stamp authority (.{0,300}), its root/.exec(help)?.[1] ?? '' }
      : null,
    fingerprint: signer.fingerprint,
    rootFingerprint: sha256(certificates.at(-1) ?? new Uint8Array()),
    subject: signer.subject,
    evidenceDigest: evidenceDigestOf(manifest),
    demo: predicate.demo,
    revocationLists: paths.filter((path) => path.startsWith('signature/crls/')),
    recipes: paths.includes(CHAIN_PATHS.inclusion) ? [CHAIN_RECIPE] : [],
  })
  return [
    ...(help === again ? [] : [differs(PATHS.help)]),
    ...(script === VERIFY_SH ? [] : [differs(PATHS.verifyScript)]),
  ]
}
