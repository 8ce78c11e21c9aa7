import type {
  ComplementaryUserEntityControl,
  ControlRef,
  Engagement,
  EphiStore,
  SubserviceOrganization,
  SubserviceReport,
} from '../../../../schemas/types.ts'
import { dayCount } from '../../../../schemas/words.ts'
import { names, oneLine, outOf, plain, plural } from '../../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  headedTable,
  heading,
  type Line,
  list,
  plainCell,
  quiet,
  type Section,
  table,
  text,
} from '../../../core/base/report-document.ts'
import { reached } from '../../../core/conclusion/tally.ts'
import { type EphiPlace, ephiGapSentences, ephiGaps } from '../../../core/engagement/ephi.ts'
import { PATHS } from '../../../core/pack/pack-files.ts'
import { type EntryStatus, statusOf } from '../../../core/register/register.ts'
import type { Matter } from '../parts/input.ts'
import { titleName } from '../parts/short.ts'
import { chosenFrameworks, countLines, day, itemName, titles } from '../parts/wording.ts'

/** System boundary, exclusions, responsibilities and complementary controls of other organizations. */
export function boundarySection(matter: Matter): Section {
  const { engagement } = matter.assessment.scope
  return {
    id: 'boundary',
    title: titles.boundary,
    blocks: engagement === undefined ? undeclared(matter) : declared(matter, engagement),
  }
}

function undeclared(matter: Matter): readonly Block[] {
  const { scope } = matter.assessment
  const paths = new Set(matter.recordings.flatMap(({ recording }) => recording.node.ephiPaths ?? []))
  return [
    text(
      'The engagement is not defined. This report therefore does not describe the system, its services and sites, exclusions, responsibilities, controls required of other organizations, or ePHI flows. Readers need to obtain this information separately.',
    ),
    heading(3, 'Known scope'),
    factBlock([
      { label: 'Fleet', value: plainCell(plain(scope.fleet, 80)) },
      { label: 'Nodes', value: plainCell(plural(scope.population.length, 'declared node')) },
      frameworkRow(matter),
      {
        label: 'ePHI paths',
        value: plainCell(
          paths.size === 0 ? 'None in the fleet file.' : `In the fleet file: ${names([...paths].sort())}`,
        ),
      },
    ]),
  ]
}

const frameworkRow = (matter: Matter): FactRows[number] => {
  const { current, overlays } = chosenFrameworks(matter)
  const titled = [...current, ...overlays].flatMap(({ title, version }): readonly Line[] => [
    { text: plain(title) },
    { text: plain(version), style: 'quiet' },
  ])
  return { label: 'Frameworks', value: titled.length === 0 ? plainCell('No framework selected.') : titled }
}

function declared(matter: Matter, engagement: Engagement): readonly Block[] {
  const { boundary, entity } = engagement
  return [
    text('As declared in the engagement. Nothing in this section was collected from a node unless stated.'),
    heading(3, 'System', true),
    factBlock([
      // The title of page 1 has a short name as it is.
      ...(titleName(entity) === oneLine(entity) ? [] : [{ label: 'Entity', value: typed(entity) }]),
      { label: 'System', value: typed(boundary.system) },
      { label: 'Services', value: typedList(boundary.services) },
      { label: 'Sites', value: typedList(boundary.sites) },
      frameworkRow(matter),
    ]),
    quiet(`${declaredBy(boundary)}.`),
    heading(3, 'Exclusions and rationale', true),
    outside(engagement),
    heading(3, 'Responsibilities', true),
    ...responsibilities(engagement),
    ...subserviceBlocks(matter, engagement),
    ...userEntityBlocks(matter, engagement),
    ...ephiBlocks(matter, engagement),
  ]
}

const outside = ({ boundary }: Engagement): Block =>
  boundary.outside.length === 0
    ? text('No exclusions declared.')
    : table(
        { Exclusion: 35, Rationale: 65 },
        boundary.outside.map(({ what, why }) => [typed(what, 300), typed(why)]),
      )

function responsibilities({ responsibilities: areas }: Engagement): readonly Block[] {
  if (areas.length === 0) return [text('The responsibilities of provider and customer were not declared.')]
  const whose = whoseWord(areas)
  return [
    headedTable(
      { Area: 24, Provider: 38, Customer: 38 },
      areas.map((one) => [[...typed(one.area, 200), ...whose.inRow(one)], typed(one.provider), typed(one.customer)]),
    ),
    ...whose.beneath,
  ]
}

/** Differences between the ePHI map and the collection that are listed one by one. */
const MOST_SENTENCES = 100

