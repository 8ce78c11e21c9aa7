import type { AssessmentIndex, Capture, Mapping, Recording, Statement } from '../../../schemas/types.ts'
import { parseBounded } from '../../core/base/bounded-json.ts'
import {
  atMost,
  LARGEST_JSON,
  LARGEST_LIST,
  LARGEST_NOTE,
  LARGEST_RECORDING,
  LARGEST_REPEATED,
  LARGEST_TEXT,
  MOST_NODES,
  MOST_PROBLEMS,
} from '../../core/base/budgets.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { sha256 } from '../../core/base/digest.ts'
import { RECORDING } from '../../core/base/layout.ts'
import { decodeUtf8, quote } from '../../core/base/plain-text.ts'
import type { PackScope } from '../../core/conclusion/assess.ts'
import { PATHS } from '../../core/pack/pack.ts'
import { nodeFolder } from '../../core/pack/pack-files.ts'
import type { PackSource, SchemaValidator } from '../../core/ports/ports.ts'
import { type CapturedAnswer, compare, keepDigest, type LoadedRecording } from '../../core/recording/recording.ts'
import { tooLarge } from '../../core/rules/mapping.ts'
import { type CommonOutputs, commonOutputs, keepTexts } from './read-once.ts'

/** The small text files; null where one is missing, unreadable or not UTF-8. */
export interface PackTexts {
  readonly manifest: string | null
  readonly tagManifest: string | null
  readonly info: string | null
  readonly bag: string | null
}

/** The readable pack-level documents, and the problems of the others. Nodes are read one by one. */
export interface PackReading {
  readonly statement: Statement | null
  readonly scope: PackScope | null
  readonly assessment: AssessmentIndex | null
  /** SHA-256 of the catalog snapshot in the pack. */
  readonly catalogDigest: string | null
  readonly problems: readonly string[]
}

const MOST_CAPTURES = 20_000

export async function readPack(source: PackSource, validator: SchemaValidator): Promise<PackReading> {
  const problems: string[] = []
  const text = (path: string): Promise<string | null> => textOf(source, path)
  const document = async <T>(path: string, wrong: (value: unknown) => readonly string[]): Promise<T | null> => {
    const found = canonical(await text(path))
    const why = found === null ? ['missing, too large, or not canonical JSON'] : wrong(found.value)
    if (why.length > 0) problems.push(`${path}: ${why[0]}.`)
    return why.length > 0 || found === null ? null : (found.value as T)
  }
  const statement = await document<Statement>(PATHS.statement, (value) => validator.problems('statement', value))
  const scope = await document<PackScope>(PATHS.scope, (value) => scopeProblems(value, validator))
  const assessment = await document<AssessmentIndex>(PATHS.assessment, (value) =>
    validator.problems('assessment-index', value),
  )
  const catalog = await text(PATHS.catalog)
  return {
    statement,
    scope,
    assessment,
    catalogDigest: catalog === null ? null : digestOfRead(source, PATHS.catalog, catalog),
    problems,
  }
}

/** The lists and small texts of a pack. In a large pack they are large, so keep them only while comparing. */
export const readTexts = async (source: PackSource): Promise<PackTexts> => ({
  manifest: await textOf(source, PATHS.manifest),
  tagManifest: await textOf(source, PATHS.tagManifest),
  info: await textOf(source, PATHS.info),
  bag: await textOf(source, PATHS.bag),
})

/** Size limit of a text file. */
function largestText(source: PackSource, path: string): number {
  if (path === PATHS.bag || path === PATHS.info) return LARGEST_NOTE
  if (path === PATHS.manifest || path === PATHS.tagManifest)
    return Math.max(LARGEST_LIST, 2 * source.paths.reduce((sum, one) => sum + one.length + LINE_BYTES, 0))
  return path.endsWith('.json') ? LARGEST_JSON : LARGEST_TEXT
}

/** A digest, two blanks and a line end. */
const LINE_BYTES = 67

/** A file's text; null when it is missing, larger than its budget, unreadable or not UTF-8. */
export async function textOf(source: PackSource, path: string): Promise<string | null> {
  const bytes = await bytesOf(source, path, largestText(source, path))
  return bytes === null ? null : decodeUtf8(bytes)
}

