import type {
  ComplementaryUserEntityControl,
  Engagement,
  SubserviceOrganization,
  SubserviceReport,
} from '../../../schemas/types.ts'
import { plural } from '../../core/phrases.ts'
import { oneLine, plain } from '../../core/plain-text.ts'
import { type Block, type Cell, heading, type Line, plainCell, text } from '../../core/report-document.ts'
import { dayOf, daysSince, declaredBy, factBlock, typed, whoseWord } from './declared.ts'
import type { Matter } from './input.ts'
import { itemName } from './items.ts'
import { countLines } from './wording.ts'

const METHODS: Readonly<Record<SubserviceOrganization['method'], string>> = {
  'carve-out': 'Carve-out: their controls are excluded and listed as required',
  inclusive: 'Inclusive: their controls are part of the description and require their own assertion and evidence',
}

/** Subservice organizations (AT-C 205): each with its report, the uncovered time since, and its controls. */
export function subserviceBlocks(matter: Matter, { subserviceOrganizations }: Engagement): readonly Block[] {
  return [
    heading(3, 'Subservice organizations', true),
    ...(subserviceOrganizations.length === 0 ? [text('None declared.')] : []),
    ...subserviceOrganizations.flatMap((one) => [
      heading(4, oneLine(one.name, 200)),
      factBlock([
        { label: 'Services', value: typed(one.services) },
        { label: 'Method', value: plainCell(METHODS[one.method]) },
        { label: 'Report on file', value: reportCell(one.report, matter.assessment.asOf) },
        { label: 'Declared', value: plainCell(declaredBy(one)) },
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
    : { text: `Not covered since: ${plural(days, 'day')} up to the evaluation date`, style: 'strong' }
}

const controlBlocks = (matter: Matter, { method, controls }: SubserviceOrganization): readonly Block[] =>
  controls.length === 0
    ? [text('No controls declared.')]
    : [
        {
          kind: 'table',
          columns: [
            {
              title:
                method === 'carve-out'
                  ? 'Complementary subservice organization control'
                  : 'Control of the subservice organization',
              width: 60,
            },
            { title: 'Relevant to', width: 40 },
          ],
          rows: controls.map(({ text: says, controls: rows }) => [
            typed(says),
            rows.length === 0
              ? plainCell('No control declared')
              : rows.map((row) => ({ text: itemName(matter.catalog, row) })),
          ]),
        },
      ]

/** Complementary user entity controls of a provider’s report, with the results of the mapped checks. */
export function userEntityBlocks(matter: Matter, { complementaryUserEntityControls }: Engagement): readonly Block[] {
  const title = heading(3, 'Complementary user entity controls', true)
  if (complementaryUserEntityControls.length === 0)
    return [title, text('None declared. Provider reports usually assign such controls to customers.')]
  const whose = whoseWord(complementaryUserEntityControls)
  return [
    title,
    text('The owner of each control concludes whether it is satisfied. Related check results are printed next to it.'),
    {
      kind: 'table',
      columns: [
        { title: 'Control', width: 40 },
        { title: 'Relevant to', width: 24 },
        { title: 'Check results', width: 36 },
      ],
      rows: complementaryUserEntityControls.map((one) => [
        [...saysCell(one), ...whose.inRow(one)],
        bearsCell(matter, one),
        answered(matter, one),
      ]),
    },
    ...whose.beneath,
  ]
}

const saysCell = (one: ComplementaryUserEntityControl): Cell => [
  { text: `${oneLine(one.id, 60)}, from ${oneLine(one.of, 200)}`, style: 'strong' },
  ...typed(one.text),
]

const bearsCell = ({ catalog }: Matter, { controls }: ComplementaryUserEntityControl): Cell =>
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
