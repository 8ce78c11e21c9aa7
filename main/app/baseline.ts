import type { Ports } from '../core/all-ports.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { plain } from '../core/plain-text.ts'
import { ok } from '../core/result.ts'
import type { RunChain } from '../core/run-chain/entry.ts'
import { appendSigned, type EnterInput } from './append-signed.ts'

export interface BaselineInput extends Omit<EnterInput, 'begin'> {
  /** A sealed run of this fleet. */
  readonly run: string
  /** The owner's reason. */
  readonly why: string
}

/**
 * Sets the run that later runs are compared with, as a signed entry in the run chain. Fails with input.refused without
 * a reason, and for a run that the chain does not contain or whose evidence was deleted; otherwise as appendSigned()
 * does.
 */
export async function nameBaseline(
  world: Pick<Ports, 'clock' | 'entropy' | 'files' | 'openRunChain' | 'sealing'>,
  input: BaselineInput,
): Promise<Outcome<RunChain>> {
  const { fleet, run } = input
  const why = input.why.trim()
  if (why === '' || why.length > 1000)
    return fail('input.refused', 'enter a reason of 1 to 1,000 characters; nothing was recorded')
  return await appendSigned(world, input, (at, signer, { entries }) => {
    const about = entries.filter(({ entry }) => (entry.kind === 'run' || entry.kind === 'retired') && entry.run === run)
    if (!about.some(({ entry }) => entry.kind === 'run'))
      return fail(
        'input.refused',
        `the run chain of ${plain(fleet, 100)} has no sealed run ${plain(run, 100)}; nothing was recorded`,
      )
    if (about.at(-1)?.entry.kind === 'retired')
      return fail('input.refused', `the evidence of run ${plain(run, 100)} was deleted; nothing was recorded`)
    return ok([{ kind: 'baseline', run, at, fleet, why, signer }])
  })
}
