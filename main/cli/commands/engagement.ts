import type { DeclaredNode, Engagement, Reconciliation } from '../../../schemas/types.ts'
import type { Failure } from '../../core/base/failure.ts'
import { plain, quote } from '../../core/base/plain-text.ts'
import { type CoverageNode, coverageOf, differencesOf, populationWith } from '../../core/engagement/coverage.ts'
import { ephiGapSentences, ephiGaps } from '../../core/engagement/ephi.ts'
import { engagementTemplate, stillEmpty } from '../../core/engagement/template.ts'
import { type Context, codeOf, EXIT, emit, endWith, JSON_OUTPUT, newFileInFolder, printLine } from '../parts/options.ts'

interface CheckOptions {
  readonly fleet?: string
  readonly json?: true
}

/** `engagement new|check`: creates and checks the engagement file. Contacts no node. */
export function engagementCommand(context: Context): void {
  const command = context.program.command('engagement').description('Manage the engagement file')
  command
    .command('new')
    .description('Create an engagement file template')
    .argument('<file>', 'New engagement file')
    .action(async (file: string) => await begin(context, file))
  command
    .command('check')
    .description('Validate the file and reconcile the population (exit 3 on differences)')
    .argument('<file>', 'Engagement file')
    .option('--fleet <file>', 'Fleet file to compare with')
    .option(...JSON_OUTPUT)
    .action(async (file: string, options: CheckOptions) => await check(context, file, options))
}

async function begin(context: Context, file: string): Promise<void> {
  const { ports } = context
  const fresh = newFileInFolder(file)
  if (!fresh.ok) return endWith(context, fresh.error)
  const written = await ports.files.write(file, engagementTemplate(ports.clock.now().slice(0, 10)))
  if (!written.ok) return endWith(context, written.error)
  printLine(`Wrote ${file}. Fill in the empty quotation marks, then run: barewitness engagement check ${file}`)
}

async function check(context: Context, file: string, { fleet, json }: CheckOptions): Promise<void> {
  const { ports } = context
  const read = await ports.declarations.engagement(file, null, [])
  if (!read.ok) return read.error.code === 'input.refused' ? refuse(context, read.error) : endWith(context, read.error)
  const fleetFile = fleet === undefined ? null : await ports.fleets.read(fleet)
  if (fleetFile?.ok === false) return endWith(context, fleetFile.error)
  const { engagement } = read.value
  const inFleet = fleetFile?.value.targets({}).map(({ node }) => node) ?? null
  const coverage = comparedLists(engagement, inFleet)
  const ephi = inFleet === null ? [] : ephiGapSentences({ ...ephiGaps(engagement, inFleet), notCollected: [] })
  const lists = coverage === undefined ? [] : listLines(coverage, inFleet !== null)
  const empty = stillEmpty(engagement)
  if (json === true) emit({ engagement, fleet: fleet ?? null, coverage, ephi, empty })
  else {
    for (const line of declaredLines(engagement)) printLine(line)
    section('Population reconciliation before collection, differences:', lists, 'None.')
    if (inFleet !== null) section('ePHI map and fleet file, differences:', ephi, 'None.')
    section('Empty fields:', empty, 'None.')
  }
  context.exit(lists.length + ephi.length > 0 ? EXIT.gaps : EXIT.done)
}

/** Prints each problem on its own line, in the order of the file. */
function refuse(context: Context, failure: Failure): void {
  const placeIn = (text: string): number => Number(/:(\d+):\d+: /.exec(text)?.[1] ?? 0)
  const problems = failure.detail.split('; ').sort((a, b) => placeIn(a) - placeIn(b))
  section(
    'The engagement file has problems:',
    problems.map((text) => plain(text, 600)),
    '',
  )
  context.exit(codeOf(failure))
}

function section(title: string, lines: readonly string[], otherwise: string): void {
  printLine(`\n${title}`)
  for (const line of lines.length === 0 ? [otherwise] : lines) printLine(`  ${line}`)
}

/** Reconciliation before a collection: addresses from the fleet file, serial numbers from pinned parts. */
function comparedLists(engagement: Engagement, inFleet: readonly DeclaredNode[] | null): Reconciliation | undefined {
  const byName = new Map(inFleet?.map((node) => [node.name, node]))
  const names = inFleet?.map(({ name }) => name) ?? []
  const population = populationWith(names, engagement)
  return coverageOf(
    { engagement, inFleet: names, population },
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
  const {
    reportingBasis,
    boundary,
    population,
    inventory,
    ephi,
    subserviceOrganizations,
    complementaryUserEntityControls,
  } = engagement
  const when =
    reportingBasis.kind === 'date'
      ? `as of ${reportingBasis.date}`
      : `from ${reportingBasis.from} to ${reportingBasis.to}`
  const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`
  return [
    `${plain(engagement.entity, 300)}, ${when}, for ${plain(engagement.audience, 500)}`,
    `  purpose           ${plain(engagement.purpose, 300)}`,
    `  declared          by ${by(engagement)}`,
    `  boundary          ${plain(boundary.system, 200)} (${by(boundary)})`,
    `  population        ${counted(population.nodes.length, 'node')} from ${plain(population.source, 200)} (${by(population)})`,
    inventory === null
      ? '  inventory         none'
      : `  inventory         ${counted(inventory.rows.length, 'row')} in ${plain(inventory.file.name)}, ${inventory.excluded.length} excluded (${by(inventory)})`,
    `  ePHI              ${counted(ephi.stores.length, 'location')}, ${counted(ephi.flows.length, 'flow')} (${by(ephi)})`,
    ...engagement.responsibilities.map((one) => `  responsibility    ${plain(one.area)} (${by(one)})`),
    ...subserviceOrganizations.map((one) => `  subservice org.   ${plain(one.name)}, ${one.method} (${by(one)})`),
    ...complementaryUserEntityControls.map(
      (one) => `  user control      ${plain(one.id)}: ${plain(one.text)} (${by(one)})`,
    ),
    ...engagement.signOff.map(
      ({ role, name, on }) => `  sign-off          ${role}: ${plain(name)}, ${on ?? 'not signed off'}`,
    ),
  ]
}

const by = ({ owner, on }: { readonly owner: string; readonly on: string }): string => `${plain(owner)}, ${on}`

/** One line for each difference. Without a fleet file, nodes of the fleet are not compared. */
function listLines(coverage: Reconciliation, withFleet: boolean): readonly string[] {
  const { declaredOnly, inFleetOnly, notInInventory, unreconciled } = differencesOf(coverage)
  return [
    ...(withFleet
      ? [
          ...declaredOnly.map((node) => `${quote(node)} is declared but not in the fleet file.`),
          ...inFleetOnly.map((node) => `${quote(node)} is in the fleet file but not declared.`),
        ]
      : []),
    ...(notInInventory ?? []).map((node) => `${quote(node)} matches no row of the provider inventory.`),
    ...(unreconciled ?? []).map(({ id, name, address, serial }) => {
      const shown = [name, address, serial].flatMap((cell) => (cell === null ? [] : [quote(cell)])).join(', ')
      return `Unreconciled: row ${quote(id)} of the provider inventory matches no node${shown === '' ? '' : ` (${shown})`}.${
        serial === null ? '' : ' A collection may still match its serial number.'
      }`
    }),
    ...coverage.conflicts,
  ]
}
