import { plain } from '../../core/plain-text.ts'
import type { BlockDevice } from './graph.ts'

/**
 * From best to worst. `exposed`: no encrypting layer was found on the way to the drive, and every layer was read. `encrypted-broken`: the
 * only layer uses a mode or key that does not hide what is stored; `encrypted-weak`: one that is out of date or not on our list.
 */
export const OUTCOMES = [
  'volatile',
  'encrypted',
  'encrypted-weak',
  'layer-present-cipher-unverified',
  'external-unverified',
  'unknown',
  'encrypted-broken',
  'exposed',
] as const
export type Outcome = (typeof OUTCOMES)[number]

export interface Walked {
  readonly outcome: Outcome
  /** The layers that were passed, from the top down; of several branches the worst. */
  readonly path: readonly string[]
  /** Why, for people. Node words in it are already made plain. */
  readonly why: string
  /** True when the walk ended at a drive that is reached over a network. */
  readonly remote: boolean
  /** The question that decided it, where that is not the usual one for its outcome. */
  readonly readFrom?: string
}

export const rank = ({ outcome }: Walked): number => OUTCOMES.indexOf(outcome)

export const end = (outcome: Outcome, why: string, path: readonly string[] = []): Walked => ({
  outcome,
  path,
  why,
  remote: false,
})

export const through = (label: string, walked: Walked): Walked => ({ ...walked, path: [label, ...walked.path] })

/** A layer over several devices is worth what the worst of them is worth. */
export const worstOf = (walks: readonly Walked[]): Walked =>
  walks.reduce(
    (worst, walked) => (rank(walked) > rank(worst) ? walked : worst),
    walks[0] ?? end('unknown', 'nothing to follow'),
  )

/** A device in a path: name, kind, transport, model and serial number. */
export function labelOf(device: BlockDevice): string {
  const name = plain(
    device.isDm && device.name !== device.kernelName ? `${device.name} [${device.kernelName}]` : device.kernelName,
    80,
  )
  const details = [device.type, device.transport, device.model, device.serial === '' ? '' : `serial ${device.serial}`]
  const shown = details.filter((detail) => detail !== '').map((detail) => plain(detail, 40))
  return shown.length === 0 ? name : `${name} (${shown.join(', ')})`
}
