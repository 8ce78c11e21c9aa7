import type { Statement } from '../../../schemas/types.ts'
import type { VerificationCheckResult } from '../../../schemas/verification.ts'
import { VERSION } from '../../../schemas/version.ts'
import { MOST_CERTIFICATES, MOST_PROBLEMS, MOST_STAMPS } from '../../core/base/budgets.ts'
import { sha256 } from '../../core/base/digest.ts'
import { fromPem, pem } from '../../core/base/pem.ts'
import { plain, quote } from '../../core/base/plain-text.ts'
import { certificateParts, derValue } from '../../core/der/read.ts'
import { BAG_DECLARATION, bagInfo, CHAIN_RECIPE, NAMED_SUBJECTS, PATHS } from '../../core/pack/pack.ts'
import { evidenceDigestOf, isSafePath, linesOf, type PackForm, stampPath } from '../../core/pack/pack-files.ts'
import { VERIFY_SH, verifyText } from '../../core/pack/verify-text.ts'
import type { PackSource, SealReading } from '../../core/ports/ports.ts'
import { compare } from '../../core/recording/recording.ts'
import { CHAIN_PATHS } from '../../core/run-chain/notes.ts'
import { INDEX_PATH, SEED_PATH } from '../disclosure/cuts/parts.ts'
import { type PackTexts, readTexts, textOf } from './read.ts'
import { SIGNER_LISTS } from './signature.ts'
import { statementProblems } from './subjects.ts'

/** The data from which the files outside the payload of a pack are written. */
interface TagMatter {
  readonly producer: string
  readonly asOf: string
  /** Run or period of the pack, in one word. */
  readonly identifier: string
  readonly demo: boolean
  readonly signer: NonNullable<SealReading['signer']>
  /** Location of the captures in VERIFY.txt; the folder of a run’s own pack unless stated. */
  readonly nodes?: string
}

/** As stated by the pack of a run. */
export const matterOfRun = (
  { predicate: { producer, asOf, run, demo } }: Statement,
  signer: TagMatter['signer'],
): TagMatter => ({ producer, asOf, identifier: run, demo, signer })

/**
 * Differences between the files for people and scripts outside the payload and those derived from the sealed contents, one sentence each.
 * They are sealed, but only their signer states them. VERIFY.txt and verify.sh of another version of the program can be worded
 * differently and are not compared.
 */
export const tagFileProblems = async (source: PackSource, matter: TagMatter): Promise<readonly string[]> => [
  // Payload-Oxum is compared with the files apart from this.
  ...(await infoProblems(source, matter, (oxum) => oxum)),
  ...(await certificateProblems(source)),
  ...(matter.producer === OWN_PRODUCER ? await worded(source, matter) : []),
]

/**
 * As tagFileProblems(), for a part of a run’s pack. Only some of its `files` payload files are enclosed, and neither VERIFY.txt nor
 * verify.sh is.
 */
export const enclosedTagProblems = async (
  source: PackSource,
  matter: TagMatter,
  files: number,
): Promise<readonly string[]> => [
  ...(await infoProblems(source, matter, (oxum) => oxum.replace(/\d+$/, `${files}`))),
  ...(await certificateProblems(source)),
]

/**
 * As tagFileProblems(), for a redacted copy, which has neither bag-info.txt nor VERIFY.txt. `engine`: the version that evaluated it; null
 * where that is redacted.
 */
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

/**
 * Problems of the files with certificates and revocation lists: each must contain nothing else, each item once, and the signer’s chain must
 * lead to a root.
 */
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

