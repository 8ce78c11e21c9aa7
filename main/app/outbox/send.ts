import type { IntegrationsConfig } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import type { Catalog } from '../../core/catalog.ts'
import { type Outcome, ok } from '../../core/failure.ts'
import type { Target } from '../../core/outbox/delivery.ts'
import { absentItems, findingItems, type ItemMatter, packItem } from '../../present/outbox/items.ts'
import { readCertificates } from '../certificate-files.ts'
import { deliverWaiting, type ItemsOfPack, planItems, type TargetResult } from './deliver.ts'
import { writeFileFor } from './files.ts'
import { matterOfPack } from './pack-items.ts'
import { targetPlans } from './targets.ts'

type SendPorts = Parameters<typeof matterOfPack>[0] & Pick<Ports, 'entropy' | 'integrations'>

export interface SendDeps {
  readonly ports: SendPorts
  readonly catalog: Catalog
  /** Resolves after a pause, at which the program must still run. */
  readonly wait: (milliseconds: number) => Promise<void>
  /** Called when a pack is in the outbox, before anything of it is delivered. What rejects here keeps it from being delivered now. */
  readonly planned?: (source: ItemMatter['source']) => Promise<void>
  /** Aborted where nothing more is to be begun: a pack that is being verified fails with pack.stopped, and items wait. */
  readonly signal?: AbortSignal | undefined
}

export interface ToSend {
  readonly config: IntegrationsConfig
  /** Path of a pack; null to send only what waits. */
  readonly pack: string | null
  readonly allowsDemo: boolean
  /** Also plans items of this pack that were given up. */
  readonly again: boolean
}

/** What became of one sending. */
export interface SendReport {
  /** Items that were planned now, over all targets. */
  readonly planned: number
  /** Of the pack that was sent: one for each file target. */
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

/** What a verified pack is sent as. Fails as matterOfPack() does, and where a certificate of `trust` cannot be read. */
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
