import type { Method } from '../../../../schemas/ipc.ts'
import { fail } from '../../../core/base/failure.ts'
import type { WaitingLine } from '../../limits.ts'
import type { CallAnswer } from './patience.ts'

/** Methods that verify a whole pack on the server for an auditor. */
const VERIFYING: readonly Method[] = [
  'portal.open',
  'pack.trust',
  'pack.trust-authority',
  'pack.import-checkpoint',
  'pack.re-evaluate',
]

const busy = (detail: string): CallAnswer => ({ status: 200, reply: fail('verification.busy', detail) })

/**
 * Runs a call of a subject. Calls that verify a pack wait for a place. Fails with verification.busy where this person has another verification
 * or too many wait, and with pack.stopped where the person stopped it while it waited.
 */
export async function inTurn(
  line: WaitingLine,
  subject: string,
  method: Method,
  run: () => Promise<CallAnswer>,
): Promise<CallAnswer> {
  if (method === 'pack.stop') line.giveUp(subject)
  if (!VERIFYING.includes(method)) return await run()
  const entered = line.enter(subject)
  if (entered === 'own') return busy('another verification of yours has not ended')
  if (entered === 'full') return busy(`${line.counts().waiting} other verifications wait on this server`)
  const leave = await entered
  if (leave === null) return { status: 200, reply: fail('pack.stopped', 'before it began') }
  try {
    return await run()
  } finally {
    leave()
  }
}
