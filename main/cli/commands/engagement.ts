import type { Coverage, DeclaredNode, Engagement } from '../../../schemas/types.ts'
import { type CoverageNode, coverageOf, differencesOf, populationWith } from '../../core/engagement/coverage.ts'
import { stillEmpty } from '../../core/engagement/empty.ts'
import { ephiGapSentences, ephiGaps } from '../../core/engagement/ephi.ts'
import { engagementTemplate } from '../../core/engagement/template.ts'
import type { Failure } from '../../core/failure.ts'
import { plain, quote } from '../../core/plain-text.ts'
import type { Context } from '../context.ts'
import { codeOf, endWith } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { newFileBeside } from '../options.ts'
import { emit, say } from '../terminal.ts'

interface CheckOptions {
  readonly fleet?: string
  readonly json?: true
}

/** `engagement new|check`: what people declare before an audit, begun and compared. Nothing is contacted. */
export function engagementCommand(context: Context): void {
  const command = context.program.command('engagement').description('what people declare before an audit')
  command
    .command('new <file>')
    .description('write an engagement file to fill in, with an example of every part')
    .action(async (file: string) => await begin(context, file))
  command
    .command('check <file>')
    .description(
      'read and check an engagement file; compare its nodes, the fleet file and the provider’s list (3: they differ)',
    )
    .option('--fleet <file>', 'the fleet file to compare with')
    .option('--json', 'machine-readable')
    .action(async (file: string, options: CheckOptions) => await check(context, file, options))
}

async function begin(context: Context, file: string): Promise<void> {
  const { world } = context
  const fresh = newFileBeside(file)
  if (!fresh.ok) return endWith(context, fresh.error)
  const written = await world.files.write(file, engagementTemplate(world.clock.now().slice(0, 10)))
  if (!written.ok) return endWith(context, written.error)
  say(`Wrote ${file}. Fill in the empty quotation marks, then: barewitness engagement check ${file}`)
}

async function check(context: Context, file: string, { fleet, json }: CheckOptions): Promise<void> {
  const { world } = context
  const read = await world.declarations.engagement(file, null, [])
  if (!read.ok) return read.error.code === 'input.refused' ? refuse(context, read.error) : endWith(context, read.error)
  const fleetFile = fleet === undefined ? null : await world.fleets.read(fleet)
  if (fleetFile?.ok === false) return endWith(context, fleetFile.error)
  const { engagement } = read.value
  const enrolled = fleetFile?.value.targets({}).map(({ node }) => node) ?? null
  const coverage = comparedLists(engagement, enrolled)
  const ephi = enrolled === null ? [] : ephiGapSentences({ ...ephiGaps(engagement, enrolled), notCollected: [] })
  const lists = coverage === undefined ? [] : listLines(coverage, enrolled !== null)
  const empty = stillEmpty(engagement)
  if (json === true) emit({ engagement, fleet: fleet ?? null, coverage, ephi, empty })
  else {
    for (const line of declaredLines(engagement)) say(line)
    section('Lists that differ, as far as can be told before anything is collected:', lists, 'None.')
    if (enrolled !== null) section('The map of ePHI and the fleet file:', ephi, 'They name the same places.')
    section('Still empty:', empty, 'Nothing.')
  }
  context.exit(lists.length + ephi.length > 0 ? EXIT.gaps : EXIT.done)
}

/** Every problem on a line of its own, in the order of the file. */
function refuse(context: Context, failure: Failure): void {
  const placeIn = (text: string): number => Number(/:(\d+):\d+: /.exec(text)?.[1] ?? 0)
  const problems = failure.detail.split('; ').sort((a, b) => placeIn(a) - placeIn(b))
  section(
    'This file cannot be used yet:',
    problems.map((text) => plain(text, 600)),
    '',
  )
  context.exit(codeOf(failure))
}

