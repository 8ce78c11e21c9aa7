import type { Assessment, AssessmentIndex, Capture, Register, Scope } from '../../schemas/types.ts'
import { canonicalJson } from './canonical-json.ts'
import { type Catalog, catalogSnapshot } from './catalog.ts'
import { type Sha256, sha256, sha256OfAll } from './digest.ts'
import type { StoredBytes } from './ports.ts'
import { byProbeAndCommand, captureLine, compare, type LoadedRecording, recordingJson } from './recording.ts'

/** A file's bytes, here or elsewhere. */
export type PackContent = Uint8Array | StoredBytes
/** Files of a pack by path inside it, `data/…` being the payload. */
export type PackFiles = ReadonlyMap<string, PackContent>

export const sizeOf = (content: PackContent): number => (content instanceof Uint8Array ? content.length : content.size)
export const digestOf = (content: PackContent): Sha256 =>
  content instanceof Uint8Array ? sha256(content) : content.sha256

export const PATHS = {
  assessment: 'data/assessment.json',
  catalog: 'data/catalog.json',
  scope: 'data/scope.json',
  exceptions: 'data/exceptions.json',
  /** The provider's own list, as it was read. */
  inventory: 'data/inventory.csv',
  /** The provider's own record of where machines stand, as it was read. */
  sites: 'data/sites',
  /** What later runs are compared with. */
  trace: 'data/trace.json',
  report: 'data/report.pdf',
  manifest: 'manifest-sha256.txt',
  tagManifest: 'tagmanifest-sha256.txt',
  statement: 'statement.json',
  bag: 'bagit.txt',
  info: 'bag-info.txt',
  help: 'VERIFY.txt',
  chain: 'signature/chain.pem',
  seal: 'signature/tagmanifest.p7s',
  /** TimeStampResp over the seal. Like the seal itself, no list holds it. */
  stamp: 'signature/tagmanifest.p7s.tsr',
  /** Certificates of the time-stamp authority, leaf first; its revocation lists lie below the folder. Both are listed. */
  tsaChain: 'signature/tsa/chain.pem',
  tsaLists: 'signature/tsa/crls/',
  verifyScript: 'verify.sh',
} as const