const isList = (path: string): boolean => path.startsWith(SIGNER_LISTS) || path.startsWith(PATHS.tsaLists)

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
    // The names of the archive and of the authority are in no other sealed file: any single word and any single line are accepted for them.
    packName: /^ {4}unzip -p ([A-Za-z0-9._-]{1,200}) /m.exec(help)?.[1] ?? '',
    timestamp: isStamped
      ? { authority: / 3\. From the time-stamp authority (.{0,300}), its root/.exec(help)?.[1] ?? '' }
      : null,
    fingerprint: signer.fingerprint,
    rootFingerprint: sha256(fromPem('CERTIFICATE', await text(PATHS.chain)).at(-1) ?? new Uint8Array()),
    subject: signer.subject,
    evidenceDigest: evidenceDigestOf(manifest),
    demo,
    revocationLists: paths.filter((path) => path.startsWith(SIGNER_LISTS)),
    recipes: paths.includes(CHAIN_PATHS.inclusion) ? [CHAIN_RECIPE] : [],
    ...(nodes === undefined ? {} : { nodes }),
  })
  return [
    ...(help === again ? [] : [differs(PATHS.help)]),
    ...(script === VERIFY_SH ? [] : [differs(PATHS.verifyScript)]),
  ]
}

/** Differences between the files and their lists, one sentence each; none when every file matches and all lists agree. */
export async function alterations(
  source: PackSource,
  statement: Pick<Statement, 'subject'> | null,
  form: PackForm = RUN_FORM,
): Promise<readonly string[]> {
  const texts = await readTexts(source)
  const unlisted = unlistedIn(source)
  const isPayload = (path: string): boolean => path.startsWith('data/')
  const files = [...source.paths].sort(compare)
  const payload = await against(source, files.filter(isPayload), PATHS.manifest, texts.manifest)
  const tags = await against(
    source,
    files.filter((path) => !isPayload(path) && !unlisted.has(path)),
    PATHS.tagManifest,
    texts.tagManifest,
  )
  const misplaced = [
    ...payload.removed.filter(({ path }) => !isPayload(path)).map(({ path }) => [path, PATHS.manifest] as const),
    ...tags.removed.filter(({ path }) => isPayload(path)).map(({ path }) => [path, PATHS.tagManifest] as const),
  ]
  const namedAsAdded = new Set([...payload.added, ...tags.added].map(({ path }) => path))
  const belongs = (path: string): boolean => (isPayload(path) ? form.isPayload(path) : isTagFile(path))
  return [
    ...payload.problems,
    ...tags.problems,
    ...misplaced.map(([path, list]) => `${list} lists ${quote(path)}, which does not belong there.`),
    ...(tags.covers(PATHS.manifest) ? [] : [`${PATHS.tagManifest} does not list ${PATHS.manifest}.`]),
    ...differences([payload, tags]),
    ...files.filter((path) => !belongs(path) && !namedAsAdded.has(path)).map(notInPacks),
    ...tagProblems(source, texts, form),
    ...(await statementProblems(source, statement, texts.manifest, form.subjects)),
  ]
}

/** Message for an archive that departs from the form that this program writes. */
export const packedAgain = (departure: string): string =>
  `${plain(departure, 400)} If the files were only repackaged, unpack the archive and verify the folder.`

interface Repacked {
  readonly departures: readonly string[]
  /** Every other difference from the sealed contents. */
  readonly problems: readonly string[]
  /** Null without a seal. */
  readonly sealProblems: readonly string[] | null
  readonly files: number
  /** Sentence on files that no seal covers; absent where a seal covers every file. */
  readonly unsealed?: string
}

/**
 * The integrity result where a valid seal covers every counted file unchanged and only the form of the archive differs; null otherwise. The
 * check still fails, because such an archive can hide bytes, but no sealed file is called altered.
 */
export function onlyRepacked({
  departures,
  problems,
  sealProblems,
  files,
  unsealed,
}: Repacked): VerificationCheckResult | null {
  if (departures.length === 0 || problems.length > 0 || sealProblems === null || sealProblems.length > 0) return null
  return {
    check: 'integrity',
    outcome: 'failed',
    summary: [
      `All ${files} sealed files match their digests, in an archive that another program packed.`,
      ...(unsealed === undefined ? [] : [unsealed]),
    ].join(' '),
    details: departures.map(packedAgain),
    isOnlyRepacked: true,
  }
}

