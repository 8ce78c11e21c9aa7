import type { LocationRow } from '../schemas/ipc-location.ts'
import { locationVerdictWords } from '../schemas/location-words.ts'
import type { Location, LocationAnswer, LocationSignal } from '../schemas/types.ts'
import { plural } from './text.ts'

export type LocationVerdict = LocationAnswer['verdict']
/** A verdict, or that nothing was asked: no place is declared, or the node was not collected. */
export type LocationWord = LocationVerdict | 'not-asked'

/** Worst first: what a reader must not miss, then what is least borne out. */
export const LOCATION_WORDS: readonly LocationWord[] = [
  'contradicted',
  'conflicting',
  'not-asked',
  'unverified',
  'asserted-only',
  'consistent',
  'bounded-inside',
]

export const NOT_ASKED = {
  label: 'Not asked',
  meaning: 'No place is declared for the node, or it was not collected.',
  mark: 'dotted-ring',
} as const

const TONES: Readonly<Record<LocationWord, string>> = {
  contradicted: 'not-met',
  conflicting: 'inconclusive',
  'bounded-inside': 'met',
  consistent: 'informational',
  'asserted-only': 'not-applicable',
  unverified: 'not-tested',
  'not-asked': 'not-tested',
}

/** How a location answer is shown: its word, what that means, its shape and its color. */
export const shownAs = (word: LocationWord) => ({
  ...(word === 'not-asked' ? NOT_ASKED : locationVerdictWords[word]),
  tone: TONES[word],
})

/** The worst answer of a node. */
export const worstOfNode = ({ answers }: Pick<LocationRow, 'answers'>): LocationWord =>
  LOCATION_WORDS.find((word) => answers.some(({ verdict }) => verdict === word)) ?? 'not-asked'

/** What is said of the declared place of a node. */
export const placeWord = ({ answers }: Pick<LocationRow, 'answers'>): LocationWord =>
  answers.find(({ of }) => of === 'declared-place')?.verdict ?? 'not-asked'

/** What is said of a policy on a node; null where it is not for this node. A node that was not collected stays in its count. */
export const policyWord = (
  { answers, unanswered }: Pick<LocationRow, 'answers' | 'unanswered'>,
  title: string,
): LocationWord | null =>
  answers.find((answer) => answer.of === 'residency' && answer.title === title)?.verdict ??
  (unanswered.includes(title) ? 'not-asked' : null)

/** The answers of a node to its policies, also those that are missing. */
export const policyWords = (row: Pick<LocationRow, 'answers' | 'unanswered'>): readonly LocationWord[] =>
  policiesOf([row]).flatMap((title) => policyWord(row, title) ?? [])

/** Titles of the policies that are for any of the nodes, in the order they are met. */
export const policiesOf = (rows: readonly Pick<LocationRow, 'answers' | 'unanswered'>[]): readonly string[] => [
  ...new Set(
    rows.flatMap(({ answers, unanswered }) => [
      ...answers.flatMap(({ of, title }) => (of === 'residency' ? [title] : [])),
      ...unanswered,
    ]),
  ),
]

export interface Contradicted {
  readonly node: string
  readonly why: string
}

/** Which nodes are contradicted, and why: of each its first contradicted answer. */
export const contradictedOf = (rows: readonly LocationRow[]): readonly Contradicted[] =>
  rows.flatMap(({ node, answers }) => {
    const why = answers.find(({ verdict }) => verdict === 'contradicted')?.why
    return why == null ? [] : [{ node, why }]
  })

/** Nodes with the worst answer first; among their like, in the order of the fleet. */
export function worstFirst(rows: readonly LocationRow[]): readonly LocationRow[] {
  const rank = (row: LocationRow): number => LOCATION_WORDS.indexOf(worstOfNode(row))
  return [...rows].sort((a, b) => rank(a) - rank(b))
}

export interface LocationFilter {
  /** Found in the node's name, or in the name of its place. */
  readonly text: string
  readonly word: LocationWord | 'all'
}

/** Whether a node is in the filtered list: by any of its answers. */
export function isShown(row: LocationRow, { text, word }: LocationFilter): boolean {
  const wanted = text.trim().toLowerCase()
  const named = [row.node, row.claim?.name ?? ''].some((name) => name.toLowerCase().includes(wanted))
  if (!named || word === 'all') return named
  return word === 'not-asked' ? worstOfNode(row) === word : row.answers.some(({ verdict }) => verdict === word)
}

export interface LocationCount {
  readonly word: LocationWord
  readonly count: number
  readonly text: string
}