/** Declared ePHI locations and flows, and which of them the collection covered. */
function ephiBlocks(matter: Matter, engagement: Engagement): readonly Block[] {
  const { ephi, population } = engagement
  const { nodes, scope } = matter.assessment
  const silent = new Set(nodes.filter((node) => !reached(node)).map(({ node }) => node))
  const collected = matter.recordings.map(({ recording }) => recording.node).filter(({ name }) => !silent.has(name))
  // A node of the fleet file is known even where the declared population omits it.
  const known = [...new Set([...population.nodes, ...scope.population])]
  const gaps = ephiGaps({ ephi, population: { ...population, nodes: known } }, collected)
  const sentences = ephiGapSentences(gaps)
  return [
    heading(3, 'ePHI locations and flows', true),
    quiet(`${declaredBy(ephi)}. Flows are as declared; node evidence does not trace data flows.`),
    ephi.stores.length === 0
      ? text('No ePHI locations declared.')
      : storeTable(ephi.stores, [...gaps.notCollected, ...gaps.unknownNodes]),
    ephi.flows.length === 0 ? text('No ePHI flows declared.') : flowTable(ephi),
    heading(4, 'Differences between ePHI map and collection'),
    ...(sentences.length === 0
      ? [text('None. Each declared path was collected on its nodes, and each collected path is declared.')]
      : [
          list(sentences.slice(0, MOST_SENTENCES).map((words) => ({ text: oneLine(words, 1000) }))),
          ...(sentences.length > MOST_SENTENCES
            ? [
                text(
                  `And ${sentences.length - MOST_SENTENCES} more; see the map in data/scope.json and the results of each node in the pack.`,
                ),
              ]
            : []),
        ]),
  ]
}