/** What assess() needs besides recordings: the content of data/scope.json. */
export interface PackScope extends Scope {
  readonly asOf: string
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
export const jsonBytes = (value: unknown): Uint8Array => utf8(`${canonicalJson(value)}\n`)

/** The catalog as it stands in a pack: without a line end, so that the file's digest is the catalog's digest. */
export const catalogBytes = (catalog: Catalog): Uint8Array => utf8(canonicalJson(catalogSnapshot(catalog)))

/** The bytes of a whole assessment, as embedded in the report. In a pack, nodes stand apart. */
export const assessmentBytes = (assessment: Assessment): Uint8Array => jsonBytes(assessment)

/** The text of assessmentBytes() in pieces, one node at a time: of a large fleet the whole is larger than all the rest. */
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
 * An assessment as it stands in a pack: one file per node, and an index that names them by digest, so that a reader can take one
 * node at a time.
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

/** Bytes of nodes beyond this are made again when they are read. */
const MOST_KEPT = 16 * 1024 * 1024

/** Bytes that can be made at any time, and so need not be kept; the same ones each time. */
const madeAgain = (bytes: Uint8Array, make: () => Uint8Array): StoredBytes => ({
  size: bytes.length,
  sha256: sha256(bytes),
  read: async () => make(),
  open: async function* () {
    yield make()
  },
})

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

export interface PayloadInput {
  readonly assessment: Assessment
  readonly catalog: Catalog
  /** The files of the recordings that the assessment rests on, from recordingFiles(). Others stay out. */
  readonly recordings: PackFiles
  /** What people say about it, as far as it concerns this pack. */
  readonly register: Register
  /** What the register attaches, by path in the pack. */
  readonly attachments?: PackFiles
  /** The list of the provider that the scope's engagement names. */
  readonly inventory?: Uint8Array | null
  /** The provider's record of where machines stand that the scope's location names. */
  readonly sites?: Uint8Array | null
}

/**
 * The payload of a pack, without the report: recordings, and everything needed to evaluate them again. Throws on names that no pack can
 * hold, which is our bug.
 */
export function payloadFiles(input: PayloadInput): Map<string, PackContent> {
  const { assessment, catalog } = input
  const { scope, asOf } = assessment
  const files = new Map<string, PackContent>([
    ...assessmentFiles(assessment),
    [PATHS.catalog, catalogBytes(catalog)],
    [PATHS.scope, jsonBytes({ ...scope, asOf } satisfies PackScope)],
    [PATHS.exceptions, jsonBytes(input.register)],
    ...input.recordings,
    ...(input.attachments ?? []),
    ...(input.inventory == null ? [] : [[PATHS.inventory, input.inventory] as const]),
    ...(input.sites == null ? [] : [[PATHS.sites, input.sites] as const]),
  ])
  const unfit = [...files.keys()].find((path) => !isSafePath(path))
  if (unfit !== undefined) throw new Error(`a pack cannot hold the name ${JSON.stringify(unfit)}`)
  return files
}

/**
 * A recording as files. recording.json followed by captures.jsonl hashes to the recording's digest. `blob` says where the bytes of an
 * answer are to be had; they themselves unless told otherwise. Then the lines are not kept either, and made again when they are read.
 */
export function recordingFiles(
  loaded: LoadedRecording,
  blob?: (stream: Capture['stdout'], bytes: Uint8Array) => PackContent,
): readonly (readonly [string, PackContent])[] {
  const folder = nodeFolder(loaded.recording.node.name)
  const captures = [...loaded.captures].sort((a, b) => byProbeAndCommand(a.meta, b.meta))
  const lines = linesMade(captures.map(({ meta }) => meta))
  return [
    [`${folder}/recording.json`, utf8(recordingJson(loaded.recording))],
    [`${folder}/captures.jsonl`, blob === undefined ? lines() : madeAgain(lines(), lines)],
    ...captures.flatMap(({ meta, stdout, stderr }): (readonly [string, PackContent])[] => [
      [`${folder}/sha256/${meta.stdout.sha256}`, blob?.(meta.stdout, stdout) ?? stdout],
      [`${folder}/sha256/${meta.stderr.sha256}`, blob?.(meta.stderr, stderr) ?? stderr],
    ]),
  ]
}

/** Made by itself, so that it holds on to the lines and not to the answers. */
const linesMade = (metas: readonly Capture[]) => (): Uint8Array => utf8(metas.map(captureLine).join(''))

/** Where a node's recording lies. A name that some file system cannot hold is replaced by a digest of it. */
export const nodeFolder = (node: string): string =>
  `data/nodes/${isSafeName(node) ? node : `node-${sha256(node).slice(0, 24)}`}`

const DEVICES = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/

/** Whether every file system keeps this name as it is, and apart from every other such name. */
export const isSafeName = (name: string): boolean =>
  /^[a-z0-9]([a-z0-9._-]{0,178}[a-z0-9_-])?$/.test(name) && !DEVICES.test(name)

/** Every part a safe name; VERIFY.txt is the one exception in capitals. */
export const isSafePath = (path: string): boolean =>
  path.length <= 400 && (path === PATHS.help || path.split('/').every(isSafeName))

/** Lines as sha256sum writes and reads them, sorted by path. */
export const manifestLines = (files: PackFiles): string =>
  [...files]
    .sort(([a], [b]) => compare(a, b))
    .map(([path, content]) => `${digestOf(content)}  ${path}\n`)
    .join('')

/**
 * The digest that ties the report to the evidence: SHA-256 over the lines of the payload manifest, without those of the report itself.
 * The same as: grep -v '  data/report' manifest-sha256.txt | sha256sum
 */
export const evidenceDigestOf = (manifest: string): Sha256 => sha256OfAll(evidenceLines(manifest))

function* evidenceLines(manifest: string): Generator<string> {
  for (const line of linesOf(manifest)) if (line !== '' && !line.includes('  data/report')) yield `${line}\n`
}

/** The lines of a text one by one, without their ends: a list of many thousand is never taken apart as a whole. */
export function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    yield text.slice(at, end === -1 ? text.length : end)
    at = end === -1 ? text.length : end + 1
  }
}

/** Where the time-stamps over the seal lie, first, second…: each is over the seal and all time-stamps before it. */
export const stampPath = (place: number): string => (place === 1 ? PATHS.stamp : `${PATHS.seal}.${place}.tsr`)
