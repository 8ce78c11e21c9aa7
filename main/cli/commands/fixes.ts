import { registerInScope } from '../../app/attachments.ts'
import { catalog } from '../../catalog/index.ts'
import { familyOf, remediationOf, variantsFor } from '../../catalog/remediation.ts'
import { assess, latest } from '../../core/assess.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { providerLetterMarkdown, providerLetterOf } from '../../core/provider-letter.ts'
import { type LoadedRecording, loadAll } from '../../core/recording.ts'
import { ok } from '../../core/result.ts'
import { type WorkOrder, workOrderOf } from '../../core/work-order.ts'
import { textRows } from '../../present/formats/grids/grid.ts'
import { workOrderGrid } from '../../present/formats/grids/work-order.ts'
import { workOrderMarkdown } from '../../present/formats/work-order-markdown.ts'
import type { Context } from '../context.ts'
import { endWith } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { instant } from '../options.ts'
import { readRegister } from '../register.ts'
import { scopeFor } from '../scope.ts'
import { say } from '../terminal.ts'

interface Options {
  readonly out: string
  readonly node?: string
  readonly provider?: true
  readonly fleet?: string
  readonly asOf?: string
  readonly register?: string
}

/** `fixes RECORDINGS…`: a work order for one node, or a letter to the provider. Nothing is run on a node. */
export function fixesCommand(context: Context): void {
  context.program
    .command('fixes')
    .description('Write a work order for the deviations of a node, or a letter to the provider')
    .argument('<recordings...>', 'Folders of recordings')
    .requiredOption('--out <file>', 'Work order to write: .md or .csv; a letter: .md')
    .option('--node <name>', 'Node; required if there are several, except for a letter')
    .option('--provider', 'Write a letter about provider claims that are contradicted or need documents')
    .option('--fleet <file>', 'Fleet file whose nodes are the declared population')
    .option('--as-of <time>', 'Evaluation date (UTC, ISO 8601); default now')
    .option('--register <file>', 'Register of risk acceptances, control decisions and documents')
    .action(async (folders: string[], options: Options) => {
      const written = await write(context, folders, options)
      if (!written.ok) return endWith(context, written.error)
      for (const line of written.value) say(line)
      context.exit(EXIT.done)
    })
}

/** Writes the file, and returns what to report about it. */
async function write(
  { world }: Context,
  folders: readonly string[],
  options: Options,
): Promise<Outcome<readonly string[]>> {
  const form = formOf(options)
  if (!form.ok) return form
  const asOf = instant('--as-of', options.asOf, world.clock)
  if (!asOf.ok) return asOf
  const recordings = await world.readRecordings(folders)
  if (!recordings.ok) return recordings
  const scope = await scopeFor(world, options, recordings.value)
  if (!scope.ok) return scope
  const said = await readRegister(world, options.register)
  if (!said.ok) return said
  const loaded = await loadAll(recordings.value)
  if (!loaded.ok) return loaded
  const register = registerInScope(catalog, said.value.register, scope.value.scope)
  const assessment = assess({
    catalog,
    scope: scope.value.scope,
    recordings: loaded.value,
    asOf: asOf.value,
    register,
  })
  const nodes = chosen(loaded.value, options)
  if (!nodes.ok) return nodes
  const orders = assessment.nodes
    .filter(({ node }) => nodes.value.includes(node))
    .map((node): WorkOrder => {
      const rested = latest(loaded.value, node.node)
      return workOrderOf({
        catalog,
        node,
        asOf: assessment.asOf,
        demo: assessment.demo,
        register,
        family: rested === null ? null : familyOf(rested),
        remediationOf,
        variantsFor,
      })
    })
  const [order] = orders
  if (order === undefined) return fail('input.not-found', 'the declared population does not contain this node')
  const text =
    form.value === 'letter'
      ? providerLetterMarkdown(providerLetterOf(assessment, orders), catalog)
      : form.value === 'csv'
        ? world.csv(textRows(workOrderGrid(order).columns, workOrderGrid(order).rows))
        : workOrderMarkdown(order)
  const file = await world.files.write(options.out, text)
  return file.ok
    ? ok([`Wrote ${plain(options.out, 300)}`, ...(form.value === 'letter' ? [] : [countText(order)])])
    : file
}

const countText = ({ items, node }: WorkOrder): string =>
  `${items.length} ${items.length === 1 ? 'check is' : 'checks are'} not satisfied on ${plain(node, 64)}. Nothing was changed on the node.`

function formOf({ out, provider }: Options): Outcome<'markdown' | 'csv' | 'letter'> {
  if (out.endsWith('.md')) return ok(provider === true ? 'letter' : 'markdown')
  if (out.endsWith('.csv') && provider !== true) return ok('csv')
  return fail('input.refused', `--out ${out} must end in .md${provider === true ? '' : ' or .csv'}`)
}

/** The recorded nodes that it is about. A work order is about one; a letter is about all unless one is named. */
function chosen(recordings: readonly LoadedRecording[], { node, provider }: Options): Outcome<readonly string[]> {
  const names = [...new Set(recordings.map(({ recording }) => recording.node.name))]
  if (node !== undefined)
    return names.includes(node) ? ok([node]) : fail('input.not-found', `--node ${node}: no recording is of this node`)
  if (provider === true || names.length === 1) return ok(names)
  return fail('input.refused', `the recordings are of ${names.length} nodes; select one with --node`)
}
