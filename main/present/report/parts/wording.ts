import {
  type CountedItem,
  documentLine,
  documentStateWords,
  type RowState,
  rowStateWords,
  serverLine,
  serverStateWords,
  shortFrameworkNames,
} from '../../../../schemas/conclusion-words.ts'
import type {
  Assessment,
  CaptureRef,
  ControlRef,
  DocumentPart,
  HostKey,
  NodeAssessment,
  Observation,
  ServerPart,
} from '../../../../schemas/types.ts'
import { type Verdict, verdictWords } from '../../../../schemas/words.ts'
import { sha256 } from '../../../core/base/digest.ts'
import { of, plain, plural } from '../../../core/base/plain-text.ts'
import type { Line, MarkName } from '../../../core/base/report-document.ts'
import { isDecidable, type PropertyCell, reached, SEVERITY } from '../../../core/conclusion/tally.ts'
import { compare } from '../../../core/recording/recording.ts'
import type { Catalog } from '../../../core/rules/catalog.ts'
import type { Framework } from '../../../core/rules/framework.ts'
import type { ReportInput } from '../../input.ts'

/** Short name of a framework. */
export const shortName = (framework: string): string => shortFrameworkNames[framework] ?? plain(framework, 40)

/** A control by ID and title, or by key where the catalog does not contain it. */
export function itemName({ frameworks }: Pick<Catalog, 'frameworks'>, { framework, control }: ControlRef): string {
  const found = frameworks.find(({ id }) => id === framework)
  const item = found?.controls.find(({ key }) => key === control)
  const name = item === undefined ? plain(control, 100) : plain(`${item.id} ${item.title}`, 400)
  return `${shortName(framework)} ${name}`
}

/** What a customer’s mapping is not, wherever its results are printed. */
export const CUSTOMER_MAPPING =
  'Controls, their wording and their mapped checks come from a file supplied by the customer. The mapping was not reviewed.'

/** Whether a framework is the customer’s. Compared by identity, so that a mapping cannot pass as a built-in framework by its name. */
export const isOfCustomer = (
  { assessment }: Pick<ReportInput, 'assessment'>,
  framework: Pick<Framework, 'id'>,
): boolean => assessment.scope.mappings?.some((mapping) => mapping === framework) === true

/** Frameworks of the report, with proposed rules (overlays) separated. */
export function chosenFrameworks({ catalog, assessment }: Pick<ReportInput, 'catalog' | 'assessment'>): {
  readonly current: readonly Framework[]
  readonly overlays: readonly Framework[]
} {
  const chosen = catalog.frameworks.filter(({ id }) => assessment.scope.frameworks.includes(id))
  return { current: chosen.filter(({ proposed }) => !proposed), overlays: chosen.filter(({ proposed }) => proposed) }
}

/** How the nodes of an assessment are described: a fleet file can contain nodes outside the declared population. */
export const nodeWords = ({ nodes, reconciliation }: Pick<Assessment, 'nodes' | 'reconciliation'>): string => {
  const noun = nodes.length === 1 ? 'node' : 'nodes'
  return reconciliation === undefined || reconciliation.declared === nodes.length
    ? `declared ${noun}`
    : `declared or fleet-file ${noun}`
}

/** Section titles, so that one section can refer to another by name; section numbers follow from the order alone. */
export const titles = {
  cover: 'Report information',
  summary: 'Conclusion',
  contents: 'Contents',
  findings: 'Findings',
  boundary: 'Scope and boundary',
  population: 'Population and completeness',
  gaps: 'Evidence by finding',
  method: 'Method',
  versions: 'Versions',
  compared: 'Criteria and thresholds',
  checks: 'Checks',
  nodes: 'Results by node',
  isolation: 'Isolation analysis by node',
  location: 'Location results by node',
  undecided: 'Not tested or inconclusive',
  claims: 'Provider claims',
  acceptances: 'Deviations and risk acceptances',
  decisions: 'Control decisions',
  records: 'Document index',
  requests: 'Documents and risk acceptances',
  limits: 'Limitations',
  ceilings: 'Limitations of checks',
  'sign-off': 'Sign-off',
  custody: 'Chain of custody',
  howto: 'Independent verification',
  verification: 'Verification',
  evidence: 'Evidence index',
  glossary: 'Glossary',
} as const

type Titled = keyof typeof titles

/** Sections of the annexes; all others are in the report. */
const ANNEXED: ReadonlySet<Titled> = new Set<Titled>([
  'cover',
  'gaps',
  'method',
  'versions',
  'compared',
  'checks',
  'nodes',
  'isolation',
  'location',
  'undecided',
  'claims',
  'acceptances',
  'decisions',
  'records',
  'ceilings',
  'custody',
  'howto',
  'evidence',
  'glossary',
])

/** A section’s title as printed inside a sentence, with the document that has it. */
export const see = (part: Titled): string => `“${titles[part]}” in the ${ANNEXED.has(part) ? 'annexes' : 'report'}`

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const INSTANT = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})/

