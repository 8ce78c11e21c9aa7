import { hostIdentity } from '../catalog/machine/identity.ts'
import type { Catalog } from '../core/catalog.ts'
import { captureKey, readProbe } from '../core/probe.ts'
import type { CapturedAnswer } from '../core/recording.ts'

/**
 * The capture that identifies the boot of a node (random(4): boot_id differs after each start). Collected again in
 * every attempt.
 */
export const BOOT_KEY = captureKey(hostIdentity.id, 'ids')

/** The boot that a capture identifies; null for other captures, and where it identifies none. */
export function bootIn(answer: CapturedAnswer): string | null {
  const key = captureKey(answer.meta.probe, answer.meta.command)
  if (key !== BOOT_KEY) return null
  const reading = readProbe(hostIdentity, new Map([[key, answer]]))
  return reading.ok ? reading.fact.bootId : null
}

export interface Answered {
  /** "probe/command" of captures that need not be collected again. */
  readonly keys: ReadonlySet<string>
  /** The boot during which the captures so far were made; null where unknown. */
  readonly boot: string | null
}

/**
 * What remains valid from earlier attempts, from their captures in stored order: captures of one boot of the node.
 * Captures from before a restart are collected again, and so are all captures where none identifies a boot. A catalog
 * that does not collect the boot id cannot tell them apart.
 */
export function answeredInOneBoot({ probes }: Pick<Catalog, 'probes'>, captures: readonly CapturedAnswer[]): Answered {
  const keys = new Set<string>()
  let boot: string | null = null
  for (const capture of captures) {
    const named = bootIn(capture)
    if (named !== null && boot !== null && named !== boot) keys.clear()
    boot = named ?? boot
    if (capture.meta.status === 'done') keys.add(captureKey(capture.meta.probe, capture.meta.command))
  }
  if (!probes.some(({ id }) => id === hostIdentity.id)) return { keys, boot: null }
  if (boot === null) return { keys: new Set(), boot }
  keys.delete(BOOT_KEY)
  return { keys, boot }
}
