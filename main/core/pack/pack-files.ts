import type { Assessment, AssessmentIndex, Capture, Register } from '../../../schemas/types.ts'
import { canonicalJson, jsonBytes } from '../base/canonical-json.ts'
import { growingSha256, type Sha256, sha256, sha256OfAll } from '../base/digest.ts'
import { isSafeName, RECORDING } from '../base/layout.ts'
import type { PackScope } from '../conclusion/assess.ts'
import type { StoredBytes } from '../recording/recording.ts'
import {
  byProbeAndCommand,
  captureLine,
  compare,
  type LoadedRecording,
  type RecordingOutline,
  recordingJson,
} from '../recording/recording.ts'
import { type Catalog, catalogSnapshot } from '../rules/catalog.ts'

/** The bytes of a file, in memory or stored elsewhere. */
export type PackContent = Uint8Array | StoredBytes
/** Files of a pack by path inside it; `data/…` is the payload. Any map of files satisfies it. */
export interface PackFiles extends Iterable<readonly [string, PackContent]> {
  readonly size: number
  readonly get: (path: string) => PackContent | undefined
  readonly has: (path: string) => boolean
  readonly keys: () => Iterable<string>
  readonly values: () => Iterable<PackContent>
  /** The sorted paths as a sequence, where they need not all be in memory. */
  readonly inOrder?: () => Iterable<string>
}

/** The sorted paths. They are ASCII, so the order of strings is the order of their bytes. */
export const pathsInOrder = (files: PackFiles): Iterable<string> => files.inOrder?.() ?? [...files.keys()].sort(compare)

export const sizeOf = (content: PackContent): number => (content instanceof Uint8Array ? content.length : content.size)
export const digestOf = (content: PackContent): Sha256 =>
  content instanceof Uint8Array ? sha256(content) : content.sha256

/** Required contents of a pack of one kind. */
export interface PackForm {
  readonly needed: readonly string[]
  /** Files that the statement lists besides the manifest, if present. */
  readonly subjects: readonly string[]
  /** Whether such a pack can contain a payload file with this path. */
  readonly isPayload: (path: string) => boolean
}

export const PATHS = {
  assessment: 'data/assessment.json',
  catalog: 'data/catalog.json',
  scope: 'data/scope.json',
  register: 'data/register.json',
  /** The provider’s inventory, as it was read. */
  inventory: 'data/inventory.csv',
  /** The provider’s site records, as they were read. */
  sites: 'data/sites',
  /** The basis of comparison for later runs. */
  trace: 'data/trace.json',
  report: 'data/report.pdf',
  /** The executive summary. Like the report, it prints the evidence digest and is not covered by it. */
  executive: 'data/report-executive.pdf',
  /** The report as one HTML file. It prints the evidence digest as well, and is not covered by it. */
  html: 'data/report.html',
  /** Results of earlier runs of the declared period, where the report contains them. */
  earlier: 'data/earlier.json',
  manifest: 'manifest-sha256.txt',
  tagManifest: 'tagmanifest-sha256.txt',
  statement: 'statement.json',
  bag: 'bagit.txt',
  info: 'bag-info.txt',
  help: 'VERIFY.txt',
  chain: 'signature/chain.pem',
  seal: 'signature/tagmanifest.p7s',
  /** TimeStampResp over the seal. Like the seal itself, it is in no list. */
  stamp: 'signature/tagmanifest.p7s.tsr',
  /**
   * Certificates of the time-stamp authority, leaf first; its revocation lists are in the same folder. Both are
   * listed.
   */
  tsaChain: 'signature/tsa/chain.pem',
  tsaLists: 'signature/tsa/crls/',
  verifyScript: 'verify.sh',
} as const

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The catalog as stored in a pack: without a final newline, so that the digest of the file is that of the catalog. */
export const catalogBytes = (catalog: Catalog): Uint8Array => utf8(canonicalJson(catalogSnapshot(catalog)))

/** The bytes of a whole assessment, as embedded in the report. In a pack, each node has a file of its own. */
export const assessmentBytes = (assessment: Assessment): Uint8Array => jsonBytes(assessment)

/**
 * The text of assessmentBytes() in pieces, one node at a time, because for a large fleet the whole exceeds everything
 * else in memory.
 */
export function* assessmentPieces(assessment: Assessment): Generator<string> {
  const { nodes, ...head } = assessment
  const members = Object.entries({ ...head, nodes: null })
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => compare(a, b))
  for (const [at, [key, value]] of members.entries()) {
    yield `${at === 0 ? '{' : ','}${canonicalJson(key)}:`
    if (key !== 'nodes') yield canonicalJson(value)
    else yield* listPieces(nodes)
  }
  yield '}\n'
}

function* listPieces(values: readonly unknown[]): Generator<string> {
  yield '['
  for (const [at, value] of values.entries()) yield `${at === 0 ? '' : ','}${canonicalJson(value)}`
  yield ']'
}

