import type { FileTarget, IntegrationsConfig } from '../../../schemas/types.ts'
import type { VerificationReport } from '../../../schemas/verification.ts'
import { VERSION } from '../../../schemas/version.ts'
import type { Ports } from '../../core/all-ports.ts'
import { sha256 } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { Target } from '../../core/outbox/delivery.ts'
import { EMPTY_REGISTER } from '../../core/register/register.ts'
import { type Catalog, catalogFor } from '../../core/rules/catalog.ts'
import { absentItems, findingItems, type ItemMatter, packItem } from '../../present/outbox/items.ts'
import { ocsfEvents } from '../../present/outbox/ocsf.ts'
import { otelLogs } from '../../present/outbox/otel.ts'
import { lackingIn } from '../../verify/steps/complete.ts'
import type { Trust } from '../../verify/steps/trust.ts'
import { registerInScope } from '../common/attachments.ts'
import { readCertificates } from '../common/certificate-files.ts'
import { shownOf } from '../evaluate/finding-views.ts'
import { reviewFile } from '../export/review.ts'
import { deliverWaiting, type ItemsOfPack, planItems, type TargetResult } from './deliver.ts'
import { targetPlans } from './targets.ts'

interface PackToSend {
  readonly path: string
  /** Name of the sender in the configuration. */
  readonly sender: string
  readonly trust: Trust
  /** Demo packs, which are sealed with a key that can never be trusted, are refused otherwise. */
  readonly allowsDemo: boolean
  /** Aborted to end the verification, which then fails with pack.stopped. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Verifies a pack and reads the parts of it that are sent. Fails with pack.unverified where a check fails, or its
 * signer is not trusted; with input.refused for a file that is not a pack, with pack.demo for demo data that must not
 * be sent, and as opening a pack does.
 */
export async function matterOfPack(
  ports: Parameters<typeof reviewFile>[0],
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

/** The file of a pack for a file target: its name, which depends on the pack only, and its lines. */
export function fileFor(
  { format }: Pick<FileTarget, 'format'>,
  matter: ItemMatter,
): { readonly name: string; readonly lines: () => Iterable<string> } {
  const pack = packItem(matter)
  const values = (): Iterable<unknown> =>
    format === 'ocsf'
      ? ocsfEvents(matter, VERSION)
      : [...findingItems(matter), pack].map((item) => otelLogs(item, VERSION))
  return {
    name: `${format}-${pack.key}.jsonl`,
    lines: function* () {
      for (const value of values()) yield `${JSON.stringify(value)}\n`
    },
  }
}

/**
 * Writes the file of a pack completely, unless it exists with the same content. Returns whether it was written. Fails
 * as writing does.
 */
async function writeFileFor(
  { files }: Pick<Ports, 'files'>,
  target: Pick<FileTarget, 'format'> & { readonly folder: string },
  matter: ItemMatter,
): Promise<Outcome<{ readonly path: string; readonly isNew: boolean }>> {
  const { name, lines } = fileFor(target, matter)
  const path = `${target.folder}/${name}`
  if (await files.isThere(path)) {
    const there = await files.digest(path)
    if (there.ok && there.value.sha256 === sha256([...lines()].join(''))) return ok({ path, isNew: false })
  }
  const written = await files.writePieces(path, lines())
  return written.ok ? ok({ path, isNew: true }) : written
}

type SendPorts = Parameters<typeof matterOfPack>[0] & Pick<Ports, 'entropy' | 'integrations'>

export interface SendDeps {
  readonly ports: SendPorts
  readonly catalog: Catalog
  /** Resolves after a pause, at which the program must still run. */
  readonly wait: (milliseconds: number) => Promise<void>
  /**
   * Called when a pack is in the outbox, before any part of it is delivered. A rejection prevents its delivery for
   * now.
   */
  readonly planned?: (source: ItemMatter['source']) => Promise<void>
  /** Aborted to begin nothing more: a pack that is being verified fails with pack.stopped, and items wait. */
  readonly signal?: AbortSignal | undefined
}

interface ToSend {
  readonly config: IntegrationsConfig
  /** Path of a pack; null to send only waiting items. */
  readonly pack: string | null
  readonly allowsDemo: boolean
  /** Also plans items of this pack that were given up. */
  readonly again: boolean
}

/** The result of one sending. */
export interface SendReport {
  /** Items that were planned now, over all targets. */
  readonly planned: number
  /** The files of the pack that was sent: one for each file target. */
  readonly files: readonly {
    readonly target: string
    readonly written: Outcome<{ readonly path: string; readonly isNew: boolean }>
  }[]
  readonly targets: readonly TargetResult[]
}

/**
 * Plans the items of a pack, then delivers everything that waits. This is the only way in which anything is sent. Fails as openTargets() and matterFor() do before
 * anything is planned, and with store.failed as the outbox does.
 */
export async function sendPack(deps: SendDeps, { config, pack, ...how }: ToSend): Promise<Outcome<SendReport>> {
  const { ports, wait, signal } = deps
  const targets = await openTargets(ports, config)
  if (!targets.ok) return targets
  const matter = pack === null ? ok(null) : await matterFor(deps, config, pack, how.allowsDemo)
  if (!matter.ok) return matter
  const outbox = await ports.integrations.openOutbox(config.outbox)
  if (!outbox.ok) return outbox
  try {
    const parts = { clock: ports.clock, entropy: ports.entropy, outbox: outbox.value, wait, signal }
    const planned =
      matter.value === null ? ok(0) : await planItems(parts, targets.value, itemsOf(matter.value), how.again)
    if (!planned.ok) return planned
    if (matter.value !== null) await deps.planned?.(matter.value.source)
    const files = matter.value === null ? [] : await writeFiles(ports, config, matter.value)
    const delivered = await deliverWaiting(parts, targets.value)
    return delivered.ok ? ok({ planned: planned.value, files, targets: delivered.value }) : delivered
  } finally {
    await outbox.value.close()
  }
}

/** The targets of a configuration with their secrets. Fails with the first that cannot be read. */
export async function openTargets(
  { integrations }: Pick<Ports, 'integrations'>,
  config: IntegrationsConfig,
): Promise<Outcome<readonly Target[]>> {
  const targets: Target[] = []
  for (const plan of targetPlans(config)) {
    const target = await integrations.openTarget(plan)
    if (!target.ok) return target
    targets.push(target.value)
  }
  return ok(targets)
}

/**
 * The verified content of a pack for sending. Fails as matterOfPack() does, and where a certificate of `trust` cannot
 * be read.
 */
export async function matterFor(
  {
    ports,
    catalog,
    signal,
  }: Pick<SendDeps, 'catalog' | 'signal'> & {
    readonly ports: Parameters<typeof matterOfPack>[0]
  },
  { sender, trust = [] }: Pick<IntegrationsConfig, 'sender' | 'trust'>,
  path: string,
  allowsDemo: boolean,
): Promise<Outcome<ItemMatter>> {
  const signers = await readCertificates(ports, trust)
  if (!signers.ok) return signers
  const own = { signers: signers.value, authorities: [], lists: [] }
  return await matterOfPack(ports, catalog, { path, sender, trust: own, allowsDemo, signal })
}

export const itemsOf = (matter: ItemMatter): ItemsOfPack => ({
  items: [packItem(matter), ...findingItems(matter)],
  absent: absentItems(matter),
})

async function writeFiles(
  ports: Pick<Ports, 'files'>,
  { files = [] }: Pick<IntegrationsConfig, 'files'>,
  matter: ItemMatter,
): Promise<SendReport['files']> {
  const written: SendReport['files'][number][] = []
  for (const target of files) written.push({ target: target.name, written: await writeFileFor(ports, target, matter) })
  return written
}
