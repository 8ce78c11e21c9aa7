import type { Engagement, SubserviceOrganization, SubserviceReport, UserEntityControl } from '../../../schemas/types.ts'
import { oneLine, plain } from '../plain-text.ts'
import { dayOf, daysSince, declaredBy, factBlock, typed, whoseWord } from './declared.ts'
import type { Matter } from './input.ts'
import { itemName } from './items.ts'
import { type Block, type Cell, heading, type Line, plainCell, text } from './model.ts'
import { countLines, plural } from './wording.ts'

const METHODS: Readonly<Record<SubserviceOrganization['method'], string>> = {
  'carve-out': 'Carved out: their controls are not covered here, and are listed as needed besides',
  inclusive: 'Inclusive: their controls belong to what is described, and take their own assertion and evidence',
}

/** Organizations whose controls are needed besides one’s own (AT-C 205): each with its report, the gap to today, and those controls. */
export function subserviceBlocks(matter: Matter, { subserviceOrganizations }: Engagement): readonly Block[] {
  return [
    heading(3, 'Subservice organizations', true),
    ...(subserviceOrganizations.length === 0 ? [text('None was declared.')] : []),
    ...subserviceOrganizations.flatMap((one) => [
      heading(4, oneLine(one.name, 200)),
      factBlock([
        { label: 'Services', value: typed(one.services) },
        { label: 'Method', value: plainCell(METHODS[one.method]) },
        { label: 'Report at hand', value: reportCell(one.report, matter.assessment.asOf) },
        { label: 'Declared', value: plainCell(declaredBy(one)) },
      ]),
      ...controlBlocks(matter, one),
    ]),
  ]
}

function reportCell(report: SubserviceReport | null, asOf: string): Cell {
  if (report === null)
    return [{ text: 'None at hand. Their controls rest on nothing in this report.', style: 'strong' }]
  const { title, from, to, bridgedUntil } = report
  return [
    { text: oneLine(title, 300) },
    { text: `Period: ${dayOf(from)} to ${dayOf(to)}` },
    ...(bridgedUntil === null ? [] : [{ text: `A letter bridges until ${dayOf(bridgedUntil)}` }]),
    gapLine(bridgedUntil ?? to, asOf),
  ]
}

/** How far what is at hand reaches, against the moment that everything is judged by. */
function gapLine(until: string, asOf: string): Line {
  const days = daysSince(until, asOf)
  if (days === null)
    return { text: 'The end of its period is no day, so the gap to today is not known', style: 'strong' }
  return days <= 0
    ? { text: 'It reaches the day this report is judged by' }
    : { text: `Not covered since: ${plural(days, 'day')} up to the day this report is judged by`, style: 'strong' }
}

const controlBlocks = (matter: Matter, { method, controls }: SubserviceOrganization): readonly Block[] =>
  controls.length === 0
    ? [text('No control of theirs was named.')]
    : [
        {
          kind: 'table',
          columns: [
            {
              title:
                method === 'carve-out'
                  ? 'Complementary control that is theirs to run'
                  : 'Control that is theirs to run',
              width: 60,
            },
            { title: 'Bears on', width: 40 },
          ],
          rows: controls.map(({ says, rows }) => [
            typed(says),
            rows.length === 0
              ? plainCell('No item was named')
              : rows.map((row) => ({ text: itemName(matter.catalog, row) })),
          ]),
        },
      ]

/** What a provider’s report assigns to its customers, with how the checks that bear on it stand. */
export function userEntityBlocks(matter: Matter, { userEntityControls }: Engagement): readonly Block[] {
  const title = heading(3, 'User-entity controls', true)
  if (userEntityControls.length === 0)
    return [title, text('None was declared. A provider’s report usually assigns some to its customers.')]
  const whose = whoseWord(userEntityControls)
  return [
    title,
    text('Whether such a control is met is for its owner to say. Beside it stands what the nodes answered.'),
    {
      kind: 'table',
      columns: [
        { title: 'Control', width: 40 },
        { title: 'Bears on', width: 24 },
        { title: 'What nodes answered', width: 36 },
      ],
      rows: userEntityControls.map((one) => [
        [...saysCell(one), ...whose.inRow(one)],
        bearsCell(matter, one),
        answered(matter, one),
      ]),
    },
    ...whose.beneath,
  ]
}

const saysCell = (one: UserEntityControl): Cell => [
  { text: `${oneLine(one.id, 60)}, from ${oneLine(one.of, 200)}`, style: 'strong' },
  ...typed(one.says),
]

const bearsCell = ({ catalog }: Matter, { rows }: UserEntityControl): Cell =>
  rows.length === 0 ? plainCell('No item was named') : rows.map((row) => ({ text: itemName(catalog, row) }))

function answered({ catalog, tally }: Matter, { checks }: UserEntityControl): Cell {
  if (checks.length === 0) return plainCell('No check bears on it; it takes a record.')
  return checks.flatMap((id): readonly Line[] => {
    const check = catalog.checks.find((one) => one.id === id)
    if (check === undefined) return [{ text: `${plain(id, 100)}: not in this catalog, so not collected on any node` }]
    return [{ text: check.claim }, ...countLines(tally.overNodes(id))]
  })
}
