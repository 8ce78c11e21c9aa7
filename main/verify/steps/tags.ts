import type { Statement } from '../../../schemas/types.ts'
import { VERSION } from '../../../schemas/version.ts'
import { MOST_CERTIFICATES, MOST_PROBLEMS } from '../../core/budgets.ts'
import { derValue } from '../../core/der/read.ts'
import { certificateParts } from '../../core/der/x509.ts'
import { sha256 } from '../../core/digest.ts'
import { bagInfo, CHAIN_RECIPE, PATHS } from '../../core/pack.ts'
import { evidenceDigestOf } from '../../core/pack-files.ts'
import { fromPem, pem } from '../../core/pem.ts'
import { quote } from '../../core/plain-text.ts'
import type { PackSource, SealReading } from '../../core/ports.ts'
import { CHAIN_PATHS } from '../../core/run-chain/files.ts'
import { VERIFY_SH } from '../../core/verify-sh.ts'
import { verifyText } from '../../core/verify-text.ts'
import { textOf } from './read.ts'

/** What the files outside the payload of a pack are written from. */
export interface TagMatter {
  readonly producer: string
  readonly asOf: string
  /** What the pack is of, in one word. */
  readonly identifier: string
  readonly demo: boolean
  readonly signer: NonNullable<SealReading['signer']>
  /** Of VERIFY.txt: where captures are; the folder of a run’s own pack unless stated. */
  readonly nodes?: string
}

/** As stated by the pack of a run. */
export const matterOfRun = (
  { predicate: { producer, asOf, run, demo } }: Statement,
  signer: TagMatter['signer'],
): TagMatter => ({ producer, asOf, identifier: run, demo, signer })

/**
 * Differences between the files for people and scripts outside the payload and those that follow from the sealed contents, one sentence each:
 * they are sealed, and only their signer states them. What another version of the program words is not compared: VERIFY.txt and verify.sh.
 */
export const tagFileProblems = async (source: PackSource, matter: TagMatter): Promise<readonly string[]> => [
  // Payload-Oxum is compared with the files apart from this.
  ...(await infoProblems(source, matter, (oxum) => oxum)),
  ...(await certificateProblems(source)),
  ...(matter.producer === OWN_PRODUCER ? await worded(source, matter) : []),
]

/** The same of a part of a run’s pack: of its payload, `files` in number, only some are at hand, and neither VERIFY.txt nor verify.sh is. */
export const enclosedTagProblems = async (
  source: PackSource,
  matter: TagMatter,
  files: number,
): Promise<readonly string[]> => [
  ...(await infoProblems(source, matter, (oxum) => oxum.replace(/\d+$/, `${files}`))),
  ...(await certificateProblems(source)),
]

/** The same of a redacted copy, which has neither bag-info.txt nor VERIFY.txt. `engine`: the version that evaluated it; null where that is redacted. */
export const copiedTagProblems = async (source: PackSource, engine: string | null): Promise<readonly string[]> => [
  ...(await certificateProblems(source)),
  ...(engine === VERSION && (await textIn(source, PATHS.verifyScript)) !== VERIFY_SH
    ? [differs(PATHS.verifyScript)]
    : []),
]

/** This program, as packs name it. */
export const OWN_PRODUCER = `Barewitness ${VERSION}`

const textIn = async (source: PackSource, path: string): Promise<string> => (await textOf(source, path)) ?? ''

async function infoProblems(
  source: PackSource,
  { producer, asOf, identifier, demo, signer: { fingerprint } }: TagMatter,
  oxumOf: (stated: string) => string,
): Promise<readonly string[]> {
  const info = await textIn(source, PATHS.info)
  const oxum = oxumOf(/^Payload-Oxum: (\d{1,15}\.\d{1,7})$/m.exec(info)?.[1] ?? '')
  const evidenceDigest = evidenceDigestOf(await textIn(source, PATHS.manifest))
  return info === bagInfo({ producer, asOf, identifier, oxum, evidenceDigest, fingerprint, demo })
    ? []
    : [differs(PATHS.info)]
}

/** Whether the files of certificates and revocation lists hold nothing else, each once, and those of the signer lead to a root. */
async function certificateProblems(source: PackSource): Promise<readonly string[]> {
  const problems: string[] = []
  const held = async (
    path: string,
    label: 'CERTIFICATE' | 'X509 CRL',
    most: number,
  ): Promise<readonly Uint8Array[]> => {
    const text = await textIn(source, path)
    const found = fromPem(label, text, most)
    const isWhole = found.length > 0 && text === found.map((der) => pem(label, der)).join('')
    if (!isWhole || new Set(found.map(sha256)).size < found.length)
      problems.push(
        `${quote(path)} does not consist of ${label === 'X509 CRL' ? 'one revocation list' : 'certificates, each once'}.`,
      )
    return found
  }
  if (!isOnePath(await held(PATHS.chain, 'CERTIFICATE', MOST_CERTIFICATES)))
    problems.push(`${quote(PATHS.chain)} does not consist of the signer’s certificate and its issuers, in order.`)
  if (source.paths.includes(PATHS.tsaChain)) await held(PATHS.tsaChain, 'CERTIFICATE', MOST_CERTIFICATES)
  for (const path of source.paths) if (isList(path) && problems.length <= MOST_PROBLEMS) await held(path, 'X509 CRL', 1)
  return problems
}

const isList = (path: string): boolean => path.startsWith('signature/crls/') || path.startsWith(PATHS.tsaLists)

/** Whether each certificate names the next one as its issuer, and the last one itself. Signatures are verified with the seal. */
const isOnePath = (certificates: readonly Uint8Array[]): boolean => {
  const parts = certificates.map((der) => certificateParts(derValue(der)))
  return parts.every((one, index) => {
    const issuer = parts[index + 1] ?? one
    return one !== null && issuer != null && Buffer.compare(one.issuer.bytes, issuer.subject.bytes) === 0
  })
}

const differs = (path: string): string => `${quote(path)} differs from the one that follows from the sealed contents.`

async function worded(source: PackSource, { signer, demo, nodes }: TagMatter): Promise<readonly string[]> {
  const { paths } = source
  const text = (path: string): Promise<string> => textIn(source, path)
  const [help, script, manifest] = [await text(PATHS.help), await text(PATHS.verifyScript), await text(PATHS.manifest)]
  const isStamped = paths.includes(PATHS.tsaChain)
  const again = verifyText({
    // The names of the archive and of the authority are in no other sealed file: one word, and one line, that any text may stand for.
    packName: /^ {4}unzip -p ([A-Za-z0-9._-]{1,200}) /m.exec(help)?.[1] ?? '',
    timestamp: isStamped
      ? { authority: / 3\. From the time-stamp authority (.{0,300}), its root/.exec(help)?.[1] ?? '' }
      : null,
    fingerprint: signer.fingerprint,
    rootFingerprint: sha256(fromPem('CERTIFICATE', await text(PATHS.chain)).at(-1) ?? new Uint8Array()),
    subject: signer.subject,
    evidenceDigest: evidenceDigestOf(manifest),
    demo,
    revocationLists: paths.filter((path) => path.startsWith('signature/crls/')),
    recipes: paths.includes(CHAIN_PATHS.inclusion) ? [CHAIN_RECIPE] : [],
    ...(nodes === undefined ? {} : { nodes }),
  })
  return [
    ...(help === again ? [] : [differs(PATHS.help)]),
    ...(script === VERIFY_SH ? [] : [differs(PATHS.verifyScript)]),
  ]
}
