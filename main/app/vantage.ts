import type { VantageMeasurement, VantageRecord } from '../../schemas/types.ts'
import { VERSION } from '../../schemas/version.ts'
import type { DemoFleet, Ports } from '../core/all-ports.ts'
import { fail, type Outcome } from '../core/failure.ts'
import type { Signer } from '../core/ports.ts'
import { ok } from '../core/result.ts'
import { type UnsignedVantage, vantageBytes, vantagePlaceProblem } from '../core/vantage.ts'
import { vantageIsSigned } from '../verify/steps/location.ts'
import { newRunId } from './run.ts'
import { whileSigning } from './signing.ts'
import { timeNodes, type VantageInput } from './vantage-nodes.ts'

/**
 * Times the path to each node from this machine, and signs the result. No probe of the catalog is run. A node that
 * could not be timed is in the record with the reason. Fails with input.refused where the location is not usable;
 * otherwise as the key does.
 */
export async function recordVantage(ports: Ports, input: VantageInput): Promise<Outcome<VantageRecord>> {
  const problem = vantagePlaceProblem(input.place)
  if (problem !== null) return fail('input.refused', `the location ${problem}`)
  const opened = await input.openSigner()
  if (!opened.ok) return opened
  const startedAt = ports.clock.now()
  const id = `vantage-${newRunId(ports.clock, ports.entropy)}`
  const measurements: readonly VantageMeasurement[] = await timeNodes(ports, { ...input, run: id })
  const record: UnsignedVantage = {
    schema: 'barewitness.vantage/1',
    id,
    recorder: VERSION,
    vantage: input.place,
    startedAt,
    endedAt: ports.clock.now(),
    demo: input.demo === true,
    measurements,
  }
  return await signedVantage(ports, record, async () => opened)
}

/**
 * The record with a signature over all of it. Fails with input.refused where it could not be read back, such as a
 * record without the demo mark under a demo key; otherwise as the key does.
 */
export async function signedVantage(
  { sealing, clock }: Pick<Ports, 'sealing' | 'clock'>,
  record: UnsignedVantage,
  openSigner: () => Promise<Outcome<Signer>>,
): Promise<Outcome<VantageRecord>> {
  const opened = await openSigner()
  if (!opened.ok) return opened
  const { certificate, chain, fingerprint } = opened.value
  const about = { fingerprint, at: clock.now(), chain: [certificate, ...chain].map(base64) }
  return await whileSigning(async () => {
    const cms = base64(await sealing.signDetached(opened.value, vantageBytes(record, about)))
    const signed: VantageRecord = { ...record, signature: { ...about, cms } }
    const [problem] = (await vantageIsSigned(sealing.reader, signed)).problems
    return problem === undefined ? ok(signed) : fail('input.refused', `the record cannot be used: ${problem}`)
  })
}

/** The record of the demo fleet's second machine, under a demo key. Fails as the key does. */
export async function demoVantageRecord(
  ports: Pick<Ports, 'sealing' | 'clock'>,
  demo: Pick<DemoFleet, 'vantage'>,
  asOf: string,
): Promise<Outcome<VantageRecord>> {
  return await signedVantage(ports, demo.vantage(asOf), async () => ok(await ports.sealing.demoSigner()))
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
