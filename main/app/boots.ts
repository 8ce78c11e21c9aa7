import { hostIdentity } from '../catalog/probes/host-identity.ts'
import type { Catalog } from '../core/catalog.ts'
import { captureKey, readProbe } from '../core/probe.ts'
import type { CapturedAnswer } from '../core/recording.ts'

/** The answer that names the boot of a node (random(4): boot_id is another after each start). Every attempt asks for it. */
export const BOOT_KEY = captureKey(hostIdentity.id, 'ids')

/** The boot that an answer names; null for other answers, and where it names none. */
export function bootIn(answer: CapturedAnswer): string | null {
  const key = captureKey(answer.meta.probe, answer.meta.command)
  if (key !== BOOT_KEY) return null
  const reading = readProbe(hostIdentity, new Map([[key, answer]]))
  return reading.ok ? reading.fact.bootId : null
}

export interface Answered {
  /** "probe/command" of what need not be asked again. */
  readonly keys: ReadonlySet<string>
  /** The boot that the answers so far are of; null where none is known. */
  readonly boot: string | null
}

/**
 * What earlier attempts were answered that still counts, from their captures in the order they were stored: answers of one boot of the
 * node. What it said before it restarted is asked again, and so is everything where no answer names a boot. A catalog that does not ask for
 * the boot has nothing to tell them apart by.
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