/**
 * An assessment as stored in a pack: one file per node, and an index that names them by digest, so that a reader can
 * process one node at a time.
 */
export function assessmentFiles(assessment: Assessment): Map<string, PackContent> {
  let kept = 0
  const nodes = assessment.nodes.map((entry) => {
    const make = (): Uint8Array => jsonBytes(entry)
    const bytes = make()
    kept += bytes.length
    return [entry.node, kept > MOST_KEPT ? madeAgain(bytes, make) : bytes] as const
  })
  const listed = nodes.map(([node, content]) => ({ node, sha256: digestOf(content) }))
  return new Map<string, PackContent>([
    [PATHS.assessment, jsonBytes(indexOver(assessment, listed))],
    ...nodes.map(([node, content]) => [nodeAssessmentPath(node), content] as const),
  ])
}

/** In bytes; nodes beyond this are generated again when they are read. */
const MOST_KEPT = 16 * 1024 * 1024

/** Bytes that can be generated again at any time, identically, and therefore need not be kept. */
const madeAgain = (bytes: Uint8Array, make: () => Uint8Array): StoredBytes => ({
  size: bytes.length,
  sha256: sha256(bytes),
  read: async () => make(),
  open: async function* () {
    yield make()
  },
})

/**
 * ASCII text as bytes; long text is generated again piece by piece when it is read. `onPiece` receives each piece
 * once.
 */
function keptOrMadeAgain(make: () => Iterable<string>, onPiece: (piece: string) => void): PackContent {
  const whole = growingSha256()
  let kept: string[] = []
  let size = 0
  for (const piece of make()) {
    size += piece.length
    whole.add(piece)
    onPiece(piece)
    if (size <= MOST_KEPT) kept.push(piece)
    else kept = []
  }
  if (size <= MOST_KEPT) return utf8(kept.join(''))
  return {
    size,
    sha256: whole.digest(),
    read: async () => utf8([...make()].join('')),
    open: async function* () {
      let waiting: string[] = []
      for (const piece of make()) {
        if (waiting.push(piece) < 1000) continue
        yield utf8(waiting.join(''))
        waiting = []
      }
      yield utf8(waiting.join(''))
    },
  }
}

export const assessmentIndexOf = (assessment: Assessment): AssessmentIndex =>
  indexOver(
    assessment,
    assessment.nodes.map((entry) => ({ node: entry.node, sha256: sha256(jsonBytes(entry)) })),
  )

const indexOver = ({ schema: _, ...head }: Assessment, nodes: AssessmentIndex['nodes']): AssessmentIndex => ({
  ...head,
  schema: 'barewitness.assessment-index/1',
  nodes,
})

export const nodeAssessmentPath = (node: string): string => `${nodeFolder(node)}/assessment.json`

interface PayloadInput {
  readonly assessment: Assessment
  readonly catalog: Catalog
  /** The register, as far as it concerns this pack. */
  readonly register: Register
  /** Attachments of the register, by path in the pack. */
  readonly attachments?: PackFiles
  /** The provider’s inventory named by the engagement of the scope. */
  readonly inventory?: Uint8Array | null
  /** The provider’s site records named by the location data of the scope. */
  readonly sites?: Uint8Array | null
}

/**
 * The payload of a pack without the report and the recordings: everything else that is needed to evaluate those
 * again. Throws on names that no pack can contain, which is a bug of ours.
 */
export function payloadFiles(input: PayloadInput): Map<string, PackContent> {
  const { assessment, catalog } = input
  const { scope, asOf } = assessment
  const files = new Map<string, PackContent>([
    ...assessmentFiles(assessment),
    [PATHS.catalog, catalogBytes(catalog)],
    [PATHS.scope, jsonBytes({ ...scope, asOf } satisfies PackScope)],
    [PATHS.register, jsonBytes(input.register)],
    ...(input.attachments ?? []),
    ...(input.inventory == null ? [] : [[PATHS.inventory, input.inventory] as const]),
    ...(input.sites == null ? [] : [[PATHS.sites, input.sites] as const]),
  ])
  const unfit = [...files.keys()].find((path) => !isSafePath(path))
  if (unfit !== undefined) throw new Error(`a pack cannot hold the name ${JSON.stringify(unfit)}`)
  return files
}

/** The files of a recording. The digest of recording.json followed by captures.jsonl is that of the recording. */
export function recordingFiles(loaded: LoadedRecording): readonly (readonly [string, PackContent])[] {
  const folder = nodeFolder(loaded.recording.node.name)
  const captures = [...loaded.captures].sort((a, b) => byProbeAndCommand(a.meta, b.meta))
  return [
    [`${folder}/${RECORDING.header}`, utf8(recordingJson(loaded.recording))],
    [`${folder}/${RECORDING.captures}`, linesMade(captures.map(({ meta }) => meta))()],
    ...captures.flatMap(({ meta, stdout, stderr }): (readonly [string, PackContent])[] => [
      [`${folder}/${RECORDING.blobs}/${meta.stdout.sha256}`, stdout],
      [`${folder}/${RECORDING.blobs}/${meta.stderr.sha256}`, stderr],
    ]),
  ]
}

