import type { LocationRow } from '../../schemas/ipc-views.ts'
import { locationVerdictWords } from '../../schemas/location-words.ts'
import type { Location, LocationResult, LocationSignal } from '../../schemas/types.ts'
import { plural } from './text.ts'

export type LocationVerdict = LocationResult['result']
/** A result, or “not evaluated”: no place is declared, or the node was not collected. */
export type LocationWord = LocationVerdict | 'not-asked'

/** Worst first: contradicted, then least corroborated. */
export const LOCATION_WORDS: readonly LocationWord[] = [
  'contradicted',
  'conflicting',
  'not-asked',
  'undetermined',
  'uncorroborated',
  'corroborated',
  'bounded',
]

const NOT_ASKED = {
  label: 'Not evaluated',
  meaning: 'No place is declared for the node, or it was not collected.',
  mark: 'dotted-ring',
} as const

const TONES: Readonly<Record<LocationWord, string>> = {
  contradicted: 'not-satisfied',
  conflicting: 'inconclusive',
  bounded: 'satisfied',
  corroborated: 'informational',
  uncorroborated: 'not-applicable',
  undetermined: 'not-tested',
  'not-asked': 'not-tested',
}

/** A location result as shown: label, meaning, shape and color. */
export const shownAs = (word: LocationWord) => ({
  ...(word === 'not-asked' ? NOT_ASKED : locationVerdictWords[word]),
  tone: TONES[word],
})

/** The worst result of a node. */
const worstOfNode = ({ results }: Pick<LocationRow, 'results'>): LocationWord =>
  LOCATION_WORDS.find((word) => results.some(({ result }) => result === word)) ?? 'not-asked'

/** The result for the declared place of a node. */
export const placeWord = ({ results }: Pick<LocationRow, 'results'>): LocationWord =>
  results.find(({ of }) => of === 'declared-place')?.result ?? 'not-asked'

/** The result for a residency rule on a node; null where the rule does not apply to it. A node that was not collected still counts. */
export const policyWord = (
  { results, withoutResult }: Pick<LocationRow, 'results' | 'withoutResult'>,
  title: string,
): LocationWord | null =>
  results.find((answer) => answer.of === 'residency' && answer.title === title)?.result ??
  (withoutResult.includes(title) ? 'not-asked' : null)

/** The results of a node for its residency rules, including missing ones. */
export const policyWords = (row: Pick<LocationRow, 'results' | 'withoutResult'>): readonly LocationWord[] =>
  policiesOf([row]).flatMap((title) => policyWord(row, title) ?? [])

/** Titles of the residency rules that apply to any of the nodes, in order of appearance. */
export const policiesOf = (rows: readonly Pick<LocationRow, 'results' | 'withoutResult'>[]): readonly string[] => [
  ...new Set(
    rows.flatMap(({ results, withoutResult }) => [
      ...results.flatMap(({ of, title }) => (of === 'residency' ? [title] : [])),
      ...withoutResult,
    ]),
  ),
]

interface Contradicted {
  readonly node: string
  readonly why: string
}

/** Contradicted nodes, each with its first contradicted result. */
export const contradictedOf = (rows: readonly LocationRow[]): readonly Contradicted[] =>
  rows.flatMap(({ node, results }) => {
    const why = results.find(({ result }) => result === 'contradicted')?.why
    return why == null ? [] : [{ node, why }]
  })

/** Nodes with the worst result first; equal results keep the order of the fleet. */
export function worstFirst(rows: readonly LocationRow[]): readonly LocationRow[] {
  const rank = (row: LocationRow): number => LOCATION_WORDS.indexOf(worstOfNode(row))
  return [...rows].sort((a, b) => rank(a) - rank(b))
}

interface LocationFilter {
  /** Found in the node's name, or in the name of its place. */
  readonly text: string
  readonly word: LocationWord | 'all'
}

/** Whether any result of a node matches the filter. */
export function isShown(row: LocationRow, { text, word }: LocationFilter): boolean {
  const wanted = text.trim().toLowerCase()
  const named = [row.node, row.place ?? ''].some((name) => name.toLowerCase().includes(wanted))
  if (!named || word === 'all') return named
  return word === 'not-asked' ? worstOfNode(row) === word : row.results.some(({ result }) => result === word)
}

interface LocationCount {
  readonly word: LocationWord
  readonly count: number
  readonly text: string
}

