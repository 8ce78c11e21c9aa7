import {
  documentLine,
  documentStateWords,
  type RowState,
  rowStateWords,
  serverLine,
  serverStateWords,
} from '../../../schemas/conclusion-words.ts'
import type { CaptureRef, DocumentPart, NodeAssessment, Reason, ServerPart } from '../../../schemas/types.ts'
import { type Verdict, verdictWords } from '../../../schemas/words.ts'
import { sha256 } from '../digest.ts'
import { plain } from '../plain-text.ts'
import { isDecidable, type PropertyCell, reached, SEVERITY } from '../tally.ts'
import type { Line, MarkName } from './model.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const INSTANT = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})/

/** `2026-05-14T09:12:00.000Z` as `14 May 2026 09:12 UTC`: the same everywhere, read off the text, never through a locale. */
export function when(instant: string): string {
  const [, year, month, day, hour, minute] = INSTANT.exec(instant) ?? []
  const name = MONTHS[Number(month) - 1]
  return name === undefined ? plain(instant, 40) : `${Number(day)} ${name} ${year} ${hour}:${minute} UTC`
}

/** From when to when, or the one minute where both are the same. */
export const between = (first: string, last: string): string =>
  when(first) === when(last) ? when(first) : `${when(first)} to ${when(last)}`

/** The name of the examination as its owner asks for it where it is first read. */
export const asExamined = (words: string): string => words.replace(/^SOC 2(?!®)/, 'SOC 2®')

/** `2027-03-01T23:59:59.999Z` as `1 Mar 2027`, for what lasts until the end of a day. */
export const day = (instant: string): string => when(instant).replace(/ \d{2}:\d{2} UTC$/, '')

export const of = (part: number, whole: number): string => `${part} of ${whole}`
export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** Enough of a digest to find it whole; CODES says where. */
export const brief = (digest: string): string => digest.slice(0, 12)

/** Stands wherever short codes stand. */
export const CODES =
  'A short code is the beginning of an answer’s SHA-256. It stands whole, with its question, in evidence.csv beside the pack, in data/nodes/NODE/captures.jsonl in the pack and, for the answers listed there, in the evidence index.'

/** Where everything is that a report leaves out for its length. */
export const ELSEWHERE = 'The pack has them all, in data/nodes/NODE/assessment.json.'

/** A list of names that stays readable in a fleet of hundreds; the pack has them all. */
export function names(all: readonly string[], most = 12): string {
  const shown = all.slice(0, most).map((name) => plain(name, 80))
  const more = all.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}

export const verdictMark = (verdict: Verdict): MarkName => verdictWords[verdict].mark as MarkName
export const stateMark = (state: RowState): MarkName => rowStateWords[state].mark as MarkName
export const verdictLine = (verdict: Verdict): Line => ({
  text: verdictWords[verdict].label,
  mark: verdictMark(verdict),
})
export const stateLine = (state: RowState): Line => ({ text: rowStateWords[state].label, mark: stateMark(state) })
/** What the servers showed of a control, with its counts, under a mark of its own. */
export const serverMarked = (server: ServerPart): Line => ({
  text: serverLine(server),
  mark: serverStateWords[server.state].mark as MarkName,
})
/** What the documents of a control come to, with its counts, under a mark of its own. */
export const documentMarked = (documents: DocumentPart): Line => ({
  text: documentLine(documents),
  mark: documentStateWords[documents.state].mark as MarkName,
})

const COUNTED: Readonly<Record<Verdict, string>> = {
  met: 'supported',
  'not-met': 'contradicted',
  inconclusive: 'not enough evidence',
  'not-tested': 'not collected',
  'not-applicable': 'does not apply',
  informational: 'recorded',
}

/** A count out of what can be decided; of what is only recorded, or does not apply, the number alone. */
export const share = ({ counts, decidable }: PropertyCell, verdict: Verdict): string =>
  isDecidable(verdict) ? of(counts[verdict], decidable) : String(counts[verdict])

