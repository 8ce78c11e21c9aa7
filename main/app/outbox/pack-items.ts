import type { VerificationReport } from '../../../schemas/verification.ts'
import { type Catalog, catalogFor } from '../../core/catalog.ts'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { EMPTY_REGISTER } from '../../core/register.ts'
import type { ItemMatter } from '../../present/outbox/items.ts'
import { lackingIn } from '../../verify/steps/complete.ts'
import type { Trust } from '../../verify/steps/trust.ts'
import { registerInScope } from '../attachments.ts'
import { shownOf } from '../finding-views.ts'
import { reviewFile } from '../review.ts'

export interface PackToSend {
  readonly path: string
  /** Name of the sender in the configuration. */
  readonly sender: string
  readonly trust: Trust
  /** Demo packs are sealed with a key that can never be trusted; they are refused otherwise. */
  readonly allowsDemo: boolean
  /** Aborted to end the verification, which then fails with pack.stopped. */
  readonly signal?: AbortSignal | undefined
}

type SendPorts = Parameters<typeof reviewFile>[0]

/**
 * Verifies a pack and reads what is sent of it. Fails with pack.unverified where a check fails, or its signer is not trusted; with input.refused
 * for what is no pack file, with pack.demo for demo data that is not to be sent, and as opening a pack does.
 */
export async function matterOfPack(
  ports: SendPorts,
  catalog: Catalog,
  { path, sender, trust, allowsDemo, signal }: PackToSend,
): Promise<Outcome<ItemMatter>> {
  const before = await ports.files.digest(path)
  if (!before.ok) return before
  const watch = signal === undefined ? {} : { watch: { signal, onStep: () => undefined, onResult: () => undefined } }
  const reviewed = await reviewFile(ports, catalog, { path, trust, checkpoint: null, keep: true, ...watch })
  if (!reviewed.ok) return reviewed
  const { report, contents } = reviewed.value
  const refused = whyNotSent(report, allowsDemo)
  if (refused !== null) return refused
  const after = await ports.files.digest(path)
  if (!after.ok) return after
  if (after.value.sha256 !== before.value.sha256)
    return fail('input.refused', `${path} changed while it was read; send it again`)
  const { assessment, run, recordings = [] } = contents ?? {}
  if (assessment == null || run == null) return fail('input.refused', `${path} is not an evidence pack`)
  const ours = catalogFor(catalog, assessment.scope)
  const register = registerInScope(catalog, contents?.register ?? EMPTY_REGISTER, assessment.scope)
  return ok({
    source: {
      schema: 'barewitness.item/1',
      sender,
      fleet: plain(assessment.scope.fleet),
      run: plain(run),
      pack: { name: report.file, sha256: before.value.sha256 },
      asOf: assessment.asOf,
      demo: report.demo,
    },
    assessment,
    catalog: ours,
    register,
    shown: shownOf({ assessment, catalog, register, recordings }),
  })
}

function whyNotSent(report: VerificationReport, allowsDemo: boolean): Outcome<never> | null {
  if (report.kind !== 'pack') return fail('input.refused', `${report.file} is not an evidence pack`)
  const failed = report.checks.filter(({ outcome }) => outcome === 'failed').map(({ check }) => check)
  if (!report.ok) return fail('pack.unverified', `${report.file} does not verify: ${failed.join(', ')}`)
  if (report.demo && !allowsDemo)
    return fail('pack.demo', `${report.file} is demo data; only --allow-demo sends it, marked as such`)
  const lacking = lackingIn(report, { signers: !report.demo, authorities: false, checkpoint: false })
  if (lacking.length === 0) return null
  const advice = lacking.includes('signature') ? '; name the certificate of its signer under “trust”' : ''
  return fail('pack.unverified', `${report.file} does not verify: ${lacking.join(', ')} indeterminate${advice}`)
}
