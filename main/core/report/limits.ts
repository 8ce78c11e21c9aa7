import type { Assessment } from '../../../schemas/types.ts'
import { PROPERTIES, propertyWords } from '../../../schemas/words.ts'
import type { Catalog } from '../catalog.ts'
import { compare } from '../recording.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, heading, plainCell, type Section, text } from './model.ts'
import { notFromNodesTable } from './not-from-nodes.ts'

const GENERAL: readonly string[] = [
  'One moment. Each answer describes the node when it was asked. Nothing here covers the time before, after or between collections.',
  'The node speaks for itself. Answers come from its own operating system. Whoever controls the kernel, the firmware or a layer beneath can make it answer falsely. To present a virtual machine as hardware, a provider would have to fake every sign named in section 3 so that they agree.',
  'Rights. Without administrator rights some questions could not be put. They count as not collected.',
  'The declared list. Nodes come from the fleet file of the person who ran the collection. A server that is not on it is not covered, and nothing here shows that the list is whole.',
  'Location. Distances come from signal times and from what people declared. They bound where a node can be; they do not name a building.',
  'Numbers. Where a check compares with a number, its verdict holds by that number. Section “What was compared against” names each with its source.',
  'Mappings. A mapping says that a check bears on an item. It is our reading. It does not show that the item is satisfied.',
  'People. Policies, contracts, training, reviews and physical access leave no trace on a server. They are listed as records to attach.',
  'The seal. A signature shows that the file is unchanged since it was signed, and which key signed it. A self-issued key does not show who holds it. The time of signing is shown only where a time-stamp token is attached.',
  'Secrets. Keys and passwords are never collected, so nothing here shows their quality or who knows them.',
]

/** What no reader should take from this report: the general limits, then the ceiling of each check. */
export function limitSection({ assessment, catalog }: Matter): Section {
  const rows = PROPERTIES.flatMap((property) =>
    catalog.checks
      .filter((check) => check.property === property)
      .map((check): readonly Cell[] => [
        [{ text: check.claim }, { text: `${propertyWords[property].label}, ${check.id}`, style: 'quiet' }],
        plainCell(check.limits),
      ]),
  )
  const blocks: Block[] = [
    heading(3, 'General limits'),
    { kind: 'list', items: GENERAL.map((words) => ({ text: words })) },
    heading(3, 'Limits of each check'),
    text('A supported check says what its claim says and no more.'),
    {
      kind: 'table',
      columns: [
        { title: 'Claim', width: 42 },
        { title: 'What support for it does not show', width: 58 },
      ],
      rows,
    },
    ...notFromNodesTable(catalog, assessment.scope.frameworks),
    ...absentChecks(assessment, catalog),
  ]
  return { id: 'limits', title: 'Limits', blocks }
}

/** Checks that mappings name and this catalog does not have: said once here, listed by id at each item. */
function absentChecks({ scope }: Assessment, { checks, frameworks, notFromNodes }: Catalog): readonly Block[] {
  const built = new Set([...checks, ...notFromNodes].map(({ id }) => id))
  const absent = new Map(
    frameworks
      .filter(({ id }) => scope.frameworks.includes(id))
      .flatMap(({ controls }) => controls.flatMap(({ supports }) => supports))
      .filter(({ check }) => !built.has(check))
      .map(({ check, shows }) => [check, shows]),
  )
  if (absent.size === 0) return []
  return [
    heading(3, 'Checks that this catalog version does not have'),
    text('The mappings name them because they would bear on an item. Each counts as not collected on every node.'),
    {
      kind: 'table',
      columns: [
        { title: 'Check', width: 42 },
        { title: 'What it would observe', width: 58 },
      ],
      rows: [...absent].sort(([a], [b]) => compare(a, b)).map(([check, shows]) => [plainCell(check), plainCell(shows)]),
    },
  ]
}
