import type {
  AssessmentIndex,
  Capture,
  CatalogReference,
  NodeAssessment,
  Recording,
  Register,
} from '../../../schemas/types.ts'
import { verdictWords } from '../../../schemas/words.ts'
import { hasRepeatedMember, parseBounded } from '../../core/base/bounded-json.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { sha256 } from '../../core/base/digest.ts'
import { RECORDING } from '../../core/base/layout.ts'
import type { PackScope } from '../../core/conclusion/assess.ts'
import { PATHS } from '../../core/pack/pack-files.ts'
import type { CapturedAnswer, LoadedRecording } from '../../core/recording/recording.ts'
import { isChosenProfile } from '../../core/rules/profile.ts'
import { bytesOfUnit, type DisclosedPart, type DisclosedUnit, isOpen, textOfParts } from './cuts/copy.ts'

/** Marks a redacted part in a text. A private-use character: valid in a JSON string and never used otherwise. */
const GAP = '\ue000'

/** Fields of recording.json that no verdict depends on (tested over the whole catalog) and that can be redacted. */
const NOT_EVALUATED =
  /^(?:run|id|continues|synthetic|node\.(?:address|port|role)|hostKey(?:\..+)?|collector\..+|session\.(?:transport|authMethod|serverVersion|algorithms|jump)(?:\..+)?|outcome\.failure\.detail)$/

/** The part of a recording that the copy contains. */
export interface DisclosedRecording {
  readonly recording: Recording
  /** Every line of captures.jsonl; `answer` is null where its bytes, or their link to the line, are redacted. */
  readonly captures: readonly { readonly meta: Capture; readonly answer: CapturedAnswer | null }[]
}

/** The part of a declared node that the copy contains. Null: redacted or unreadable. */
export interface DisclosedNode {
  /** The name, or the position among the nodes where the name is redacted. */
  readonly label: string
  /** The folder name, with a gap where it is redacted. */
  readonly folder: string
  /** Stated results of the node. */
  readonly entry: NodeAssessment | null
  /** Its recording; also null where its header or a line lacks a part on which verdicts depend. */
  readonly recording: DisclosedRecording | null
  /** Whether the copy has a unit for a recording. */
  readonly isRecorded: boolean
}

export interface DisclosedContent {
  /** Stated rules of the evaluation. */
  readonly rules: { readonly catalog: CatalogReference; readonly engine: string } | null
  readonly scope: PackScope | null
  /** The register; null where parts of it are redacted. */
  readonly register: Register | null
  /** Stated assessment as a whole; null unless all of it except file digests is disclosed. */
  readonly index: AssessmentIndex | null
  /** Whether every path is disclosed. */
  readonly arePathsOpen: boolean
  /** Whether any disclosed part marks demo data. */
  readonly demo: boolean
  /** In the order of their folders. */
  readonly nodes: readonly DisclosedNode[]
}

/** Reads the content of disclosed parts as untrusted input: unreadable counts as redacted, and it never throws. */
export function contentOf(units: readonly DisclosedUnit[]): DisclosedContent {
  const root = new Map(units.map((unit) => [pathWithGaps(unit), unit]))
  const whole = json(root.get(PATHS.assessment))
  const headers = units.filter((unit) => pathWithGaps(unit).endsWith(`/${RECORDING.header}`)).map(json)
  return {
    rules: rulesIn(whole),
    index: indexIn(whole),
    arePathsOpen: units.every(({ path }) => path.every(isOpen)),
    demo: [whole, ...headers].some((value) => (value as { demo?: unknown } | null)?.demo === true),
    scope: scopeIn(json(root.get(PATHS.scope))),
    register: registerIn(json(root.get(PATHS.register))),
    nodes: foldersOf(units).map(nodeIn),
  }
}

/** The version of the program that evaluated a pack, as its copy states it; null where that is redacted or unreadable. */
export const engineOf = (units: readonly DisclosedUnit[]): string | null =>
  rulesIn(json(units.find((unit) => pathWithGaps(unit) === PATHS.assessment)))?.engine ?? null

/** Whether a part of a text is redacted. */
export const hasGap = (text: string): boolean => text.includes(GAP)