/** `2026-05-14T09:12:00.000Z` as `14 May 2026 09:12 UTC`: parsed from the text, never through a locale, so that output is identical everywhere. */
export function when(instant: string): string {
  const [, year, month, day, hour, minute] = INSTANT.exec(instant) ?? []
  const name = MONTHS[Number(month) - 1]
  return name === undefined ? plain(instant, 40) : `${Number(day)} ${name} ${year} ${hour}:${minute} UTC`
}

/** A time without its zone, for columns headed UTC. */
export const moment = (instant: string): string => when(instant).replace(/ UTC$/, '')

/** A time range, or a single time where both fall in the same minute. */
export const between = (first: string, last: string): string =>
  when(first) === when(last) ? when(first) : `${when(first)} to ${when(last)}`

/** From the first to the last moment of recordings with a capture, by the clock of the collector. */
export function collectedBetween(recordings: ReportInput['recordings']): string {
  const captured = recordings.filter(({ captures }) => captures.length > 0).map(({ recording }) => recording)
  const [first] = captured.map(({ startedAt }) => startedAt).sort(compare)
  const last = captured
    .map(({ endedAt }) => endedAt)
    .sort(compare)
    .at(-1)
  return first === undefined
    ? 'No evidence was collected'
    : between(first, last ?? first).replace(ONE_DAY, '$1 $2 to $3')
}

/** The day is stated once where both times are on it. */
const ONE_DAY = /^(\d+ \w+ \d+) (\d{2}:\d{2}) UTC to \1 (\d{2}:\d{2} UTC)$/

const RIGHTS: readonly (readonly [NodeAssessment['privilege'], string])[] = [
  ['root', 'as root'],
  ['sudo', 'through sudo'],
  ['none', 'without root rights'],
  [null, 'without a login'],
]

/** With which rights nodes were collected, in one line. Empty where no node was collected. */
export function rightsUsed(nodes: readonly NodeAssessment[]): string {
  const used = RIGHTS.map(([rights, words]) => ({
    words,
    count: nodes.filter((node) => reached(node) && node.privilege === rights).length,
  })).filter(({ count }) => count > 0)
  return used.map(({ words, count }, at) => `${at === 0 ? plural(count, 'node') : count} ${words}`).join(', ')
}

/** What a recording states of itself where it was not captured unmodified from a real node. */
export const syntheticText = (stated: string): string =>
  `Synthetic recording: ${plain(stated, 300).replace(/^Synthetic: /, '')}`

/** SOC 2® with its trademark sign, as the AICPA requests at first use. */
export const asExamined = (words: string): string => words.replace(/^SOC 2(?!®)/, 'SOC 2®')

/** `2027-03-01T23:59:59.999Z` as `1 Mar 2027`, for entries valid until the end of a day. */
export const day = (instant: string): string => when(instant).replace(/ \d{2}:\d{2} UTC$/, '')

/** Short code of a digest; CODES states where to find the full digest. */
export const brief = (digest: string): string => digest.slice(0, 12)

/** Explains short codes; printed wherever they occur. */
export const CODES =
  'A short code is the beginning of the SHA-256 of a capture. The full digest, with its command, is in evidence.csv next to the pack, in data/nodes/NODE/captures.jsonl in the pack and, for the captures listed there, in the evidence index.'

/** Where to find everything omitted from a report for length. */
export const ELSEWHERE = 'For all, see data/nodes/NODE/assessment.json in the pack.'

export const verdictMark = (verdict: Verdict): MarkName => verdictWords[verdict].mark as MarkName
export const stateMark = (state: RowState): MarkName => rowStateWords[state].mark as MarkName
export const verdictLine = (verdict: Verdict): Line => ({
  text: verdictWords[verdict].label,
  mark: verdictMark(verdict),
})
export const stateLine = (state: RowState): Line => ({ text: rowStateWords[state].label, mark: stateMark(state) })
/** Server part of a control with its counts and mark. */
export const serverMarked = (server: ServerPart, item?: CountedItem): Line => ({
  text: serverLine(server, item),
  mark: serverStateWords[server.state].mark as MarkName,
})
/** Document part of a control with its counts and mark. */
export const documentMarked = (documents: DocumentPart): Line => ({
  text: documentLine(documents),
  mark: documentStateWords[documents.state].mark as MarkName,
})

/** The same below a heading that names documents: what is outstanding as its count and mark, in one line of a narrow column. */
export const documentCell = (documents: DocumentPart): Line =>
  documents.state === 'outstanding'
    ? { ...documentMarked(documents), text: `${of(documents.held, documents.needed)} held` }
    : documentMarked(documents)

/** A count out of the results with a criterion; for informational and not applicable results, the number alone. */
const share = ({ counts, decidable }: PropertyCell, verdict: Verdict): string =>
  isDecidable(verdict) ? of(counts[verdict], decidable) : String(counts[verdict])