/** How many of the nodes that a question is for have which answer, worst first, each with its denominator. */
export function countsOfWords(words: readonly LocationWord[]): readonly LocationCount[] {
  return LOCATION_WORDS.map((word) => ({ word, count: words.filter((one) => one === word).length }))
    .filter(({ count }) => count > 0)
    .map(({ word, count }) => ({
      word,
      count,
      text: `${shownAs(word).label}: ${count} of ${plural(words.length, 'node')}`,
    }))
}

/** Nothing is declared to compare with: neither a place nor a policy. */
export const nothingDeclared = (rows: readonly LocationRow[]): boolean =>
  rows.every(({ claim, answers, unanswered }) => claim === null && answers.length + unanswered.length === 0)

export const wasCollected = ({ status, answers, claim }: LocationRow): boolean =>
  (status === 'complete' || status === 'partial') && (claim !== null || answers.length > 0)

const CLASSES: readonly LocationSignal['class'][] = ['E2', 'E3', 'E4', 'E5', 'E6']

/** Statements by what stands behind them; hints, which are counted nowhere, last. */
export const byClass = (
  signals: readonly LocationSignal[],
): readonly { readonly class: LocationSignal['class']; readonly signals: readonly LocationSignal[] }[] =>
  CLASSES.map((one) => ({
    class: one,
    signals: [...signals.filter((signal) => signal.class === one)].sort((a, b) => Number(a.hint) - Number(b.hint)),
  })).filter((group) => group.signals.length > 0)

export type Says = LocationAnswer['signals'][number]['says']
export const SAYS: Readonly<Record<Says, { readonly label: string; readonly mark: string; readonly tone: string }>> = {
  inside: { label: 'Inside', mark: 'ring-tick', tone: 'met' },
  outside: { label: 'Outside', mark: 'square-cross', tone: 'not-met' },
  silent: { label: 'Says nothing', mark: 'bar', tone: 'not-applicable' },
}

/** What a statement says to one question; a question that does not list it was not told anything by it. */
export const saysTo = (answer: LocationAnswer, signal: string): Says =>
  answer.signals.find(({ id }) => id === signal)?.says ?? 'silent'

/** What a person can do about an answer, beyond what its text says; null where nothing is left to do. */
export function nextStep({
  of,
  verdict,
  delay,
  needed,
}: Pick<LocationAnswer, 'of' | 'verdict' | 'delay' | 'needed'>): string | null {
  const whom = of === 'declared-place' ? 'whoever declared the place' : 'the provider'
  switch (verdict) {
    case 'contradicted':
      return delay === 'outside'
        ? `Look whether the vantage is where it was declared to be, then ask ${whom}. A slow network cannot cause this: delay only widens a reach.`
        : `Ask ${whom} about the place that the signed statement names.`
    case 'conflicting':
      return 'Ask whoever stands behind each statement that says “Outside” below.'
    case 'bounded-inside':
      return null
    // The texts of the other two name the time that is needed.
    case 'consistent':
      return needed === null
        ? RECORD_INSIDE
        : `${RECORD_NEARER} From ${needed.vantage}, a round trip of at most ${milliseconds(needed.milliseconds)} would bound it inside.`
    case 'asserted-only':
    case 'unverified':
      return needed === null ? RECORD_INSIDE : RECORD_NEARER
  }
}

const RECORD_INSIDE = 'Run “barewitness vantage measure” on a machine within the area, and supply its measurement file.'
const RECORD_NEARER = 'Run “barewitness vantage measure” on a machine nearer to it, and supply its measurement file.'

/** A distance for people: rounded up, since it is a bound. */
export const kilometres = (km: number): string =>
  `${String(km < 10 ? Math.ceil(km * 10) / 10 : Math.ceil(km)).replace(/\B(?=(\d{3})+$)/g, ',')} km`
export const milliseconds = (time: number | null): string => (time === null ? '–' : `${time.toFixed(2)} ms`)

/** The gap between the echo and the opening of the connection, in a sentence. */
export const frontEndText = ({ echoMs, tcpMs, gapMs, allowedMs, exceeds }: NonNullable<Location['frontEnd']>): string =>
  `The TCP connection was open after ${milliseconds(tcpMs)}; the echo took ${milliseconds(echoMs)}, ${milliseconds(gapMs)} longer. ${
    exceeds
      ? `Up to ${milliseconds(allowedMs)} would be usual: something nearer than the node takes its connections. The bound rests on the echo and stands.`
      : `Up to ${milliseconds(allowedMs)} is usual. That shows nothing by itself.`
  }`
