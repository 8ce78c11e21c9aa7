import type { ProbeView } from '../../schemas/ipc-results.ts'
import type { Isolation, Observation } from '../../schemas/types.ts'
import type { Property, Verdict } from '../../schemas/words.ts'
import { propertyWords } from '../../schemas/words.ts'
import { notInShare, type Tally } from './model.ts'
import { plural } from './text.ts'

export type Direction = Observation['direction']

/** Contradicting observations come first. */
const SIDES: readonly Direction[] = ['contradicts', 'unclear', 'supports']

export const directionWords = {
  contradicts: { label: 'Contradicts', mark: 'square-cross', tone: 'not-satisfied' },
  unclear: { label: 'Unclear', mark: 'diamond-question', tone: 'inconclusive' },
  supports: { label: 'Supports', mark: 'ring-tick', tone: 'satisfied' },
} as const satisfies Readonly<Record<Direction, unknown>>

/** One observation about one part of the evidence, even if several checks make it. */
export interface Entry {
  readonly direction: Direction
  readonly text: string
  readonly probe: string | null
  /** "probe/command" of every capture it cites. */
  readonly captures: readonly { readonly key: string; readonly command: string; readonly sha256: string }[]
}

export interface Group {
  readonly probe: string | null
  readonly title: string
  /** The largest weight of signals from this part, if the signal was measured on known machines; otherwise 0. */
  readonly weight: number
  readonly entries: readonly Entry[]
}

export interface Side {
  readonly direction: Direction
  readonly count: number
  readonly groups: readonly Group[]
}

const NO_PART = 'Derived from declarations or from several captures'

/**
 * The observations of one check by direction: contradicts, unclear, supports, each by the part of evidence it cites. The part with the
 * largest weight comes first, then the part with the most observations. The same text from the same part counts once.
 */
export function ledgerOf(
  reasons: readonly Observation[],
  probes: readonly ProbeView[],
  weights: ReadonlyMap<string, number> = new Map(),
): readonly Side[] {
  const titles = new Map(probes.map(({ id, title }) => [id, title]))
  return SIDES.map((direction) => {
    const entries = merged(reasons.filter((reason) => reason.direction === direction))
    const parts = [...new Set(entries.map(({ probe }) => probe))]
    const groups = parts.map(
      (probe): Group => ({
        probe,
        title: probe === null ? NO_PART : (titles.get(probe) ?? probe),
        weight: probe === null ? 0 : (weights.get(probe) ?? 0),
        entries: entries.filter((entry) => entry.probe === probe),
      }),
    )
    return { direction, count: entries.length, groups: [...groups].sort(strongestFirst) }
  })
}

const strongestFirst = (a: Group, b: Group): number =>
  b.weight - a.weight || b.entries.length - a.entries.length || (a.title < b.title ? -1 : 1)

function merged(reasons: readonly Observation[]): readonly Entry[] {
  const all = new Map<string, Entry>()
  for (const { direction, text, probe, captures } of reasons) {
    const key = `${probe} ${text}`
    const before = all.get(key)?.captures ?? []
    const more = captures
      .map(({ command, sha256 }) => ({ key: `${probe}/${command}`, command, sha256 }))
      .filter((one) => !before.some((other) => other.key === one.key))
    all.set(key, { direction, text, probe, captures: probe === null ? [] : [...before, ...more] })
  }
  return [...all.values()]
}

/** The largest weight among the signals that use each probe. */
export function weightsOf(isolation: Isolation | null): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const { weight, probes } of isolation?.signals ?? [])
    for (const probe of probes) weights.set(probe, Math.max(weights.get(probe) ?? 0, Math.abs(weight ?? 0)))
  return weights
}

const signs = (count: number): string => `${count} ${count === 1 ? 'observation' : 'observations'}`

/** The verdict of one check as a sentence, from the verdict and the number of observations in each direction. */
export function claimSentence(verdict: Verdict, sides: readonly Side[]): string {
  const count = (direction: Direction): number => sides.find((side) => side.direction === direction)?.count ?? 0
  const [pro, contra, open] = [count('supports'), count('contradicts'), count('unclear')]
  const left = open === 0 ? '' : ` ${plural(open, 'point')} ${open === 1 ? 'is' : 'are'} unclear.`
  switch (verdict) {
    case 'satisfied':
      return `${signs(pro)} ${pro === 1 ? 'supports' : 'support'} the expected condition; ${contra === 0 ? 'none contradicts' : `${contra} ${contra === 1 ? 'contradicts' : 'contradict'}`} it.${left}`
    case 'not-satisfied':
      return `${signs(contra)} ${contra === 1 ? 'contradicts' : 'contradict'} the expected condition; ${pro === 0 ? 'none supports' : `${pro} ${pro === 1 ? 'supports' : 'support'}`} it.${left}`
    case 'inconclusive':
      return `The evidence is inconclusive.${left}`
    case 'not-tested':
      return 'Not tested: the required output was not collected from this node.'
    case 'not-applicable':
      return 'Evidence shows that the check cannot apply to this node.'
    case 'informational':
      return 'A fact was recorded; no criterion applies.'
  }
}

/** A property of a node as a sentence, with counts and their denominator. */
export function propertySentence(property: Property, tally: Tally): string {
  const { counts, decidable } = tally
  const about = propertyWords[property].label.toLowerCase().replace(/^about /, '')
  const besides = notInShare(tally)
  const rest = besides === '' ? '' : ` Also ${besides}.`
  if (decidable === 0) return `No check with a criterion applies to ${about} on this node.${rest}`
  const parts = [
    counts['not-satisfied'] > 0 ? `${counts['not-satisfied']} not satisfied` : '',
    counts.satisfied > 0 ? `${counts.satisfied} satisfied` : '',
    counts.inconclusive > 0 ? `${counts.inconclusive} inconclusive` : '',
    counts['not-tested'] > 0 ? `${counts['not-tested']} not tested` : '',
  ].filter(Boolean)
  return `${plural(decidable, 'check')} on ${about}: ${parts.join(', ')}.${rest}`
}

/** main/core/recording/probe.ts uses these words where a privileged probe could not run. */
export const needsRights = ({ direction, text }: Entry): boolean =>
  direction === 'unclear' && text.includes('needs administrator rights')

/** Entries of a long side that are shown before "Show more". */
export const SHOWN_AT_FIRST = 12

/** The first entries of one direction, group by group, and how many are omitted. */
export function shortened(side: Side, most: number): { readonly groups: readonly Group[]; readonly left: number } {
  let room = most
  const groups = side.groups.flatMap((group) => {
    const entries = group.entries.slice(0, room)
    room -= entries.length
    return entries.length === 0 ? [] : [{ ...group, entries }]
  })
  return { groups, left: side.count - (most - room) }
}