/** Files in no list: the sealed list, its seal, and the time-stamps, numbered from one without a gap, up to the limit. */
export function unlistedIn({ paths }: PackSource): ReadonlySet<string> {
  const unlisted = new Set<string>([PATHS.tagManifest, PATHS.seal])
  const there = new Set(paths)
  for (let place = 1; place <= MOST_STAMPS && there.has(stampPath(place)); place += 1) unlisted.add(stampPath(place))
  return unlisted
}

interface Placed {
  readonly path: string
  readonly digest: string
}

interface Comparison {
  readonly problems: readonly string[]
  /** The digest found, where it differs from the list; `was` is the listed one. */
  readonly changed: readonly (Placed & { readonly was: string })[]
  readonly removed: readonly Placed[]
  readonly added: readonly Placed[]
  readonly covers: (path: string) => boolean
}

/**
 * Compares one list, as written by sha256sum (RFC 8493 §2.1.3), with the files in order: one pass over both, keeping only differences.
 * Parsed strictly: one line format, in order, each path once.
 */
async function against(
  source: PackSource,
  files: readonly string[],
  name: string,
  text: string | null,
): Promise<Comparison> {
  const problems: string[] = []
  const changed: (Placed & { was: string })[] = []
  const removed: Placed[] = []
  const added: Placed[] = []
  if (text === null) problems.push(`${name} is missing or cannot be read.`)
  else if (!text.endsWith('\n')) problems.push(`${name} does not end with a line end.`)
  const digestOf = async (path: string): Promise<string | null> => {
    const digest = await source.sha256(path).catch(() => null)
    if (digest === null) problems.push(`${quote(path)} cannot be read.`)
    return digest
  }
  const passOver = async (path: string): Promise<void> => {
    const digest = await digestOf(path)
    if (digest !== null) added.push({ path, digest })
  }
  let next = 0
  let before = ''
  let number = 0
  for (const line of linesOf(text ?? '')) {
    if (problems.length > MOST_PROBLEMS) return UNREAD(problems)
    number += 1
    const path = line.slice(66)
    const was = line.slice(0, 64)
    if (!/^[0-9a-f]{64}$/.test(was) || line.slice(64, 66) !== '  ' || !isSafePath(path))
      problems.push(`${name}:${number} is not a valid line.`)
    else if (compare(path, before) <= 0) problems.push(`${name}:${number} lists ${quote(path)} twice or out of order.`)
    else {
      before = path
      for (let file = files[next]; file !== undefined && compare(file, path) < 0; file = files[next]) {
        await passOver(file)
        next += 1
      }
      if (files[next] === path) {
        next += 1
        const digest = await digestOf(path)
        if (digest !== null && digest !== was) changed.push({ path, digest, was })
      } else removed.push({ path, digest: was })
    }
  }
  for (const file of files.slice(next)) await passOver(file)
  const uncovered = new Set(added.map(({ path }) => path))
  return { problems, changed, removed, added, covers: (path) => files.includes(path) && !uncovered.has(path) }
}

/** A list with too many invalid lines is not evaluated further. */
const UNREAD = (problems: readonly string[]): Comparison => ({
  problems,
  changed: [],
  removed: [],
  added: [],
  covers: () => true,
})

/** Reports a file that was only renamed or moved as such. */
function differences(comparisons: readonly Comparison[]): readonly string[] {
  const changed = comparisons.flatMap((one) => one.changed)
  const removed = comparisons.flatMap((one) => one.removed)
  const added = comparisons.flatMap((one) => one.added)
  const wasAt = new Map(changed.map(({ was, path }) => [was, path]))
  const nowAt = new Map(added.map(({ digest, path }) => [digest, path]))
  const renamed = new Map<string, string>()
  for (const { path, digest } of removed) {
    const now = nowAt.get(digest)
    if (now === undefined) continue
    renamed.set(path, now)
    nowAt.delete(digest)
  }
  const newNames = new Set(renamed.values())
  const called = (path: string): string => quote(path, 400)
  return [
    ...changed.map(({ path, digest }) => {
      const from = wasAt.get(digest)
      return from === undefined
        ? `${called(path)} was altered: its digest differs from the listed one.`
        : `${called(path)} was altered: it contains the file listed as ${called(from)}.`
    }),
    ...[...renamed].map(([was, now]) => `${called(was)} was renamed to ${called(now)}.`),
    ...removed.filter(({ path }) => !renamed.has(path)).map(({ path }) => `${called(path)} is missing.`),
    ...added
      .filter(({ path }) => !newNames.has(path))
      .map(({ path }) => `${called(path)} was added: it is in no list.${hint(path)}`),
  ]
}

