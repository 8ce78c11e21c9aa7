import type { DraftObservation } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { compare } from '../../core/recording.ts'
import { storageDmTable } from '../probes/dm-table.ts'
import { storageBlockDevices } from '../probes/storage-block-devices.ts'
import { storageMounts } from '../probes/storage-mounts.ts'
import { type Outcome, rank, type Walked } from './outcome.ts'

/** Something that holds data, and what its walk found. `name` is plain and ready for a sentence. */
export interface Root {
  readonly name: string
  readonly walked: Walked
}

export const root = (name: string, walked: Walked): Root => ({ name, walked })
export const quoted = (path: string): string => quote(path, 80)

const SAYS: Readonly<Record<Outcome, DraftObservation['direction']>> = {
  volatile: 'supports',
  encrypted: 'supports',
  'encrypted-weak': 'unclear',
  'layer-present-cipher-unverified': 'unclear',
  'external-unverified': 'unclear',
  unknown: 'unclear',
  'encrypted-broken': 'contradicts',
  exposed: 'contradicts',
}

/** The probe whose capture decided the outcome. */
const DECIDED_BY: Readonly<Record<Outcome, string>> = {
  volatile: storageMounts.id,
  encrypted: storageDmTable.id,
  'encrypted-weak': storageDmTable.id,
  'layer-present-cipher-unverified': storageDmTable.id,
  'external-unverified': storageMounts.id,
  unknown: storageBlockDevices.id,
  'encrypted-broken': storageDmTable.id,
  exposed: storageBlockDevices.id,
}

const MAX_NAMES = 24
/** No real node has this many separate ways; it keeps the argument readable on a hostile one. */
const MAX_STEPS = 200

/**
 * One step per way that data takes, worst first: roots that share outcome and path are named together. The path is the argument
 * (mount → layer → drive), so that a reader can follow it on the node.
 */
export function argueRoots(roots: readonly Root[]): readonly DraftObservation[] {
  const groups = new Map<string, { readonly walked: Walked; readonly names: Set<string> }>()
  const ordered = [...roots].sort((a, b) => rank(b.walked) - rank(a.walked) || compare(a.name, b.name))
  for (const { name, walked } of ordered) {
    const shown = walked.outcome === 'volatile' ? [] : walked.path.slice(1)
    const key = JSON.stringify([walked.outcome, walked.why, shown])
    const group = groups.get(key) ?? { walked, names: new Set<string>() }
    group.names.add(name)
    groups.set(key, group)
  }
  const all = [...groups.values()]
  const steps = all
    .slice(0, MAX_STEPS)
    .map(({ walked, names }) => step(walked, `${listed([...names])}: ${sentence(walked)}`))
  const next = all[MAX_STEPS]
  // The list is worst first, so the first one left out is the worst of the rest.
  return next === undefined
    ? steps
    : [...steps, step(next.walked, `${all.length - MAX_STEPS} more ways, the worst of them: ${sentence(next.walked)}`)]
}

const step = (walked: Walked, text: string): DraftObservation => ({
  direction: SAYS[walked.outcome],
  text,
  probe: walked.readFrom ?? DECIDED_BY[walked.outcome],
})

function sentence({ outcome, why, path }: Walked): string {
  const way = path.length > 0 && outcome !== 'volatile' ? ` Path: ${path.join(' → ')}.` : ''
  return `${why}.${way}`
}

export function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(', ')
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown
}