/** A file's bytes; null when it is missing, unreadable, or of more than `most` bytes. */
export async function bytesOf(source: PackSource, path: string, most?: number): Promise<Uint8Array | null> {
  try {
    const bytes = await source.read(path, most)
    return most !== undefined && bytes.length > most ? null : bytes
  } catch {
    return null
  }
}

/** JSON within the budgets, in its one canonical text (RFC 8785) and a line end, so that two readers cannot see different values, as with repeated keys. */
export const canonical = (text: string | null): { readonly value: unknown } | null =>
  text?.endsWith('\n') === true ? canonicalLine(text.slice(0, -1)) : null

/** As canonical(), for a line without its end. */
function canonicalLine(line: string): { readonly value: unknown } | null {
  try {
    const value = parseBounded(line)
    return isCanonical(line, value) ? { value } : null
  } catch {
    return null
  }
}

/**
 * Whether a text is the canonical one of its value. Most texts are, and are recognized without a second order of members: they have every member in
 * order, and escape no surrogate (see canonicalJson()).
 */
const isCanonical = (text: string, value: unknown): boolean =>
  (!text.includes('\\ud') && JSON.stringify(value) === text && hasOrder(value)) || canonicalJson(value) === text

/** Whether the names of every object in a parsed value follow each other by UTF-16 code unit. */
function hasOrder(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) {
    for (const item of value) if (!hasOrder(item)) return false
    return true
  }
  let before: string | null = null
  for (const name in value) {
    if (before !== null && name <= before) return false
    before = name
    if (!hasOrder((value as Readonly<Record<string, unknown>>)[name])) return false
  }
  return true
}

/** The declarations in a pack; null where they are missing or have problems. */
export async function readScope(source: PackSource, validator: SchemaValidator): Promise<PackScope | null> {
  const found = canonical(await textOf(source, PATHS.scope))
  return found === null || scopeProblems(found.value, validator).length > 0 ? null : (found.value as PackScope)
}

/** Problems of scope.json, which contains the scope of the assessment and the evaluation date. */
export function scopeProblems(value: unknown, validator: SchemaValidator): readonly string[] {
  if (typeof value !== 'object' || value === null) return ['not a scope']
  const { asOf, ...scope } = value as Record<string, unknown>
  const isMoment = typeof asOf === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/.test(asOf)
  if (!isMoment) return ['no evaluation date']
  const { population } = scope
  if (Array.isArray(population) && population.length > MOST_NODES)
    return [`declares ${population.length} nodes; the limit is ${MOST_NODES}`]
  const misfits = validator.problems('scope', scope)
  if (misfits.length > 0) return misfits
  const large = tooLarge((scope as { mappings?: readonly Mapping[] }).mappings ?? [])
  return large === null ? [] : [`mappings ${large}`]
}

/** Folders below data/nodes, each with the paths in it. */
export function nodeFolders(source: PackSource): ReadonlyMap<string, readonly string[]> {
  const folders = new Map<string, string[]>()
  for (const path of [...source.paths].sort(compare)) {
    const folder = /^data\/nodes\/[^/]+/.exec(path)?.[0]
    if (folder === undefined) continue
    const paths = folders.get(folder)
    if (paths === undefined) folders.set(folder, [path])
    else paths.push(path)
  }
  return folders
}

interface RecordingReading {
  readonly recording: LoadedRecording | null
  readonly problems: readonly string[]
}

/** Files of a node other than captures. */
const OWN_FILES = ['assessment.json', RECORDING.header, RECORDING.captures]

/**
 * Reads one node’s recording: every line valid, every listed output present with its digest and size, and no unlisted files. `common`: outputs that
 * were read for other nodes of the same pack.
 */