/** Files that desktop systems create in folders automatically. */
const hint = (path: string): string =>
  /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini)$/i.test(path)
    ? ' Desktop systems create such files: delete it and verify again.'
    : ''

function tagProblems(source: PackSource, texts: PackTexts, { needed }: PackForm): readonly string[] {
  const info = new Map(
    (texts.info ?? '').split('\n').map((line) => [line.split(': ')[0], line.split(': ').slice(1).join(': ')]),
  )
  const payload = source.paths.filter((path) => path.startsWith('data/'))
  const bytes = payload.reduce((sum, path) => sum + (source.size(path) ?? 0), 0)
  const stated = info.get('Evidence-Digest')
  const problems: string[] = []
  if (texts.bag !== BAG_DECLARATION) problems.push(`${PATHS.bag} does not declare a BagIt 1.0 bag.`)
  if (stated === undefined || texts.manifest === null || stated !== evidenceDigestOf(texts.manifest))
    problems.push(`${PATHS.info}: the evidence digest does not match ${PATHS.manifest}.`)
  if (info.get('Payload-Oxum') !== `${bytes}.${payload.length}`)
    problems.push(
      `${PATHS.info}: Payload-Oxum is not ${bytes}.${payload.length}, the bytes and number of payload files.`,
    )
  for (const path of needed) if (!source.paths.includes(path)) problems.push(`The pack lacks ${path}.`)
  return problems
}

const TAG_FILES: ReadonlySet<string> = new Set([
  PATHS.bag,
  PATHS.info,
  PATHS.help,
  PATHS.manifest,
  PATHS.tagManifest,
  PATHS.statement,
  PATHS.verifyScript,
  PATHS.chain,
  PATHS.seal,
  PATHS.tsaChain,
  INDEX_PATH,
])

/** Files outside the payload. Time-stamps beyond those in use stay unlisted, and are named as added. */
export const isTagFile = (path: string): boolean =>
  TAG_FILES.has(path) || /^signature\/(tsa\/)?crls\/crl-\d{1,3}\.pem$/.test(path) || STAMPS.has(path)
export const notInPacks = (path: string): string => `${quote(path, 400)} does not belong in a pack.`
const STAMPS: ReadonlySet<string> = new Set(Array.from({ length: MOST_STAMPS }, (_, at) => stampPath(at + 1)))

const RUN_PAYLOAD: ReadonlySet<string> = new Set([
  PATHS.assessment,
  PATHS.catalog,
  PATHS.scope,
  PATHS.register,
  PATHS.inventory,
  PATHS.sites,
  PATHS.trace,
  PATHS.earlier,
  PATHS.report,
  PATHS.executive,
  PATHS.html,
  SEED_PATH,
  ...Object.values(CHAIN_PATHS),
])

/** Payload files of the pack of a run. Those of nodes and documents are compared with scope, recordings and register. */
export function isRunPayload(path: string): boolean {
  return RUN_PAYLOAD.has(path) || path.startsWith('data/nodes/') || path.startsWith('data/documents/')
}

/** Evidence pack of one run. */
const RUN_FORM: PackForm = {
  needed: [
    PATHS.report,
    PATHS.executive,
    PATHS.html,
    PATHS.assessment,
    PATHS.catalog,
    PATHS.scope,
    PATHS.register,
    PATHS.help,
    PATHS.verifyScript,
  ],
  subjects: NAMED_SUBJECTS,
  isPayload: isRunPayload,
}