/** Nodes per result for one place or rule, worst first, each with its denominator. */
export function countsOfWords(words: readonly LocationWord[]): readonly LocationCount[] {
  return LOCATION_WORDS.map((word) => ({ word, count: words.filter((one) => one === word).length }))
    .filter(({ count }) => count > 0)
    .map(({ word, count }) => ({
      word,
      count,
      text: `${shownAs(word).label}: ${count} of ${plural(words.length, 'node')}`,
    }))
}

/** Neither a place nor a residency rule is declared. */
export const nothingDeclared = (rows: readonly LocationRow[]): boolean =>
  rows.every(({ place, results, withoutResult }) => place === null && results.length + withoutResult.length === 0)

export const wasCollected = ({ status, results, claim }: LocationRow): boolean =>
  (status === 'complete' || status === 'partial') && (claim !== null || results.length > 0)

const CLASSES: readonly LocationSignal['class'][] = ['E2', 'E3', 'E4', 'E5', 'E6']

/** Statements by source class; hints, which are never counted, last. */
export const byClass = (
  signals: readonly LocationSignal[],
): readonly { readonly class: LocationSignal['class']; readonly signals: readonly LocationSignal[] }[] =>
  CLASSES.map((one) => ({
    class: one,
    signals: [...signals.filter((signal) => signal.class === one)].sort((a, b) => Number(a.hint) - Number(b.hint)),
  })).filter((group) => group.signals.length > 0)

type StatementSupport = LocationResult['signals'][number]['indicates']
export const STATEMENT_SUPPORT: Readonly<
  Record<StatementSupport, { readonly label: string; readonly mark: string; readonly tone: string }>
> = {
  inside: { label: 'Inside', mark: 'ring-tick', tone: 'satisfied' },
  outside: { label: 'Outside', mark: 'square-cross', tone: 'not-satisfied' },
  silent: { label: 'No statement', mark: 'bar', tone: 'not-applicable' },
}

/** What a statement shows for one place or rule; a result that does not list it is not affected by it. */
export const supportOf = (answer: LocationResult, signal: string): StatementSupport =>
  answer.signals.find(({ id }) => id === signal)?.indicates ?? 'silent'

/** The recommended action for a result, beyond its own text; null where none is needed. */
export function nextStep({
  of,
  result,
  delay,
  needed,
}: Pick<LocationResult, 'of' | 'result' | 'delay' | 'needed'>): string | null {
  const whom = of === 'declared-place' ? 'the person who declared the place' : 'the provider'
  switch (result) {
    case 'contradicted':
      return delay === 'outside'
        ? `Check that the vantage point is where it was declared, then contact ${whom}. A slow network cannot cause this: delay only increases the maximum distance.`
        : `Contact ${whom} about the place named in the signed statement.`
    case 'conflicting':
      return 'Contact the source of each statement marked “Outside”.'
    case 'bounded':
      return null
    // The texts of the other two give the time that is needed.
    case 'corroborated':
      return needed === null
        ? RECORD_INSIDE
        : `${RECORD_NEARER} From ${needed.vantage}, a round-trip time of at most ${milliseconds(needed.milliseconds)} would bound it inside.`
    case 'uncorroborated':
    case 'undetermined':
      return needed === null ? RECORD_INSIDE : RECORD_NEARER
  }
}

const RECORD_INSIDE =
  'Measure from a machine inside the area, then add its measurement under Declarations, Location sources.'
const RECORD_NEARER =
  'Measure from a machine closer to it, then add its measurement under Declarations, Location sources.'

/** A distance, rounded up because it is an upper bound, in the form that observations use. */
export const kilometres = (km: number): string => `${(Math.ceil(km * 10) / 10).toFixed(1)} km`
export const milliseconds = (time: number | null): string => (time === null ? '–' : `${time.toFixed(2)} ms`)

/** The difference between the echo time and the TCP connect time, as a sentence. */
export const frontEndText = ({ echoMs, tcpMs, gapMs, allowedMs, exceeds }: NonNullable<Location['frontEnd']>): string =>
  `The TCP connection opened after ${milliseconds(tcpMs)}; the echo took ${milliseconds(echoMs)}, ${gapMs < 0 ? `${milliseconds(-gapMs)} less` : `${milliseconds(gapMs)} longer`}. ${
    exceeds
      ? `Up to ${milliseconds(allowedMs)} is usual: a device closer than the node accepts its TCP connections. The nonce-based bound is unaffected.`
      : `Up to ${milliseconds(allowedMs)} is usual. This alone shows nothing.`
  }`
