import type { Assessment } from '../../../schemas/types.ts'
import { PRODUCER } from '../../../schemas/version.ts'
import { catalog } from '../../catalog/definition/index.ts'
import { familyOf, remediationOf, variantsFor } from '../../catalog/definition/remediation.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain, plural } from '../../core/base/plain-text.ts'
import { latest } from '../../core/conclusion/assess.ts'
import { severityFacts } from '../../core/finding/finding.ts'
import {
  ordersByOwner,
  providerLetterMarkdown,
  providerLetterOf,
  type WorkOrder,
  workOrderOf,
} from '../../core/finding/work-order.ts'
import type { LoadedRecording } from '../../core/recording/recording.ts'
import { textRows } from '../../present/formats/grids/grid.ts'
import { workOrderGrid } from '../../present/formats/grids/tickets.ts'
import { workOrderDocument, workOrderMarkdown } from '../../present/formats/work-order-document.ts'
import { paperOf } from '../../present/report.ts'
import { AS_OF, type Context, EXIT, endWith, POPULATION, printLine } from '../parts/options.ts'
import { assessFolders } from '../parts/scope.ts'

interface Options {
  readonly out: string
  readonly all?: true
  readonly format?: string
  readonly node?: string
  readonly provider?: true
  readonly fleet?: string
  readonly asOf?: string
  readonly register?: string
}

const FORMATS = ['md', 'csv', 'pdf'] as const
type Format = (typeof FORMATS)[number]

/** `fixes RECORDINGS…`: work orders, or a letter to the provider. Nothing is run on a node. */
export function fixesCommand(context: Context): void {
  context.program
    .command('fixes')
    .description('Write a work order for the deviations of a node, or a letter to the provider')
    .argument('<recordings...>', 'Folders of recordings')
    .requiredOption('--out <path>', 'Work order to write: .md, .csv or .pdf; a letter: .md; with --all a folder')
    .option('--node <name>', 'Node; required if there are several, except for a letter')
    .option('--all', 'Write one work order for each node, and one for each owner that responses name')
    .option('--format <word>', `With --all: ${FORMATS.join(', ')}; default pdf`)
    .option('--provider', 'Write a letter about provider claims that are contradicted or need documents')
    .option(...POPULATION)
    .option(...AS_OF)
    .option('--register <file>', 'Register of risk acceptances, responses, control decisions and documents')
    .action(async (folders: string[], options: Options) => {
      const written = await write(context, folders, options)
      if (!written.ok) return endWith(context, written.error)
      for (const line of written.value) printLine(line)
      context.exit(EXIT.done)
    })
}

/** Writes the files, and returns what to report about them. */
async function write(
  context: Context,
  folders: readonly string[],
  options: Options,
): Promise<Outcome<readonly string[]>> {
  const form = formOf(options)
  if (!form.ok) return form
  const read = await readOrders(context, folders, options)
  if (!read.ok) return read
  const { assessment, orders } = read.value
  const [order] = orders
  if (order === undefined) return fail('input.not-found', 'the declared population does not contain this node')
  if (options.all === true && form.value !== 'letter')
    return await writeAll(context, options.out, form.value, read.value)
  const content =
    form.value === 'letter'
      ? providerLetterMarkdown(providerLetterOf(assessment, orders), catalog)
      : await contentOf(context, form.value, read.value, order.node, [order])
  const file = await context.ports.files.write(options.out, content)
  return file.ok
    ? ok([`Wrote ${plain(options.out, 300)}`, ...(form.value === 'letter' ? [] : [countText(order)])])
    : file
}

interface Orders {
  readonly assessment: Assessment
  readonly orders: readonly WorkOrder[]
}