export async function readRecording(
  source: PackSource,
  folder: string,
  paths: readonly string[],
  validator: SchemaValidator,
  common: CommonOutputs = commonOutputs(),
): Promise<RecordingReading> {
  const problems: string[] = []
  const headerText = await textOf(source, `${folder}/${RECORDING.header}`)
  const header = canonical(headerText)
  const wrong =
    header === null ? ['missing, too large, or not canonical JSON'] : validator.problems('recording', header.value)
  if (header === null || wrong.length > 0)
    return { recording: null, problems: [`${folder}/recording.json: ${wrong[0]}.`] }
  const recording = header.value as Recording
  if (nodeFolder(recording.node.name) !== folder)
    problems.push(`${folder}/recording.json belongs to node ${quote(recording.node.name)}, not to this folder.`)
  const text = await textOf(source, `${folder}/${RECORDING.captures}`)
  const lines = text?.split('\n', MOST_CAPTURES + 2)
  if (lines === undefined || lines.at(-1) !== '' || lines.length > MOST_CAPTURES)
    return { recording: null, problems: [...problems, `${folder}/captures.jsonl is missing or cannot be read.`] }
  const captures: CapturedAnswer[] = []
  const named = new Set(OWN_FILES.map((file) => `${folder}/${file}`))
  const streamOf = streamReader(source, folder, common)
  for (const [index, line] of lines.slice(0, -1).entries()) {
    const meta = canonicalLine(line)
    const why = meta === null ? ['not JSON in canonical form'] : validator.problems('capture', meta.value)
    if (meta === null || why.length > 0) {
      problems.push(`${folder}/captures.jsonl:${index + 1}: ${why[0]}.`)
      if (problems.length > MOST_PROBLEMS) return { recording: null, problems }
      continue
    }
    const capture = meta.value as Capture
    const [stdout, stderr] = [await streamOf(capture.stdout), await streamOf(capture.stderr)]
    for (const { sha256: digest } of [capture.stdout, capture.stderr])
      named.add(`${folder}/${RECORDING.blobs}/${digest}`)
    if (stdout === 'beyond' || stderr === 'beyond')
      return { recording: null, problems: [...problems, `${folder}/captures.jsonl lists more bytes than the limit.`] }
    if (stdout && stderr) captures.push({ meta: capture, stdout, stderr })
    else
      problems.push(`${folder}: the output of ${capture.probe}/${capture.command} is missing or differs from its line.`)
  }
  const stray = paths
    .filter((path) => !named.has(path))
    .map((path) => `${quote(path, 400)} does not belong to a capture.`)
  const loaded = { recording, captures }
  if (captures.length === lines.length - 1) {
    keepDigest(loaded, `${headerText}${text}`)
    keepTexts(loaded, { recording: headerText ?? '', captures: text ?? '' })
  }
  return { recording: loaded, problems: atMost([...problems, ...stray]) }
}

/** Reads the streams of one recording, each file once; null for one that differs from its line, `beyond` past the limits. */
function streamReader(
  source: PackSource,
  folder: string,
  common: CommonOutputs,
): (stream: Capture['stdout']) => Promise<Uint8Array | null | 'beyond'> {
  const known = new Map<string, Uint8Array | null>()
  let repeated = 0
  let held = 0
  return async (stream) => {
    const key = `${stream.sha256} ${stream.size}`
    const before = known.get(key)
    if (before !== undefined) {
      repeated += before?.length ?? 0
      return repeated > LARGEST_REPEATED + held ? 'beyond' : before
    }
    const bytes = await blob(source, folder, stream, common)
    held += bytes?.length ?? 0
    if (held > LARGEST_RECORDING) return 'beyond'
    known.set(key, bytes)
    return bytes
  }
}

async function blob(
  source: PackSource,
  folder: string,
  stream: Capture['stdout'],
  common: CommonOutputs,
): Promise<Uint8Array | null> {
  const path = `${folder}/${RECORDING.blobs}/${stream.sha256}`
  const known = common.of(stream)
  if (known !== null && comparedDigest(source, path) === stream.sha256) return known
  const bytes = await bytesOf(source, path)
  if (bytes === null || bytes.length !== stream.size || digestOfRead(source, path, bytes) !== stream.sha256) return null
  common.keep(stream, bytes)
  return bytes
}

/** The digest that all files of a pack were given when it was opened; null for a file that is missing, and for a source that hashes none. */
function comparedDigest(source: PackSource, path: string): string | null {
  try {
    return source.comparedWith?.(path) ?? null
  } catch {
    return null
  }
}

/** SHA-256 of the file that was just read. Where reading compared it with a digest, that digest is used, and the file is not hashed again. */
export const digestOfRead = (source: PackSource, path: string, content: Uint8Array | string): string =>
  source.comparedWith?.(path) ?? sha256(content)