/** Input for assess(): the disclosed captures only. */
export const loadedFrom = ({ recording, captures }: DisclosedRecording): LoadedRecording => ({
  recording,
  captures: captures.flatMap(({ answer }) => (answer === null ? [] : [answer])),
})

interface Folder {
  readonly name: string
  readonly files: ReadonlyMap<string, DisclosedUnit>
}

/** The units of each node, by path inside its folder. Where names are redacted, a node begins with its assessment, which sorts first. */
function foldersOf(units: readonly DisclosedUnit[]): readonly Folder[] {
  const folders: { name: string; files: Map<string, DisclosedUnit> }[] = []
  for (const unit of units) {
    const [, name, inner] = /^data\/nodes\/([^/]+)\/(.+)$/s.exec(pathWithGaps(unit)) ?? []
    if (name === undefined || inner === undefined) continue
    const folder = folders.at(-1)
    if (folder === undefined || name !== folder.name || (hasGap(name) && inner === 'assessment.json'))
      folders.push({ name, files: new Map([[inner, unit]]) })
    else folder.files.set(inner, unit)
  }
  return folders
}

function nodeIn({ name: folder, files }: Folder, index: number): DisclosedNode {
  const entry = entryIn(json(files.get('assessment.json')))
  const name = entry?.node ?? GAP
  return {
    label: hasGap(name) ? `withheld-node-${index + 1}` : name,
    folder,
    entry,
    recording: recordingIn(files),
    isRecorded: files.has(RECORDING.header),
  }
}

const pathWithGaps = ({ path }: DisclosedUnit): string => textOfParts(path, () => GAP)
const textWithGaps = ({ content }: DisclosedUnit): string => textOfParts(content, () => GAP)

function json(unit: DisclosedUnit | undefined): unknown {
  const isWithheld = (part: DisclosedPart): boolean => !isOpen(part) && (part.class === 'text' || part.class === 'file')
  if (unit === undefined || unit.content.some(isWithheld)) return null
  try {
    return parseBounded(textWithGaps(unit))
  } catch {
    return null
  }
}

function recordingIn(folder: Folder['files']): DisclosedRecording | null {
  const header = json(folder.get(RECORDING.header)) as Recording | null
  const lines = folder.get(RECORDING.captures)
  if (lines === undefined || typeof header?.node?.name !== 'string' || typeof header.outcome?.status !== 'string')
    return null
  if (typeof header.endedAt !== 'string' || gapsIn(header).some((field) => !NOT_EVALUATED.test(field))) return null
  const captures: { readonly meta: Capture; readonly answer: CapturedAnswer | null }[] = []
  for (const line of linesOf(lines)) {
    const meta = captureIn(line)
    if (meta === null) return null
    const [stdout, stderr] = [meta.stdout, meta.stderr].map((stream) => streamBytes(folder, stream))
    const isWhole = gapsIn(meta).length === 0 && stdout && stderr
    captures.push({ meta, answer: isWhole ? { meta, stdout, stderr } : null })
  }
  return { recording: header, captures }
}

const linesOf = (unit: DisclosedUnit): readonly string[] =>
  textWithGaps(unit)
    .split('\n')
    .filter((line) => line !== '')

/** Where a digest is redacted with its size, the gap closes the string for both. */
const closed = (text: string): string => text.replaceAll(`"sha256":"${GAP}}`, `"sha256":"${GAP}"}`)

/**
 * Why a JSON document can be read in two ways, as a sentence without a subject; null otherwise. In a pack no member is repeated; and what is disclosed
 * must not look redacted.
 */
export function ambiguityIn(unit: DisclosedUnit): string | null {
  const path = pathWithGaps(unit)
  if (!JSON_PATH.test(path)) return null
  if (unit.content.some((part) => isOpen(part) && (holdsGap(part.bytes) || ESCAPED_GAP.test(latin1(part.bytes)))))
    return 'has the character U+E000, which marks redacted parts'
  const text = textWithGaps(unit)
  const parts = path.endsWith('l') ? text.split('\n') : [text]
  return parts.map(closed).some((part) => hasRepeatedMember(part) && isJson(part)) ? 'has a member twice' : null
}

