import { setTimeout as sleep } from 'node:timers/promises'
import type { SentRow } from '../../../schemas/ipc-history.ts'
import { SENT_WORDS, sentItemsText, sentReason } from '../../../schemas/sent-words.ts'
import type { IntegrationsConfig } from '../../../schemas/types.ts'
import { shownRequest } from '../../adapters/outbox/receiver.ts'
import { itemsFor, type TargetResult } from '../../app/outbox/deliver.ts'
import { fileFor, itemsOf, matterFor, type SendDeps, type SendReport, sendPack } from '../../app/outbox/send.ts'
import { sentPacks } from '../../app/outbox/sent-packs.ts'
import { targetPlans } from '../../app/outbox/targets.ts'
import { catalog } from '../../catalog/definition/index.ts'
import type { Outcome } from '../../core/base/failure.ts'
import { plain, plural } from '../../core/base/plain-text.ts'
import type { TargetPlan } from '../../core/outbox/delivery.ts'
import type { Request } from '../../core/outbox/exchange.ts'
import type { OutboxItem } from '../../core/outbox/item.ts'
import { unplanned } from '../../core/outbox/journal.ts'
import { type Context, EXIT, emitText, endWith, printFailure, printLine } from './options.ts'

interface SendOptions {
  readonly pack?: string
  readonly allowDemo?: true
  readonly again?: true
}

/**
 * Plans the items of a pack, then delivers all waiting items. Prints written files, deliveries and waiting items on stderr. Exit code 4 where
 * items wait or were given up.
 */
export async function send(context: Context, config: IntegrationsConfig, options: SendOptions): Promise<void> {
  const sent = await sendPack(
    { ports: context.ports, catalog, wait: (milliseconds) => sleep(milliseconds) },
    {
      config,
      pack: options.pack ?? null,
      allowsDemo: options.allowDemo === true,
      again: options.again === true,
    },
  )
  if (!sent.ok) return endWith(context, sent.error)
  printSent(sent.value)
  const { files, targets } = sent.value
  if (files.some(({ written }) => !written.ok) || targets.some(({ waiting, givenUp }) => waiting + givenUp.length > 0))
    context.exit(EXIT.incomplete)
}

/** Prints what became of a sending, target by target. */
function printSent({ files, targets }: SendReport): void {
  for (const { target, written } of files) {
    if (!written.ok) printFailure(written.error)
    else printLine(`${target}: ${written.value.isNew ? 'wrote' : 'unchanged'} ${plain(written.value.path, 4096)}`)
  }
  for (const result of targets) printResult(result)
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

/** Prints what became of each run at each receiver, as the outbox has it: it is neither locked nor changed. */
export async function printStatus(context: Context, file: string): Promise<void> {
  const { rows, shortfalls } = await sentPacks(context.ports, { file, folder: null })
  const [failure] = shortfalls
  if (failure !== undefined) return endWith(context, failure)
  for (const row of rows.rows) emitText(`${statusLine(row)}\n`)
  if (rows.total === 0) printLine('The outbox has no items of a run.')
  if (rows.total > rows.rows.length) printLine(`${rows.total - rows.rows.length} earlier lines are not printed.`)
  if (rows.rows.some(({ state }) => state !== 'sent')) context.exit(EXIT.incomplete)
}

function statusLine(row: SentRow): string {
  const [items, reason] = [sentItemsText(row.items), plain(sentReason(row), 300)]
  return [
    `${plain(row.run)}  ${plain(row.target ?? 'all receivers')}: ${SENT_WORDS[row.state]}`,
    ...(items === '' ? [] : [` (${items})`]),
    `, ${row.at ?? 'time not known'}`,
    ...(reason === '' ? [] : [`: ${reason}`]),
  ].join('')
}

/** Sends as “send” does, by the configuration that a schedule names. Demo data and items that were given up are not sent. */
export async function sendScheduled(
  { ports }: Context,
  wait: SendDeps['wait'],
  file: string,
  pack: string | null,
): Promise<Outcome<SendReport>> {
  const config = await ports.integrations.read(file)
  if (!config.ok) return config
  const sent = await sendPack({ ports, catalog, wait }, { config: config.value, pack, allowsDemo: false, again: false })
  if (sent.ok) printSent(sent.value)
  return sent
}

/**
 * Prints the requests that would send a pack, as one JSON line each. They assume that no receiver has any of it yet, which the first request of
 * an exchange would determine. Nothing is sent, written or planned; no secret is read.
 */
export async function dryRun(
  context: Context,
  config: IntegrationsConfig,
  options: SendOptions & { readonly pack: string },
): Promise<void> {
  const { ports } = context
  const matter = await matterFor({ ports, catalog }, config, options.pack, options.allowDemo === true)
  if (!matter.ok) return endWith(context, matter.error)
  const letters = await ports.integrations.readOutbox(config.outbox)
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

/** The requests of an exchange under its assumed answers. */
function* assumedRequests(plan: TargetPlan, item: OutboxItem): Generator<Request> {
  const exchange = plan.exchange(item, null)
  for (let step = exchange.next(); step.done !== true; step = exchange.next({ status: 200, value: step.value.assumed }))
    yield step.value
}