/** The same of the supported, in a cell without room for words: after the plus sign stands what is in no denominator. */
export const supportedShare = (cell: PropertyCell): string =>
  [
    ...(cell.decidable > 0 ? [share(cell, 'met')] : []),
    ...(cell.total > cell.decidable ? [`+${cell.total - cell.decidable}`] : []),
  ].join(' ')

/** How many answered how, worst first, one line each; what nobody answered is left out. */
export const countLines = (cell: PropertyCell): readonly Line[] =>
  SEVERITY.filter((verdict) => cell.counts[verdict] > 0).map((verdict) => ({
    text: `${share(cell, verdict)} ${COUNTED[verdict]}`,
    mark: verdictMark(verdict),
  }))

const PRIVILEGE: Readonly<Record<'root' | 'sudo' | 'none', string>> = {
  root: 'read as root',
  sudo: 'read as root through sudo where needed',
  none: 'read without administrator rights',
}

/** The statement that stands beside what was seen: on which node, when, read with which rights. */
export function observed(node: NodeAssessment): string {
  const name = plain(node.node, 80)
  if (node.observedAt === null || !reached(node)) return `Nothing was observed on ${name}.`
  const rights = node.privilege === null ? 'no login' : PRIVILEGE[node.privilege]
  const old = node.stale ? ' This is outside the accepted age and supports nothing.' : ''
  return `Observed on ${name} at ${when(node.observedAt)}, ${rights}.${old}`
}

/** The same where the node's name stands above. */
export const observedBriefly = (node: NodeAssessment): string =>
  node.observedAt === null
    ? ''
    : `${when(node.observedAt)}, ${node.privilege === null ? 'no login' : PRIVILEGE[node.privilege]}`

const SAYS: Readonly<Record<Reason['says'], { readonly word: string; readonly mark: MarkName }>> = {
  for: { word: 'For', mark: 'ring-tick' },
  against: { word: 'Against', mark: 'square-cross' },
  unclear: { word: 'Unclear', mark: 'diamond-question' },
}

/** Several reasons that are alike on many nodes: which questions they rest on, as digests differ from node to node. */
export function sharedReasonLine(reason: Reason): Line {
  const questions = [...new Set(reason.captures.map(({ command }) => `${reason.probe ?? ''}/${command}`))]
  const shown = questions.slice(0, 4).join(', ')
  const more = questions.length > 4 ? ` and ${questions.length - 4} more` : ''
  const from = questions.length === 0 ? '' : ` [each node’s answer to ${plain(shown, 400)}${more}]`
  const line = reasonLine({ ...reason, captures: [] })
  return { ...line, text: `${line.text}${from}` }
}

/** One step of the argument as a line, with the short digests of the answers it rests on. */
export function reasonLine(reason: Reason): Line {
  const { word, mark } = SAYS[reason.says]
  return { text: `${word}: ${plain(reason.text, 1200)}${cites(reason.captures)}`, mark }
}

const EMPTY = sha256('')

/** The short digests of the answers that a sentence rests on; nothing where it rests on none. */
export function cites(captures: readonly CaptureRef[]): string {
  if (captures.length === 0) return ''
  const empty = captures.filter((cited) => cited.sha256 === EMPTY).length
  const held = [...new Set(captures.flatMap(({ sha256: digest }) => (digest === EMPTY ? [] : [brief(digest)])))]
  const shown = held.slice(0, 6).join(', ')
  const more = held.length > 6 ? ` and ${held.length - 6} more` : ''
  const none = empty === 0 ? '' : empty === 1 ? 'one empty answer' : `${empty} empty answers`
  return ` [evidence ${[`${shown}${more}`, none].filter((part) => part !== '').join(', ')}]`
}

const ORDER: Readonly<Record<Reason['says'], number>> = { against: 0, unclear: 1, for: 2 }
/** Against first, then unclear, then for: what speaks against a claim must not be the part that is skipped. */
export const worstFirst = (reasons: readonly Reason[]): readonly Reason[] =>
  [...reasons].sort((a, b) => ORDER[a.says] - ORDER[b.says])