const JSON_PATH = /\.jsonl?$/

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length)
const latin1 = (bytes: Uint8Array): string => bufferOf(bytes).toString('latin1')
const holdsGap = (bytes: Uint8Array): boolean => bufferOf(bytes).includes(GAP)
/** A JSON escape of the mark, which canonical JSON never has; two backslashes are one in the text. */
const ESCAPED_GAP = /(?<!\\)(?:\\\\){0,1000}\\ue000/i

/** A gap can leave a text of another form, in which nothing is a member. */
function isJson(text: string): boolean {
  try {
    parseBounded(text)
    return true
  } catch {
    return false
  }
}

/** A line of captures.jsonl. Where a digest is redacted, its size is too, and the gap closes the string for both. */
function captureIn(line: string): Capture | null {
  try {
    const meta: unknown = parseBounded(closed(line))
    const { probe, command, stdout, stderr } = meta as Partial<Capture>
    const isNamed = typeof probe === 'string' && typeof command === 'string' && !hasGap(probe) && !hasGap(command)
    return isNamed && typeof stdout?.sha256 === 'string' && typeof stderr?.sha256 === 'string'
      ? (meta as Capture)
      : null
  } catch {
    return null
  }
}

function streamBytes(folder: Folder['files'], stream: Capture['stdout']): Uint8Array | null {
  const unit = folder.get(`${RECORDING.blobs}/${stream.sha256}`)
  const bytes = unit === undefined ? null : bytesOfUnit(unit)
  return bytes !== null && bytes.length === stream.size && sha256(bytes) === stream.sha256 ? bytes : null
}

/** The fields of a JSON value that contain a gap, as dotted paths; keys count as their field. */
function gapsIn(value: unknown, at = ''): readonly string[] {
  if (typeof value === 'string') return hasGap(value) ? [at] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const field = at === '' ? key : `${at}.${key}`
    return [...(hasGap(key) ? [field] : []), ...gapsIn(inner, field)]
  })
}

function entryIn(value: unknown): NodeAssessment | null {
  const { node, results } = (value ?? {}) as Partial<NodeAssessment>
  const isWhole =
    typeof node === 'string' &&
    Array.isArray(results) &&
    results.every(
      (found) =>
        typeof found?.check === 'string' && !hasGap(found.check) && Object.hasOwn(verdictWords, String(found.verdict)),
    )
  return isWhole ? (value as NodeAssessment) : null
}

function rulesIn(value: unknown): DisclosedContent['rules'] {
  const { catalog, engine } = (value ?? {}) as Partial<AssessmentIndex>
  const { version, digest, module } = (catalog ?? {}) as Partial<CatalogReference>
  const parts = [version, digest, module, engine]
  return parts.every((part) => typeof part === 'string' && !hasGap(part))
    ? { catalog: { version, digest, module } as CatalogReference, engine: String(engine) }
    : null
}

function indexIn(value: unknown): AssessmentIndex | null {
  const { nodes, controls, scope } = (value ?? {}) as Partial<AssessmentIndex>
  const isWhole = Array.isArray(nodes) && Array.isArray(controls) && typeof scope === 'object'
  const isOpenElsewhere = gapsIn(value).every((field) => /^nodes\.[0-9]+\.sha256$/.test(field))
  return isWhole && isOpenElsewhere && rulesIn(value) !== null ? (value as AssessmentIndex) : null
}

/** Whether every field of a document is disclosed. */
export const isWithoutGap = (value: unknown): boolean => !hasGap(canonicalJson(value))

function registerIn(value: unknown): Register | null {
  const { riskAcceptances, documents, documentRequests } = (value ?? {}) as Partial<Register>
  const isWhole = [riskAcceptances, documents, documentRequests].every(Array.isArray)
  return isWhole && isWithoutGap(value) ? (value as Register) : null
}

function scopeIn(value: unknown): PackScope | null {
  const { population, asOf, frameworks, profile } = (value ?? {}) as Partial<PackScope>
  const isWhole = Array.isArray(population) && Array.isArray(frameworks) && typeof asOf === 'string' && !hasGap(asOf)
  // Verdicts depend on these thresholds: an incomplete profile would be mistaken for a different one.
  const isJudged =
    profile === undefined || (isChosenProfile(profile) && !profile.changes.some((one) => hasGap(one.threshold)))
  return isWhole && isJudged && population.every((one) => typeof one === 'string') ? (value as PackScope) : null
}
