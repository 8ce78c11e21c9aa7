import type { Assessment } from '../../../schemas/types.ts'
import { PROPERTIES, propertyWords, standingLimitation } from '../../../schemas/words.ts'
import type { Catalog } from '../catalog.ts'
import { plain } from '../plain-text.ts'
import { compare } from '../recording.ts'
import type { Matter } from './input.ts'
import { chosenFrameworks } from './items.ts'
import { type Block, type Cell, heading, plainCell, type Section, text } from './model.ts'
import { notFromNodesTable } from './not-from-nodes.ts'
import { see, titles } from './titles.ts'

const GENERAL: readonly string[] = [
  'One moment. Each answer describes the node when it was asked. Nothing here covers the time before, after or between collections.',
  `The node speaks for itself. Answers come from its own operating system. Whoever controls the kernel, the firmware or a layer beneath can make it answer falsely. A provider with root in the image needs no hypervisor for it and no skill: ${see('isolation')} names that adversary first.`,
  'Rights. Without administrator rights some questions could not be put. They count as not collected.',
  `The declared list. A server that stands in no list is not covered. ${see('population')} says which lists there were and how they agree; that all of them leave the same server out cannot be seen.`,
  `Location. Only round trips that the auditor timed bound where the answering party can be; they name no building, and do not show that it is the audited machine. Borders are those of a public atlas at 1:10,000,000: land alone, and as far as its scale goes. Everything else is a statement by somebody; ${see('location')} tells whose.`,
  `Numbers. Where a check compares with a number, its verdict holds by that number. ${see('compared')} names each with its source.`,
  'Mappings. Roles and mappings are this tool’s interpretation and are not endorsed by HHS or AICPA. They do not show that a control is satisfied.',
  `Documents. Policies, contracts, training, reviews and physical access cannot be tested on a server. ${see('records')} lists which documents are on file, who inspected them, and which are outstanding.`,
  'The seal. A signature shows that the file is unchanged since it was signed, and which key signed it. A self-issued key does not show who holds it. The time of signing is shown only where a time-stamp token is attached.',
  'Secrets. Keys and passwords are never collected, so nothing here shows their quality or who knows them.',
]

/** What no reader should take from this report: the general limits, then the ceilings of the checks that carry an item here. */
export function limitSection(matter: Matter): Section {
  const { assessment, catalog } = matter
  return {
    id: 'limits',
    title: titles.limits,
    blocks: [
      text(standingLimitation('pack records')),
      heading(3, 'General limits'),
      { kind: 'list', items: GENERAL.map((words) => ({ text: words })) },
      ...ceilings(matter),
      ...notFromNodesTable(catalog, assessment.scope.frameworks),
      ...absentChecks(assessment, catalog),
    ],
  }
}

/** Limits matter where no deviation was found: of the checks that decide controls without one. */
function ceilings(matter: Matter): readonly Block[] {
  const current = new Set(chosenFrameworks(matter).current.map(({ id }) => id))
  const relied = new Set(
    matter.assessment.controls
      .filter(({ framework, server }) => current.has(framework) && server.state === 'no-deviations')
      .flatMap(({ checks }) => checks.filter(({ met, decides }) => decides && met > 0).map(({ check }) => check)),
  )
  const rows = PROPERTIES.flatMap((property) =>
    matter.tally
      .checksOf(property)
      .filter(({ id }) => relied.has(id))
      .map((check): readonly Cell[] => [
        [{ text: check.claim }, { text: `${propertyWords[property].label}, ${check.id}`, style: 'quiet' }],
        plainCell(check.limits),
      ]),
  )
  return [
    heading(3, 'Limits of the checks behind controls without deviations'),
    text(
      `A satisfied check shows its claim and no more. ${see('checks')} has the limit of every check; ${rows.length === 0 ? 'no control has a server part without deviations, so none is listed here.' : 'here are those that decide a control without deviations.'}`,
    ),
    ...(rows.length === 0
      ? []
      : [
          {
            kind: 'table',
            columns: [
              { title: 'Claim', width: 42 },
              { title: 'What support for it does not show', width: 58 },
            ],
            rows,
          } as const,
        ]),
  ]
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
    text('The mappings name them because controls would ask for them. Each counts as not tested on every node.'),
    {
      kind: 'table',
      columns: [
        { title: 'Check', width: 42 },
        { title: 'What it would observe', width: 58 },
      ],
      rows: [...absent]
        .sort(([a], [b]) => compare(a, b))
        .map(([check, shows]) => [plainCell(plain(check, 100)), plainCell(plain(shows, 1000))]),
    },
  ]
}
