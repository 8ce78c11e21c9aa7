import type {
  AssessmentIndex,
  Capture,
  CatalogReference,
  NodeAssessment,
  Recording,
  Register,
} from '../../../schemas/types.ts'
import { verdictWords } from '../../../schemas/words.ts'
import { parseBounded } from '../bounded-json.ts'
import { canonicalJson } from '../canonical-json.ts'
import { sha256 } from '../digest.ts'
import { PATHS, type PackScope } from '../pack-files.ts'
import { isChosenProfile } from '../profile.ts'
import type { CapturedAnswer, LoadedRecording } from '../recording.ts'
import { bytesOfUnit, type DisclosedPart, type DisclosedUnit, isOpen, textOfParts } from './copy.ts'

/** Stands in a text where a part is withheld. A private-use character: fit for a JSON string, and no text of ours. */
const GAP = '\ue000'

/** Fields of recording.json that no verdict rests on (tested over the whole catalog): they may be withheld. */
const NOT_EVALUATED =
  /^(?:run|id|continues|synthetic|node\.(?:address|port|role)|hostKey(?:\..+)?|collector\..+|session\.(?:transport|authMethod|serverVersion|algorithms|jump)(?:\..+)?|outcome\.failure\.detail)$/

/** A recording as far as a copy holds it. */
export interface DisclosedRecording {
  readonly recording: Recording
  /** Every line of captures.jsonl; `answer` is null where its bytes, or what ties them to the line, are withheld. */
  readonly captures: readonly { readonly meta: Capture; readonly answer: CapturedAnswer | null }[]
}

/** A declared node as far as a copy holds it. Null: withheld, or not to be read. */
export interface DisclosedNode {
  /** The name, or the place among the nodes where the name is withheld. */
  readonly label: string
  /** The folder's name; with a gap where it is withheld. */
  readonly folder: string
  /** What the pack states of the node. */
  readonly entry: NodeAssessment | null
  /** Its recording; null too where its header or a line is not disclosed as far as verdicts need it. */
  readonly recording: DisclosedRecording | null
  /** Whether the copy has a unit for a recording at all. */
  readonly isRecorded: boolean
}

export interface DisclosedContent {
  /** What the pack says it was evaluated with. */
  readonly rules: { readonly catalog: CatalogReference; readonly engine: string } | null
  readonly scope: PackScope | null
  /** What people said; null where some of it is withheld. */
  readonly register: Register | null
  /** What is stated of the whole; null unless all of it but the digests of files is open. */
  readonly index: AssessmentIndex | null
  /** Whether every path is open. */
  readonly arePathsOpen: boolean
  /** Whether anything that is open says that it is demonstration data. */
  readonly demo: boolean
  /** In the order of their folders. */
  readonly nodes: readonly DisclosedNode[]
}

/** Reads the content out of the open parts. Nothing here trusts them: unreadable counts as withheld, and it never throws. */
export function contentOf(units: readonly DisclosedUnit[]): DisclosedContent {
  const root = new Map(units.map((unit) => [pathWithGaps(unit), unit]))
  const whole = json(root.get(PATHS.assessment))
  const headers = units.filter((unit) => pathWithGaps(unit).endsWith('/recording.json')).map(json)
  return {
    rules: rulesIn(whole),
    index: indexIn(whole),
    arePathsOpen: units.every(({ path }) => path.every(isOpen)),
    demo: [whole, ...headers].some((value) => (value as { demo?: unknown } | null)?.demo === true),
    scope: scopeIn(json(root.get(PATHS.scope))),
    register: registerIn(json(root.get(PATHS.exceptions))),
    nodes: foldersOf(units).map(nodeIn),
  }
}

/** Whether some of a text was withheld here. */
export const hasGap = (text: string): boolean => text.includes(GAP)

/** What assess() takes: the answers that are there, and no others. */
export const loadedFrom = ({ recording, captures }: DisclosedRecording): LoadedRecording => ({
  recording,
  captures: captures.flatMap(({ answer }) => (answer === null ? [] : [answer])),
})

interface Folder {
  readonly name: string
  readonly files: ReadonlyMap<string, DisclosedUnit>
}

/** The units of each node, by path inside its folder. Where names are withheld, a node begins with its assessment, which sorts first. */
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
    isRecorded: files.has('recording.json'),
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
  const header = json(folder.get('recording.json')) as Recording | null
  const lines = folder.get('captures.jsonl')
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

/** A line of captures.jsonl. Where a digest is withheld, its size is too, and the gap closes the string for both. */
function captureIn(line: string): Capture | null {
  try {
    const meta: unknown = parseBounded(line.replaceAll(`"sha256":"${GAP}}`, `"sha256":"${GAP}"}`))
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
  const unit = folder.get(`sha256/${stream.sha256}`)
  const bytes = unit === undefined ? null : bytesOfUnit(unit)
  return bytes !== null && bytes.length === stream.size && sha256(bytes) === stream.sha256 ? bytes : null
}

/** The fields of a JSON value that hold a gap, as dotted paths; keys count as their field. */
function gapsIn(value: unknown, at = ''): readonly string[] {
  if (typeof value === 'string') return hasGap(value) ? [at] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const field = at === '' ? key : `${at}.${key}`
    return [...(hasGap(key) ? [field] : []), ...gapsIn(inner, field)]
  })
}

function entryIn(value: unknown): NodeAssessment | null {
  const { node, findings } = (value ?? {}) as Partial<NodeAssessment>
  const isWhole =
    typeof node === 'string' &&
    Array.isArray(findings) &&
    findings.every(
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

/** Whether every field of a document is open. */
export const isWithoutGap = (value: unknown): boolean => !hasGap(canonicalJson(value))

function registerIn(value: unknown): Register | null {
  const { exceptions, attachments, requests } = (value ?? {}) as Partial<Register>
  const isWhole = [exceptions, attachments, requests].every(Array.isArray)
  return isWhole && isWithoutGap(value) ? (value as Register) : null
}

function scopeIn(value: unknown): PackScope | null {
  const { population, asOf, frameworks, profile } = (value ?? {}) as Partial<PackScope>
  const isWhole = Array.isArray(population) && Array.isArray(frameworks) && typeof asOf === 'string' && !hasGap(asOf)
  // Verdicts hold by these numbers: a profile that is not whole would be taken for another one.
  const isJudged =
    profile === undefined || (isChosenProfile(profile) && !profile.changes.some((one) => hasGap(one.threshold)))
  return isWhole && isJudged && population.every((one) => typeof one === 'string') ? (value as PackScope) : null
}
