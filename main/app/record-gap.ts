import { fail, type Outcome } from '../core/failure.ts'
import { ok } from '../core/result.ts'
import type { RunChain } from '../core/run-chain/entry.ts'
import type { World } from '../core/world.ts'
import { appendSigned, type EnterInput } from './append-signed.ts'

export interface GapInput extends Omit<EnterInput, 'begin'> {
  /** When the run should have been: UTC, ISO 8601. */
  readonly due: string
  /** The owner's words. */
  readonly why: string
  readonly schedule?: string
}

/**
 * Enters a scheduled run that did not happen into a chain of runs that exists. Fails with input.refused without words and for a time to
 * come; else as appendSigned() does.
 */
export async function recordGap(world: World, input: GapInput): Promise<Outcome<RunChain>> {
  const { fleet, due, schedule } = input
  const why = input.why.trim()
  if (why === '') return fail('input.refused', 'say why the run did not happen; nothing was recorded')
  if (due > world.clock.now()) return fail('input.refused', `${due} is yet to come; nothing was recorded`)
  return await appendSigned(world, input, (at, signer) =>
    ok([{ kind: 'gap', ...(schedule === undefined ? {} : { schedule }), due, at, fleet, why, signer }]),
  )
}
