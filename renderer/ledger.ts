import type { ProbeView } from '../schemas/ipc-results.ts'
import type { Isolation, Reason } from '../schemas/types.ts'
import type { Property, Verdict } from '../schemas/words.ts'
import { propertyWords } from '../schemas/words.ts'
import { besidesOf, type Tally } from './model.ts'
import { plural } from './text.ts'

export type Says = Reason['says']

/** Against comes first: what speaks against a claim is what a reader must not miss. */
export const SIDES: readonly Says[] = ['against', 'unclear', 'for']

/** One reason in one part of the evidence, whatever number of checks give it. */
export interface Entry {
  readonly says: Says
  readonly text: string
  readonly probe: string | null
  /** "probe/command" of every answer it rests on. */
  readonly captures: readonly { readonly key: string; readonly command: string; readonly sha256: string }[]
}
export interface Group {
  readonly probe: string | null
  readonly title: string
  /** How far signals of this part weigh, where machines were counted; 0 where not. */
  readonly weight: number
  readonly entries: readonly Entry[]
}
export interface Side {
  readonly says: Says
  readonly count: number
  readonly groups: readonly Group[]
}

const NO_PART = 'Derived from what was declared or from several answers'

/**
 * The reasons of one claim as an account: for, against and unclear, each by the part of evidence it rests on. The part that weighs
 * most comes first, then the one with most reasons. The same words from the same part count once.
 */
export function ledgerOf(
  reasons: readonly Reason[],
  probes: readonly ProbeView[],
  weights: ReadonlyMap<string, number> = new Map(),
): readonly Side[] {
  const titles = new Map(probes.map(({ id, title }) => [id, title]))
  return SIDES.map((says) => {
    const entries = merged(reasons.filter((reason) => reason.says === says))
    const parts = [...new Set(entries.map(({ probe }) => probe))]
    const groups = parts.map(
      (probe): Group => ({
        probe,
        title: probe === null ? NO_PART : (titles.get(probe) ?? probe),
        weight: probe === null ? 0 : (weights.get(probe) ?? 0),
        entries: entries.filter((entry) => entry.probe === probe),
      }),
    )
    return { says, count: entries.length, groups: [...groups].sort(strongestFirst) }
  })
}

const strongestFirst = (a: Group, b: Group): number =>
  b.weight - a.weight || b.entries.length - a.entries.length || (a.title < b.title ? -1 : 1)

function merged(reasons: readonly Reason[]): readonly Entry[] {
  const all = new Map<string, Entry>()
  for (const { says, text, probe, captures } of reasons) {
    const key = `${probe} ${text}`
    const before = all.get(key)?.captures ?? []
    const more = captures
      .map(({ command, sha256 }) => ({ key: `${probe}/${command}`, command, sha256 }))
      .filter((one) => !before.some((other) => other.key === one.key))
    all.set(key, { says, text, probe, captures: probe === null ? [] : [...before, ...more] })
  }
  return [...all.values()]
}

/** By probe, the largest weight among the signals that rest on it. */
export function weightsOf(isolation: Isolation | null): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const { weight, probes } of isolation?.signals ?? [])
    for (const probe of probes) weights.set(probe, Math.max(weights.get(probe) ?? 0, Math.abs(weight ?? 0)))
  return weights
}

const signs = (count: number): string => `${count} ${count === 1 ? 'sign' : 'signs'}`

/** One claim's verdict as one plain sentence, from the verdict and the number of reasons on each side. */
export function claimSentence(verdict: Verdict, sides: readonly Side[]): string {
  const count = (says: Says): number => sides.find((side) => side.says === says)?.count ?? 0
  const [pro, contra, open] = [count('for'), count('against'), count('unclear')]
  const left = open === 0 ? '' : ` ${plural(open, 'point')} stayed unclear.`
  switch (verdict) {
    case 'met':
      return `${signs(pro)} ${pro === 1 ? 'supports' : 'support'} this claim, and ${contra === 0 ? 'none points' : `${contra} point`} away from it.${left}`
    case 'not-met':
      return `${signs(contra)} ${contra === 1 ? 'contradicts' : 'contradict'} this claim; ${pro === 0 ? 'none supports' : `${pro} ${pro === 1 ? 'supports' : 'support'}`} it.${left}`
    case 'inconclusive':
      return `What was collected does not decide this claim.${left}`
    case 'not-tested':
      return 'The question behind this claim was not answered on this node, so nothing is said of it.'
    case 'not-applicable':
      return 'The node shows that this claim cannot apply to it.'
    case 'informational':
      return 'A fact was recorded; no expectation is set.'
  }
}

/** A property on a node as one plain sentence, with counts and their denominator. */
export function propertySentence(property: Property, tally: Tally): string {
  const { counts, decidable } = tally
  const about = propertyWords[property].label.toLowerCase().replace(/^about /, '')
  const besides = besidesOf(tally)
  const rest = besides === '' ? '' : ` Besides: ${besides}.`
  if (decidable === 0) return `Nothing on this node is held to an expectation about ${about}.${rest}`
  const parts = [
    counts['not-met'] > 0 ? `contradicts ${counts['not-met']}` : '',
    counts.met > 0 ? `supports ${counts.met}` : '',
    counts.inconclusive > 0 ? `leaves ${counts.inconclusive} undecided` : '',
    counts['not-tested'] > 0 ? `is missing for ${counts['not-tested']}` : '',
  ].filter(Boolean)
  return `Of ${plural(decidable, 'claim')} about ${about}, the evidence ${parts.join(', ').replace(/, ([^,]*)$/, ' and $1')}.${rest}`
}

/** The reader of answers says so in these words where root-only questions could not be put (main/core/probe.ts). */
export const needsRights = ({ says, text }: Entry): boolean =>
  says === 'unclear' && text.includes('needs administrator rights')

/** Entries of a long side that are shown before "Show more". */
export const SHOWN_AT_FIRST = 12

/** The first entries of a side, group by group, and how many are left out. */
export function shortened(side: Side, most: number): { readonly groups: readonly Group[]; readonly left: number } {
  let room = most
  const groups = side.groups.flatMap((group) => {
    const entries = group.entries.slice(0, room)
    room -= entries.length
    return entries.length === 0 ? [] : [{ ...group, entries }]
  })
  return { groups, left: side.count - (most - room) }
}