function storeTable(stores: readonly EphiStore[], unasked: readonly EphiPlace[]): Block {
  const counts = new Map<string, number>()
  for (const { store, path } of unasked) {
    const key = `${store}\n${path}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return headedTable(
    { 'ePHI location': 34, Path: 24, Nodes: 22, Collected: 20 },
    stores.map((store) => [
      [{ text: oneLine(store.name, 200), style: 'strong' }, ...typed(store.what)],
      [{ text: plain(store.path, 400), style: 'mono' }],
      plainCell(store.nodes.length === 0 ? 'None declared' : names([...new Set(store.nodes)].sort(), 8)),
      askedCell(store, counts.get(`${store.name}\n${store.path}`) ?? 0),
    ]),
  )
}

function askedCell({ nodes }: EphiStore, unasked: number): Cell {
  const all = new Set(nodes).size
  if (all === 0) return plainCell('Not collected')
  const line: Line = { text: `On ${outOf(Math.max(0, all - unasked), all, 'node')}` }
  return [unasked === 0 ? line : { ...line, style: 'strong' }]
}

const flowTable = ({ flows }: Engagement['ephi']): Block =>
  headedTable(
    { Flow: 24, From: 22, To: 22, 'Protection, as declared': 32 },
    flows.map(({ name, from, to, protection }) => [
      [{ text: oneLine(name, 200), style: 'strong' }],
      typed(from, 300),
      typed(to, 300),
      typed(protection, 500),
    ]),
  )

const METHODS: Readonly<Record<SubserviceOrganization['method'], string>> = {
  'carve-out': 'Carve-out: their controls are excluded and listed as required',
  inclusive: 'Inclusive: their controls are part of the description and require their own assertion and evidence',
}

const CONTROL_TITLES: typeof METHODS = {
  'carve-out': 'Complementary subservice organization control',
  inclusive: 'Control of the subservice organization',
}

/** Subservice organizations (AT-C 205): each with its report, the uncovered time since, and its controls. */
function subserviceBlocks(matter: Matter, { subserviceOrganizations }: Engagement): readonly Block[] {
  return [
    heading(3, 'Subservice organizations', true),
    ...(subserviceOrganizations.length === 0 ? [text('None declared.')] : []),
    ...subserviceOrganizations.flatMap((one) => [
      heading(4, oneLine(one.name, 200)),
      factBlock([
        { label: 'Services', value: typed(one.services) },
        { label: 'Method', value: plainCell(METHODS[one.method]) },
        { label: 'Report on file', value: reportCell(one.report, matter.assessment.asOf) },
        { label: 'Declared', value: plainCell(byWhom(one)) },
      ]),
      ...controlBlocks(matter, one),
    ]),
  ]
}

function reportCell(report: SubserviceReport | null, asOf: string): Cell {
  if (report === null)
    return [{ text: 'None on file. This report contains no evidence of their controls.', style: 'strong' }]
  const { title, from, to, bridgedUntil } = report
  return [
    { text: oneLine(title, 300) },
    { text: `Period: ${dayOf(from)} to ${dayOf(to)}` },
    ...(bridgedUntil === null ? [] : [{ text: `Bridge letter until ${dayOf(bridgedUntil)}` }]),
    gapLine(bridgedUntil ?? to, asOf),
  ]
}

/** Coverage of the report on file up to the evaluation date. */
function gapLine(until: string, asOf: string): Line {
  const days = daysSince(until, asOf)
  if (days === null) return { text: 'Invalid period end date; uncovered time unknown', style: 'strong' }
  return days <= 0
    ? { text: 'Covers the evaluation date' }
    : { text: `Not covered: ${dayCount(days)} from then up to the evaluation date`, style: 'strong' }
}

const controlBlocks = (matter: Matter, { method, controls }: SubserviceOrganization): readonly Block[] =>
  controls.length === 0
    ? [text('No controls declared.')]
    : [
        table(
          { [CONTROL_TITLES[method]]: 60, 'Relevant to': 40 },
          controls.map((one) => [typed(one.text), relatedCell(matter, one)]),
        ),
      ]

/** Complementary user entity controls of a provider’s report, with the results of the mapped checks. */
function userEntityBlocks(matter: Matter, { complementaryUserEntityControls }: Engagement): readonly Block[] {
  const title = heading(3, 'Complementary user entity controls', true)
  if (complementaryUserEntityControls.length === 0)
    return [title, text('None declared. Provider reports usually assign such controls to customers.')]
  const whose = whoseWord(complementaryUserEntityControls)
  return [
    title,
    text(
      'The owner of each control concludes whether it is satisfied. Related check results are printed next to it, counted over all declared nodes.',
    ),
    table(
      { Control: 40, 'Relevant to': 24, 'Check results': 36 },
      complementaryUserEntityControls.map((one) => [
        [...statementCell(one), ...whose.inRow(one)],
        relatedCell(matter, one),
        answered(matter, one),
      ]),
    ),
    ...whose.beneath,
  ]
}

const statementCell = (one: ComplementaryUserEntityControl): Cell => [
  { text: `${oneLine(one.id, 60)}, from ${oneLine(one.of, 200)}`, style: 'strong' },
  ...typed(one.text),
]

const relatedCell = ({ catalog }: Matter, { controls }: { readonly controls: readonly ControlRef[] }): Cell =>
  controls.length === 0 ? plainCell('No control declared') : controls.map((row) => ({ text: itemName(catalog, row) }))

function answered({ catalog, tally }: Matter, { checks }: ComplementaryUserEntityControl): Cell {
  if (checks.length === 0) return plainCell('No mapped check; a document is required.')
  return checks.flatMap((id): readonly Line[] => {
    const check = catalog.checks.find((one) => one.id === id)
    if (check === undefined) return [{ text: `${plain(id, 100)}: not in this catalog, so not tested on any node` }]
    const counts = countLines(tally.overNodes(id)).map((line) => line.text)
    return [{ text: check.expected }, { text: counts.join(', '), style: 'quiet' }]
  })
}

/** `2026-05-14` as `14 May 2026`; text in another form is returned unchanged. */
export const dayOf = (written: string): string =>
  /^\d{4}-\d{2}-\d{2}$/.test(written) ? day(`${written}T00:00Z`) : plain(written, 40)

type Declared = { readonly owner: string; readonly on: string }

/** Who declared a part of the engagement, and when. */
export const declaredBy = (part: Declared): string => `Declared ${byWhom(part)}`

/** As declaredBy(), below a label that contains the verb. */
export const byWhom = ({ owner, on }: Declared): string => `by ${oneLine(owner, 200)} on ${dayOf(on)}`

/** Who declared the rows of a table: once below it where all have the same person and date, otherwise in each row. */
export function whoseWord(parts: readonly Declared[]): {
  readonly inRow: (part: Declared) => readonly Line[]
  readonly beneath: readonly Block[]
} {
  const [first, ...others] = parts
  const same = first !== undefined && others.every((part) => declaredBy(part) === declaredBy(first))
  return same
    ? { inRow: () => [], beneath: [quiet(`${declaredBy(first)}.`)] }
    : { inRow: (part) => [{ text: declaredBy(part), style: 'quiet' }], beneath: [] }
}

const DAY_MS = 86_400_000

/** Whole days from the end of a date until a time: null for an invalid date, negative for a future one. */
export function daysSince(written: string, asOf: string): number | null {
  const days = Math.floor((Date.parse(asOf) - Date.parse(`${written}T00:00:00.000Z`)) / DAY_MS)
  return Number.isNaN(days) ? null : days
}

/** Typed text as a table cell. */
export const typed = (words: string, max = 2000): Cell => plainCell(oneLine(words, max))

/** Several typed texts, one per line. */
const typedList = (words: readonly string[]): Cell =>
  words.length === 0 ? plainCell('None declared.') : words.map((one) => ({ text: oneLine(one, 500) }))

export type FactRows = readonly { readonly label: string; readonly value: Cell }[]

export const factBlock = (rows: FactRows): Block => ({ kind: 'facts', rows })

/** Entries of one kind printed in full; the others are in the pack. */
export const MOST_ENTRIES = 300

/** Statuses in the order of print: expired entries first, because they require action. */
const STATUS_ORDER: readonly EntryStatus[] = ['expired', 'in-force', 'not-begun', 'withdrawn']

/** Entries of the register by their status; a status that no entry has is left out. */
export const byStatus = <T extends Parameters<typeof statusOf>[0]>(entries: readonly T[], asOf: string) =>
  STATUS_ORDER.map((status) => ({
    status,
    entries: entries.filter((entry) => statusOf(entry, asOf) === status),
  })).filter((group) => group.entries.length > 0)

/** States where the remaining entries are. */
export const furtherEntries = (count: number): readonly Block[] =>
  count <= MOST_ENTRIES ? [] : [text(`${count - MOST_ENTRIES} more are in the pack, in ${PATHS.register}.`)]