function section(title: string, lines: readonly string[], otherwise: string): void {
  say(`\n${title}`)
  for (const line of lines.length === 0 ? [otherwise] : lines) say(`  ${line}`)
}

/** The lists as they are before a collection: addresses from the fleet file, serial numbers of parts that were pinned. */
function comparedLists(engagement: Engagement, enrolled: readonly DeclaredNode[] | null): Coverage | undefined {
  const byName = new Map(enrolled?.map((node) => [node.name, node]))
  const names = enrolled?.map(({ name }) => name) ?? []
  const population = populationWith(names, engagement)
  return coverageOf(
    { engagement, enrolled: names, population },
    population.map((name) => asCovered(name, byName.get(name))),
  )
}

const asCovered = (node: string, declared: DeclaredNode | undefined): CoverageNode => ({
  node,
  answered: false,
  machine:
    declared === undefined
      ? null
      : {
          address: declared.address,
          serials: (declared.hardware ?? [])
            .filter(({ kind }) => kind === 'system' || kind === 'board' || kind === 'chassis')
            .map(({ value }) => value),
        },
})

function declaredLines(engagement: Engagement): readonly string[] {
  const { framing, boundary, population, inventory, ephi, subserviceOrganizations, userEntityControls } = engagement
  const when = framing.kind === 'date' ? `as of ${framing.date}` : `from ${framing.from} to ${framing.to}`
  const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`
  return [
    `${plain(engagement.entity, 300)}, ${when}, for ${plain(engagement.audience, 500)}`,
    `  purpose           ${plain(engagement.purpose, 300)}`,
    `  declared          by ${by(engagement)}`,
    `  boundary          ${plain(boundary.system, 200)} (${by(boundary)})`,
    `  population        ${counted(population.nodes.length, 'node')} from ${plain(population.source, 200)} (${by(population)})`,
    inventory === null
      ? '  provider’s list   none'
      : `  provider’s list   ${counted(inventory.rows.length, 'row')} in ${plain(inventory.file.name)}, ${inventory.leftOut.length} left out (${by(inventory)})`,
    `  ePHI              ${counted(ephi.stores.length, 'store')}, ${counted(ephi.flows.length, 'flow')} (${by(ephi)})`,
    ...engagement.responsibilities.map((one) => `  responsibility    ${plain(one.area)} (${by(one)})`),
    ...subserviceOrganizations.map((one) => `  relies on         ${plain(one.name)}, ${one.method} (${by(one)})`),
    ...userEntityControls.map((one) => `  asked of you      ${plain(one.id)}: ${plain(one.says)} (${by(one)})`),
    ...engagement.signOff.map(
      ({ role, name, on }) => `  sign-off          ${role}: ${plain(name)}, ${on ?? 'not yet'}`,
    ),
  ]
}

const by = ({ owner, on }: { readonly owner: string; readonly on: string }): string => `${plain(owner)}, ${on}`

/** What differs, one line each. Without a fleet file nothing is said of enrolled nodes. */
function listLines(coverage: Coverage, withFleet: boolean): readonly string[] {
  const { declaredOnly, enrolledOnly, notInInventory, unaccounted } = differencesOf(coverage)
  return [
    ...(withFleet
      ? [
          ...declaredOnly.map((node) => `${quote(node)} is declared and not in the fleet file.`),
          ...enrolledOnly.map((node) => `${quote(node)} is in the fleet file and not declared.`),
        ]
      : []),
    ...(notInInventory ?? []).map((node) => `${quote(node)} fits no row of the provider’s list.`),
    ...(unaccounted ?? []).map(({ id, name, address, serial }) => {
      const shown = [name, address, serial].flatMap((cell) => (cell === null ? [] : [quote(cell)])).join(', ')
      return `Row ${quote(id)} of the provider’s list fits no node${shown === '' ? '' : ` (${shown})`}.${
        serial === null ? '' : ' A serial number that a node tells may still fit it.'
      }`
    }),
    ...coverage.conflicts,
  ]
}
