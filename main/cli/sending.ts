import { setTimeout as sleep } from 'node:timers/promises'
import type { IntegrationsConfig } from '../../schemas/types.ts'
import { openOutbox, readOutbox } from '../adapters/outbox/journal.ts'
import { shownRequest } from '../adapters/outbox/receiver.ts'
import { openTarget } from '../adapters/outbox/targets.ts'
import { readIntegrationsConfig } from '../adapters/program-config.ts'
import { deliverWaiting, type ItemsOfPack, itemsFor, planItems, type TargetResult } from '../app/outbox/deliver.ts'
import { fileFor, writeFileFor } from '../app/outbox/files.ts'
import { matterOfPack } from '../app/outbox/pack-items.ts'
import { placedTargets, targetPlans } from '../app/outbox/targets.ts'
import { catalog } from '../catalog/index.ts'
import { type Outcome, ok } from '../core/failure.ts'
import type { Target, TargetPlan } from '../core/outbox/delivery.ts'
import type { Request } from '../core/outbox/exchange.ts'
import type { OutboxItem } from '../core/outbox/item.ts'
import { unplanned } from '../core/outbox/journal.ts'
import { plain, plural } from '../core/plain-text.ts'
import { absentItems, findingItems, type ItemMatter, packItem } from '../present/outbox/items.ts'
import { isLoopbackUrl } from '../server/settings.ts'
import { type Context, EXIT, emitText, endWith, printFailure, printLine } from './options.ts'
import { readCertificates } from './sealing.ts'

/** The valid configuration of a file, with absolute paths. Fails as its reading does. */
export async function integrationsIn(file: string): Promise<Outcome<IntegrationsConfig>> {
  const read = await readIntegrationsConfig(file)
  if (!read.ok) return read
  const { value, refuse } = read.value
  const targets = placedTargets(value)
  const problems = targets.flatMap(({ path, name, url }, at) => [
    ...(targets.slice(0, at).some((other) => other.name === name)
      ? [{ path: [...path, 'name'], text: 'is the name of another target' }]
      : []),
    ...(url?.startsWith('http:') === true && !isLoopbackUrl(url)
      ? [{ path: [...path, 'url'], text: 'must begin with https, unless its host is a loopback address' }]
      : []),
  ])
  return problems.length > 0 ? refuse(problems) : ok(value)
}

/** The targets of a configuration with their secrets. Fails with the first that cannot be read. */
export function openTargets({ ports }: Context, config: IntegrationsConfig): Outcome<readonly Target[]> {
  const targets: Target[] = []
  for (const plan of targetPlans(config)) {
    const target = openTarget(plan, ports.clock)
    if (!target.ok) return target
    targets.push(target.value)
  }
  return ok(targets)
}

interface SendOptions {
  readonly pack?: string
  readonly allowDemo?: true
  readonly again?: true
}

/**
 * Plans the items of a pack, then delivers everything that waits. A finished file, a delivery and what waits are named on stderr; items that wait
 * or were given up end with exit code 4.
 */
export async function send(context: Context, config: IntegrationsConfig, options: SendOptions): Promise<void> {
  const { ports } = context
  const targets = openTargets(context, config)
  if (!targets.ok) return endWith(context, targets.error)
  const matter = options.pack === undefined ? ok(null) : await matterFor(context, config, options.pack, options)
  if (!matter.ok) return endWith(context, matter.error)
  const outbox = await openOutbox(config.outbox)
  if (!outbox.ok) return endWith(context, outbox.error)
  try {
    const deps = { ...ports, outbox: outbox.value, wait: (milliseconds: number) => sleep(milliseconds) }
    if (matter.value !== null) {
      const planned = await planItems(deps, targets.value, itemsOf(matter.value), options.again === true)
      if (!planned.ok) return endWith(context, planned.error)
      await writeFiles(context, config, matter.value)
    }
    const results = await deliverWaiting(deps, targets.value)
    if (!results.ok) return endWith(context, results.error)
    for (const result of results.value) printResult(result)
    if (results.value.some(({ waiting, givenUp }) => waiting + givenUp.length > 0)) context.exit(EXIT.incomplete)
  } finally {
    await outbox.value.close()
  }
}

const itemsOf = (matter: ItemMatter): ItemsOfPack => ({
  items: [packItem(matter), ...findingItems(matter)],
  absent: absentItems(matter),
})

async function matterFor(
  { ports }: Context,
  config: IntegrationsConfig,
  path: string,
  { allowDemo }: SendOptions,
): Promise<Outcome<ItemMatter>> {
  const signers = await readCertificates(ports, config.trust ?? [])
  if (!signers.ok) return signers
  const trust = { signers: signers.value, authorities: [], lists: [] }
  return await matterOfPack(ports, catalog, { path, sender: config.sender, trust, allowsDemo: allowDemo === true })
}

async function writeFiles(context: Context, { files = [] }: IntegrationsConfig, matter: ItemMatter): Promise<void> {
  for (const target of files) {
    const written = await writeFileFor(context.ports, target, matter)
    if (!written.ok) {
      printFailure(written.error)
      context.exit(EXIT.incomplete)
    } else
      printLine(`${target.name}: ${written.value.isNew ? 'wrote' : 'unchanged'} ${plain(written.value.path, 4096)}`)
  }
}

function printResult({ target, delivered, waiting, givenUp, why }: TargetResult): void {
  const parts = [
    `${delivered} delivered`,
    ...(waiting === 0 ? [] : [`${waiting} waiting${why === null ? '' : ` (${plain(why, 300)})`}`]),
    ...(givenUp.length === 0 ? [] : [`${plural(givenUp.length, 'item')} given up`]),
  ]
  printLine(`${target}: ${parts.join(', ')}`)
  for (const { key, why: reason } of givenUp.slice(0, MOST_NAMED)) printLine(`  ${key}: ${plain(reason, 300)}`)
}

const MOST_NAMED = 20

/**
 * Prints, one JSON line for each request, what a pack would be sent as, where no receiver has anything of it: the first request of an exchange asks for
 * that. Nothing is sent, written or planned; no secret is read.
 */
export async function dryRun(
  context: Context,
  config: IntegrationsConfig,
  options: SendOptions & { readonly pack: string },
): Promise<void> {
  const matter = await matterFor(context, config, options.pack, options)
  if (!matter.ok) return endWith(context, matter.error)
  const letters = await readOutbox(config.outbox)
  if (!letters.ok) return endWith(context, letters.error)
  for (const plan of targetPlans(config)) {
    const wanted = itemsFor(plan, itemsOf(matter.value), letters.value)
    const items = unplanned(letters.value, plan.name, wanted)
    for (const item of items)
      for (const request of assumedRequests(plan, item))
        emitText(`${JSON.stringify({ target: plan.name, key: item.key, ...shownRequest(shownUrl(plan), request) })}\n`)
    printLine(`${plan.name}: ${items.length} to send, ${wanted.length - items.length} unchanged`)
  }
  for (const target of config.files ?? []) {
    const { name, lines } = fileFor(target, matter.value)
    for (const line of lines()) emitText(line)
    printLine(`${target.name}: ${plain(target.folder, 4096)}/${name}`)
  }
}

const shownUrl = ({ address }: TargetPlan): string =>
  address.is === 'open' ? address.url : `(address in ${plain(address.file, 4096)})`

/** The requests of an exchange with the answers that it assumes. */
function* assumedRequests(plan: TargetPlan, item: OutboxItem): Generator<Request> {
  const exchange = plan.exchange(item, null)
  for (let step = exchange.next(); step.done !== true; step = exchange.next({ status: 200, value: step.value.assumed }))
    yield step.value
}