/**
 * As recordingFiles, for a recording whose outputs are stored elsewhere: only the two listing files are in memory,
 * all others are generated when they are read.
 */
export function storedRecordingFiles(
  { recording, captures }: RecordingOutline,
  blob: (stream: Capture['stdout']) => PackContent,
): NodeFiles {
  const folder = nodeFolder(recording.node.name)
  const metas = captures.map(({ meta }) => meta)
  const lines = linesMade([...metas].sort(byProbeAndCommand))
  const named: readonly (readonly [string, PackContent])[] = [
    [`${folder}/${RECORDING.header}`, utf8(recordingJson(recording))],
    [`${folder}/${RECORDING.captures}`, madeAgain(lines(), lines)],
  ]
  const streams = new Map<string, Capture['stdout']>()
  for (const { stdout, stderr } of metas) for (const stream of [stdout, stderr]) streams.set(stream.sha256, stream)
  const answers = [...streams.values()]
  const files = (): PackFiles => {
    const all = new Map<string, PackContent>(named)
    for (const stream of answers) all.set(`${folder}/${RECORDING.blobs}/${stream.sha256}`, blob(stream))
    return all
  }
  return { folder, size: named.length + answers.length, files }
}

/** A separate function, so that it references only the lines and not the outputs. */
const linesMade = (metas: readonly Capture[]) => (): Uint8Array => utf8(metas.map(captureLine).join(''))

/**
 * The folder of a node’s recording in a pack. A name that some file system cannot represent is replaced by its
 * digest.
 */
export const nodeFolder = (node: string): string =>
  `data/nodes/${isSafeName(node) ? node : `node-${sha256(node).slice(0, 24)}`}`

/** Every part is a safe name; VERIFY.txt is the only exception in capitals. */
export const isSafePath = (path: string): boolean =>
  path.length <= 400 && (path === PATHS.help || path.split('/').every(isSafeName))

/** Lines in the format of sha256sum, sorted by path. */
export const manifestLines = (files: PackFiles): string => [...manifestPieces(files)].join('')

function* manifestPieces(files: PackFiles): Generator<string> {
  for (const path of pathsInOrder(files)) yield manifestLine(path, files.get(path) ?? NOTHING)
}

const NOTHING = new Uint8Array()
const manifestLine = (path: string, content: PackContent): string => `${digestOf(content)}  ${path}\n`

export interface ManifestDigests {
  readonly sha256: Sha256
  readonly evidenceDigest: Sha256
}

/** The payload manifest of a pack. */
interface Manifest extends ManifestDigests {
  readonly content: PackContent
}

/** The manifest of these files; a large text is not kept in memory. */
export function manifestOf(files: PackFiles): Manifest {
  const evidence = growingSha256()
  const content = keptOrMadeAgain(
    () => manifestPieces(files),
    (line) => {
      if (isEvidenceLine(line)) evidence.add(line)
    },
  )
  return { content, sha256: digestOf(content), evidenceDigest: evidence.digest() }
}

/** As manifestOf, for a manifest that was read. */
export const manifestRead = (text: string): ManifestDigests => ({
  sha256: sha256(text),
  evidenceDigest: evidenceDigestOf(text),
})

/**
 * The digest that binds the report to the evidence: SHA-256 over the lines of the payload manifest, without those of
 * the report itself. Equivalent to: grep -v ' data/report' manifest-sha256.txt | sha256sum
 */
export const evidenceDigestOf = (manifest: string): Sha256 => sha256OfAll(evidenceLines(withEnds(manifest)))

/** As evidenceDigestOf, for the manifest of these files. */
export const evidenceDigestOver = (files: PackFiles): Sha256 => sha256OfAll(evidenceLines(manifestPieces(files)))

function* evidenceLines(lines: Iterable<string>): Generator<string> {
  for (const line of lines) if (isEvidenceLine(line)) yield line
}

const isEvidenceLine = (line: string): boolean => !line.includes('  data/report')

function* withEnds(text: string): Generator<string> {
  for (const line of linesOf(text)) if (line !== '') yield `${line}\n`
}

/**
 * The lines of a text one by one, without line ends, so that a list of many thousand lines is never split as a whole.
 */
export function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    yield text.slice(at, end === -1 ? text.length : end)
    at = end === -1 ? text.length : end + 1
  }
}

/** The path of the nth time-stamp over the seal; each covers the seal and all earlier time-stamps. */
export const stampPath = (place: number): string => (place === 1 ? PATHS.stamp : `${PATHS.seal}.${place}.tsr`)
/** The files of one node, generated on request. */
export interface NodeFiles {
  /** `data/nodes/NAME`, the prefix of every path. */
  readonly folder: string
  readonly size: number
  readonly files: () => PackFiles
}