/** Satisfied share for narrow cells: results outside the denominator follow a plus sign. */
export const supportedShare = (cell: PropertyCell): string =>
  [
    ...(cell.decidable > 0 ? [share(cell, 'satisfied')] : []),
    ...(cell.total > cell.decidable ? [`+${cell.total - cell.decidable}`] : []),
  ].join(' ')

/** Counts by verdict, worst first, one line each; zero counts are omitted. */
export const countLines = (cell: PropertyCell): readonly Line[] =>
  SEVERITY.filter((verdict) => cell.counts[verdict] > 0).map((verdict) => ({
    text: `${share(cell, verdict)} ${verdictWords[verdict].label.toLowerCase()}`,
    mark: verdictMark(verdict),
  }))

const PRIVILEGE: Readonly<Record<'root' | 'sudo' | 'none', string>> = {
  root: 'as root',
  sudo: 'through sudo where root is required',
  none: 'without administrator rights',
}

/** Node, time and privilege of the evidence, in one sentence. */
export function observed(node: NodeAssessment): string {
  const name = plain(node.node, 80)
  if (node.observedAt === null || !reached(node)) return `No evidence was collected from ${name}.`
  const rights = node.privilege === null ? 'no login' : PRIVILEGE[node.privilege]
  const old = node.stale ? ' Stale: older than the validity limit and not counted as support.' : ''
  return `Collected from ${name} at ${when(node.observedAt)}, ${rights}.${old}`
}

/** The same without the node’s name. */
export const observedBriefly = (node: NodeAssessment): string =>
  node.observedAt === null
    ? ''
    : `${when(node.observedAt)}, ${node.privilege === null ? 'no login' : PRIVILEGE[node.privilege]}`

/** Word and mark of the direction of an observation. */
export const DIRECTIONS: Readonly<
  Record<Observation['direction'], { readonly word: string; readonly mark: MarkName }>
> = {
  supports: { word: 'Supports', mark: 'ring-tick' },
  contradicts: { word: 'Contradicts', mark: 'square-cross' },
  unclear: { word: 'Unclear', mark: 'diamond-question' },
}

/** An observation shared by several nodes: cites the commands, because digests differ between nodes. */
export function sharedReasonLine(reason: Observation): Line {
  const questions = [...new Set(reason.captures.map(({ command }) => `${reason.probe ?? ''}/${command}`))]
  const shown = questions.slice(0, 4).join(', ')
  const more = questions.length > 4 ? ` and ${questions.length - 4} more` : ''
  const from = questions.length === 0 ? '' : ` [captures of ${plain(shown, 400)}${more} on each node]`
  const line = reasonLine({ ...reason, captures: [] })
  return { ...line, text: `${line.text}${from}` }
}

/** One observation as a line, with its direction and the short codes of its captures. */
export function reasonLine(reason: Observation): Line {
  const { word, mark } = DIRECTIONS[reason.direction]
  return { text: `${word}: ${plain(reason.text, 1200)}${cites(reason.captures)}`, mark }
}

const EMPTY = sha256('')

/** Short codes of cited captures; empty where none is cited. */
export function cites(captures: readonly CaptureRef[]): string {
  if (captures.length === 0) return ''
  const empty = captures.filter((cited) => cited.sha256 === EMPTY).length
  const held = [...new Set(captures.flatMap(({ sha256: digest }) => (digest === EMPTY ? [] : [brief(digest)])))]
  const shown = held.slice(0, 6).join(', ')
  const more = held.length > 6 ? ` and ${held.length - 6} more` : ''
  const none = empty === 0 ? '' : empty === 1 ? 'one empty capture' : `${empty} empty captures`
  return ` [evidence ${[`${shown}${more}`, none].filter((part) => part !== '').join(', ')}]`
}

const ORDER: Readonly<Record<Observation['direction'], number>> = { contradicts: 0, unclear: 1, supports: 2 }
/** Contradicting observations first, then unclear, then supporting, so that deviations are not overlooked. */
export const worstFirst = (reasons: readonly Observation[]): readonly Observation[] =>
  [...reasons].sort((a, b) => ORDER[a.direction] - ORDER[b.direction])

/** Observations as lines for other tools, the worst first, each with its direction. */
export const observationLines = (observations: readonly Observation[]): readonly string[] =>
  worstFirst(observations).map(({ direction, text }) => `${direction}: ${plain(text, 1200)}`)

/** How a host key was verified. */
export const hostKeyWords: Readonly<Record<HostKey['trust']['how'], string>> = {
  'known-hosts': 'found in a known_hosts file',
  fingerprint: 'equal to the fingerprint in the fleet file',
  'host-ca': 'signed by a host certificate authority',
  list: 'compared manually with a list',
  decision: 'accepted manually, decision recorded',
  demo: 'demo key',
}
