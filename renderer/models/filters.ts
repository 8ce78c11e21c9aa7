import type { Severity } from '../../schemas/conclusion-words.ts'
import type { FindingStatusName } from '../../schemas/ipc-findings.ts'
import { PROPERTIES, type Property, propertyWords, VERDICTS, type Verdict, verdictWords } from '../../schemas/words.ts'
import type { Cell, MatrixRow } from './model.ts'

/** `open`: not satisfied, inconclusive or not tested. `accepted` and `ended` refer to risk acceptances, not to verdicts. */
export type CellState = Verdict | 'open' | 'accepted' | 'ended'
export type Rights = 'with' | 'without'

/** Parts of a filter; a null part filters nothing. */
export interface Filter {
  readonly property: Property | null
  readonly state: CellState | null
  /** A declared place; empty for nodes that declare none. */
  readonly place: string | null
  readonly rights: Rights | null
  /** Whether evidence was collected from the node. */
  readonly tested: 'tested' | 'not-tested' | null
  /** Text that the node's name contains. */
  readonly named: string
}

export const NO_FILTER: Filter = { property: null, state: null, place: null, rights: null, tested: null, named: '' }

export const CELL_STATES: readonly CellState[] = ['open', ...VERDICTS, 'accepted', 'ended']
const ANY = 'any property'

export const stateWord = (state: CellState): string =>
  state === 'open'
    ? 'unresolved'
    : state === 'accepted'
      ? 'risk accepted'
      : state === 'ended'
        ? 'acceptance expired'
        : verdictWords[state].label.toLowerCase()

const propertyWord = (property: Property | null): string =>
  property === null ? ANY : propertyWords[property].label.toLowerCase()

export const isNoFilter = (filter: Filter): boolean => sentenceOf(filter) === ''

/** "isolation unresolved, in Frankfurt, without privileged checks". Empty when it filters nothing. */
export function sentenceOf({ property, state, place, rights, tested, named }: Filter): string {
  const parts = [
    state === null ? null : `${propertyWord(property)} ${stateWord(state)}`,
    place === null ? null : place === '' ? 'in no declared place' : `in ${place}`,
    rights === null ? null : `${rights} privileged checks`,
    tested === null ? null : tested === 'tested' ? 'with evidence' : 'without evidence',
    named === '' ? null : `named “${named}”`,
  ]
  return parts.filter((part) => part !== null).join(', ')
}

/** The filter that a sentence describes, or null when a part is not recognized. Places are matched as declared. */
export function filterOf(sentence: string, places: readonly string[]): Filter | null {
  const pieces = sentence.trim().split(', ')
  let filter = NO_FILTER
  for (let at = 0; at < pieces.length; ) {
    const read = longestPart(pieces.slice(at), places)
    if (read === null) return null
    filter = { ...filter, ...read.filter }
    at += read.taken
  }
  return filter
}

/** A place or name may contain a comma, so the longest match is one part. */
function longestPart(
  pieces: readonly string[],
  places: readonly string[],
): { readonly filter: Partial<Filter>; readonly taken: number } | null {
  for (let taken = pieces.length; taken > 0; taken--) {
    const filter = partOf(pieces.slice(0, taken).join(', '), places)
    if (filter !== null) return { filter, taken }
  }
  return null
}

function partOf(part: string, places: readonly string[]): Partial<Filter> | null {
  const low = part.toLowerCase()
  if (low === 'in no declared place') return { place: '' }
  if (low === 'with privileged checks') return { rights: 'with' }
  if (low === 'without privileged checks') return { rights: 'without' }
  if (low === 'with evidence') return { tested: 'tested' }
  if (low === 'without evidence') return { tested: 'not-tested' }
  const place = places.find((one) => low === `in ${one.toLowerCase()}`)
  if (place !== undefined) return { place }
  const named = /^named [“"]([^“”"]+)[”"]$/.exec(part)?.[1]
  if (named !== undefined) return { named }
  for (const property of [null, ...PROPERTIES])
    for (const state of CELL_STATES)
      if (low === `${propertyWord(property)} ${stateWord(state)}`) return { property, state }
  return null
}

function cellIs(cell: Cell, state: CellState): boolean {
  switch (state) {
    case 'open':
      return cell.verdict === 'not-satisfied' || cell.verdict === 'inconclusive' || cell.verdict === 'not-tested'
    case 'accepted':
      return cell.accepted !== null
    case 'ended':
      return cell.expired > 0
    default:
      return cell.verdict === state
  }
}

/** Whether a node passes the filter. */
export function shows(
  { property, state, place, rights, tested, named }: Filter,
  { node, cells, collected }: MatrixRow,
): boolean {
  const looked = property === null ? cells : cells.filter((cell) => cell.property === property)
  if (state !== null && !looked.some((cell) => cellIs(cell, state))) return false
  if (place !== null && (node.place ?? '') !== place) return false
  if (rights !== null && (rights === 'with') !== (node.privilege === 'root' || node.privilege === 'sudo')) return false
  if (tested !== null && (tested === 'tested') !== collected) return false
  return named === '' || node.node.toLowerCase().includes(named.toLowerCase())
}

/** Declared places of a fleet, sorted, each once. */
export const placesOf = (rows: readonly MatrixRow[]): readonly string[] =>
  [...new Set(rows.flatMap(({ node }) => node.place ?? []))].sort()
/** Which findings are listed. A null part and an empty list filter nothing. */
export interface FindingFilter {
  readonly severities: readonly Severity[]
  readonly status: FindingStatusName | null
  /** A name; empty for findings without an owner. `some`: any owner. */
  readonly owner: { readonly is: 'some' | 'none' } | { readonly is: 'named'; readonly name: string } | null
  /** Filtered by the engine, since only the engine has every node of a finding. */
  readonly node: string | null
  readonly text: string
}
