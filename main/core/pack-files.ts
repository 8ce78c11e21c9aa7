import type { Assessment, Scope } from '../../schemas/types.ts'
import { canonicalJson } from './canonical-json.ts'
import { type Catalog, catalogSnapshot } from './catalog.ts'
import { type Sha256, sha256 } from './digest.ts'
import {
  byProbeAndCommand,
  captureLine,
  compare,
  type LoadedRecording,
  recordingDigest,
  recordingJson,
} from './recording.ts'

/** Files of a pack by path inside it, `data/…` being the payload. */
export type PackFiles = ReadonlyMap<string, Uint8Array>

export const PATHS = {
  assessment: 'data/assessment.json',
  catalog: 'data/catalog.json',
  scope: 'data/scope.json',
  exceptions: 'data/exceptions.json',
  report: 'data/report.pdf',
  manifest: 'manifest-sha256.txt',
  tagManifest: 'tagmanifest-sha256.txt',
  statement: 'statement.json',
  bag: 'bagit.txt',
  info: 'bag-info.txt',
  help: 'VERIFY.txt',
  chain: 'signature/chain.pem',
  seal: 'signature/tagmanifest.p7s',
} as const

/** What assess() needs besides recordings: the content of data/scope.json. */
export interface PackScope extends Scope {
  readonly asOf: string
}

export interface PayloadInput {
  readonly recordings: readonly LoadedRecording[]
  readonly assessment: Assessment
  readonly catalog: Catalog
  /** As stored; nothing here reads them. */
  readonly exceptions?: unknown
  /** Manual evidence, by file name. */
  readonly attachments?: ReadonlyMap<string, Uint8Array>
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const json = (value: unknown): Uint8Array => utf8(`${canonicalJson(value)}\n`)

/** The bytes of assessment.json, in the pack and embedded in the report alike. */
export const assessmentBytes = (assessment: Assessment): Uint8Array => json(assessment)

/**
 * The payload of a pack, without the report: the recordings that the assessment rests on, and everything needed to evaluate them again.
 * Recordings that the assessment doesn't rest on stay out. Throws on names that no pack can hold, which is our bug.
 */
export function payloadFiles(input: PayloadInput): Map<string, Uint8Array> {
  const { assessment, catalog } = input
  const { scope, asOf } = assessment
  const files = new Map<string, Uint8Array>([
    [PATHS.assessment, assessmentBytes(assessment)],
    // Without a line end, so that the file's digest is the catalog's digest.
    [PATHS.catalog, utf8(canonicalJson(catalogSnapshot(catalog)))],
    [PATHS.scope, json({ ...scope, asOf } satisfies PackScope)],
    [PATHS.exceptions, json(input.exceptions ?? [])],
  ])
  for (const loaded of restedOn(assessment, input.recordings))
    for (const [path, bytes] of recordingFiles(loaded)) files.set(path, bytes)
  for (const [name, bytes] of input.attachments ?? []) files.set(`data/attachments/${name}`, bytes)
  const unfit = [...files.keys()].find((path) => !isSafePath(path))
  if (unfit !== undefined) throw new Error(`a pack cannot hold the name ${JSON.stringify(unfit)}`)
  return files
}

/** The recordings an assessment rests on, each once. */
export function restedOn(assessment: Assessment, recordings: readonly LoadedRecording[]): readonly LoadedRecording[] {
  const byDigest = new Map(recordings.map((loaded) => [recordingDigest(loaded), loaded]))
  return assessment.nodes.flatMap(({ recording }) => {
    const loaded = recording === null ? undefined : byDigest.get(recording.digest)
    return loaded === undefined ? [] : [loaded]
  })
}

/** A recording as files. recording.json followed by captures.jsonl hashes to the recording's digest. */
export function recordingFiles(loaded: LoadedRecording): readonly (readonly [string, Uint8Array])[] {
  const folder = nodeFolder(loaded.recording.node.name)
  const captures = [...loaded.captures].sort((a, b) => byProbeAndCommand(a.meta, b.meta))
  return [
    [`${folder}/recording.json`, utf8(recordingJson(loaded.recording))],
    [`${folder}/captures.jsonl`, utf8(captures.map(({ meta }) => captureLine(meta)).join(''))],
    ...captures.flatMap(({ meta, stdout, stderr }): (readonly [string, Uint8Array])[] => [
      [`${folder}/sha256/${meta.stdout.sha256}`, stdout],
      [`${folder}/sha256/${meta.stderr.sha256}`, stderr],
    ]),
  ]
}

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
    .map(([path, bytes]) => `${sha256(bytes)}  ${path}\n`)
    .join('')

/**
 * The digest that ties the report to the evidence: SHA-256 over the lines of the payload manifest, without those of the report itself.
 * The same as: grep -v '  data/report' manifest-sha256.txt | sha256sum
 */
export const evidenceDigest = (payload: PackFiles): Sha256 => evidenceDigestOf(manifestLines(payload))

export const evidenceDigestOf = (manifest: string): Sha256 =>
  sha256(
    manifest
      .split('\n')
      .filter((line) => line !== '' && !line.includes('  data/report'))
      .map((line) => `${line}\n`)
      .join(''),
  )
