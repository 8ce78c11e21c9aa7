import type { Ports } from '../core/all-ports.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { ok } from '../core/result.ts'
import type { RunChain } from '../core/run-chain/entry.ts'
import { appendSigned, type EnterInput } from './append-signed.ts'

export interface GapInput extends Omit<EnterInput, 'begin'> {
  /** When the run was due: UTC, ISO 8601. */
  readonly due: string
  /** The owner's reason. */
  readonly why: string
  readonly schedule?: string
}

/**
 * Enters a missed run into an existing run chain. Fails with input.refused without a reason and for a time in the
 * future; otherwise as appendSigned() does.
 */
export async function recordGap(
  world: Pick<Ports, 'clock' | 'entropy' | 'files' | 'openRunChain' | 'sealing'>,
  input: GapInput,
): Promise<Outcome<RunChain>> {
  const { fleet, due, schedule } = input
  const why = input.why.trim()
  if (why === '') return fail('input.refused', 'enter why the run did not take place; nothing was recorded')
  if (due > world.clock.now()) return fail('input.refused', `${due} is in the future; nothing was recorded`)
  return await appendSigned(world, input, (at, signer) =>
    ok([{ kind: 'gap', ...(schedule === undefined ? {} : { schedule }), due, at, fleet, why, signer }]),
  )
}