async function readOrders({ ports }: Context, folders: readonly string[], options: Options): Promise<Outcome<Orders>> {
  const assessed = await assessFolders(ports, folders, options)
  if (!assessed.ok) return assessed
  const { assessment, register, recordings } = assessed.value
  const nodes = chosen(recordings, options)
  if (!nodes.ok) return nodes
  const holds = severityFacts({ assessment, catalog, register, recordings })
  const orders = assessment.nodes
    .filter(({ node }) => nodes.value.includes(node))
    .map((node): WorkOrder => {
      const rested = latest(recordings, node.node)
      return workOrderOf({
        catalog,
        node,
        asOf: assessment.asOf,
        demo: assessment.demo,
        register,
        family: rested === null ? null : familyOf(rested),
        holds,
        remediationOf,
        variantsFor,
      })
    })
  return ok({ assessment, orders })
}

/** Work orders in one format, under one title. */
async function contentOf(
  { ports }: Context,
  format: Format,
  { assessment }: Orders,
  title: string,
  orders: readonly WorkOrder[],
): Promise<string | Uint8Array> {
  if (format === 'md') return orders.map(workOrderMarkdown).join('\n')
  if (format === 'csv') {
    const { columns, rows } = workOrderGrid(orders)
    return ports.csv(textRows(columns, rows))
  }
  const document = workOrderDocument(orders, { title, producer: PRODUCER, paper: paperOf(assessment.scope) })
  return await ports.reports.render(document, { attachments: [], created: assessment.asOf })
}

/** One file for each node in the folder, and one for each owner in its folder “owners”. */
async function writeAll(
  context: Context,
  folder: string,
  format: Format,
  read: Orders,
): Promise<Outcome<readonly string[]>> {
  const owners = ordersByOwner(read.orders)
  const files = [
    ...read.orders.map((order) => ({ folder, title: order.node, orders: [order] })),
    ...[...owners].map(([title, orders]) => ({ folder: `${folder}/owners`, title, orders })),
  ]
  const taken = new Set<string>()
  for (const { folder: into, title, orders } of files) {
    const path = `${into}/${freeName(taken, into, title)}.${format}`
    const written = await context.ports.files.write(path, await contentOf(context, format, read, title, orders))
    if (!written.ok) return written
  }
  return ok([
    `Wrote ${plural(read.orders.length, 'work order')} of nodes and ${plural(owners.size, 'work order')} of owners to ${plain(folder, 300)}. Nothing was changed on any node.`,
  ])
}

/** A file name for a title that people entered, unique in its folder. */
function freeName(taken: Set<string>, folder: string, title: string): string {
  const base =
    title
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}.-]+/gu, '-')
      .replace(/^[.-]+|[.-]+$/g, '')
      .slice(0, 60) || 'unnamed'
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? base : `${base}-${count}`
    const key = `${folder}/${name}`
    if (taken.has(key)) continue
    taken.add(key)
    return name
  }
}

const countText = ({ items, node }: WorkOrder): string =>
  `${items.length} ${items.length === 1 ? 'check is' : 'checks are'} not satisfied on ${plain(node, 64)}. Nothing was changed on the node.`

function formOf({ out, provider, all, format = 'pdf' }: Options): Outcome<Format | 'letter'> {
  if (all === true) {
    const known = FORMATS.find((one) => one === format)
    if (provider === true) return fail('input.refused', '--all and --provider exclude each other')
    return known === undefined ? fail('input.refused', `--format must be one of ${FORMATS.join(', ')}`) : ok(known)
  }
  if (provider === true)
    return out.endsWith('.md') ? ok('letter') : fail('input.refused', `--out ${out} must end in .md`)
  const known = FORMATS.find((one) => out.endsWith(`.${one}`))
  return known === undefined ? fail('input.refused', `--out ${out} must end in .md, .csv or .pdf`) : ok(known)
}

/** The recorded nodes of the output: one for a work order; all with --all, and for a letter that names none. */
function chosen(recordings: readonly LoadedRecording[], { node, provider, all }: Options): Outcome<readonly string[]> {
  const names = [...new Set(recordings.map(({ recording }) => recording.node.name))]
  if (node !== undefined)
    return names.includes(node) ? ok([node]) : fail('input.not-found', `--node ${node}: no recording is of this node`)
  if (all === true || provider === true || names.length === 1) return ok(names)
  return fail('input.refused', `the recordings are of ${names.length} nodes; select one with --node, or --all`)
}
