import { checkSourceWords } from '../../../schemas/conclusion-words.ts'
import type { Assessment } from '../../../schemas/types.ts'
import { generalLimitation, PROPERTIES, propertyWords } from '../../../schemas/words.ts'
import { type Catalog, offNodeChecksOf } from '../../core/catalog.ts'
import type { Check } from '../../core/check.ts'
import { plain } from '../../core/plain-text.ts'
import { compare } from '../../core/recording.ts'
import { type Block, type Cell, heading, plainCell, type Section, text } from '../../core/report-document.ts'
import type { Matter } from './input.ts'
import { chosenFrameworks } from './items.ts'
import { see, titles } from './titles.ts'

/** Limits of every report, whatever it shows. */
export const GENERAL_LIMITS: readonly string[] = [
  'Point in time. Each capture describes the node at the time of collection. Not tested: operation before, after or between collections.',
  `Self-reported data. Captures come from the node’s own operating system. A party that controls the kernel, the firmware or a lower layer can falsify them. A provider with root access to the system image needs neither a hypervisor nor special skill to do so: ${see('isolation')} lists that adversary first.`,
  `Collector. User, computer and program that collected are what the collecting computer states; nothing verifies them. ${see('verification')} names them, and states where they are part of what is tested.`,
  'Privilege. Without administrator rights some probes could not run. The checks that require them count as not tested.',
  `Population. A server missing from every list is not covered. ${see('population')} states which lists were available and how they reconcile; a server omitted from all of them cannot be detected.`,
  `Location. Only round trips timed by the auditor bound the position of the SSH responder. They identify no building and do not show that the responder is the audited machine. Borders come from a public atlas at 1:10,000,000 and cover land only, at the accuracy of that scale. All other location evidence is a statement by a party; ${see('location')} names that party.`,
  `Thresholds. Where a check compares with a threshold, its verdict depends on that value. ${see('compared')} lists each threshold with its source.`,
  'Mappings. Roles and mappings are this tool’s interpretation and are not endorsed by HHS or AICPA. A mapping does not show that a control is satisfied.',
  `Documents. Policies, contracts, training, reviews and physical access cannot be tested on a server. ${see('records')} lists which documents are on file, who inspected them, and which are outstanding.`,
  'Seal. A valid signature shows that the file is unchanged since signing, and which key signed it. A self-issued key does not identify its holder. The time of signing is shown only where a time-stamp token is attached.',
  'Secrets. Keys and passwords are never collected. Not tested: their strength and who knows them.',
]

/** General limitations of the report. */
export const limitSection = (): Section => ({
  id: 'limits',
  title: titles.limits,
  flows: true,
  blocks: [
    text(generalLimitation('pack records')),
    { kind: 'list', items: GENERAL_LIMITS.map((words) => ({ text: words })) },
  ],
})

/** The limitations of the checks that decide a control without deviations, and what no server can answer. */
export const ceilingSection = (matter: Matter): Section => ({
  id: 'ceilings',
  title: titles.ceilings,
  blocks: [
    ...ceilings(matter),
    ...notFromNodesTable(matter.catalog, matter.assessment.scope.frameworks),
    ...absentChecks(matter.assessment, matter.catalog),
  ],
})

/** Checks that decide a control without deviations, on the evidence of which its conclusion rests. */
export function checksReliedOn(matter: Pick<Matter, 'assessment' | 'catalog' | 'tally'>): readonly Check[] {
  const current = new Set(chosenFrameworks(matter).current.map(({ id }) => id))
  const relied = new Set(
    matter.assessment.controls
      .filter(({ framework, server }) => current.has(framework) && server.state === 'no-deviations')
      .flatMap(({ checks }) =>
        checks.filter(({ satisfied, decides }) => decides && satisfied > 0).map(({ check }) => check),
      ),
  )
  return PROPERTIES.flatMap((property) => matter.tally.checksOf(property).filter(({ id }) => relied.has(id)))
}

/** Limitations matter most where no deviation was noted, so this lists the checks that decide such controls. */
function ceilings(matter: Matter): readonly Block[] {
  const rows = checksReliedOn(matter).map(({ id, property, expected, limitations }): readonly Cell[] => [
    [{ text: expected }, { text: `${propertyWords[property].label}, ${id}`, style: 'quiet' }],
    plainCell(limitations),
  ])
  return [
    heading(3, 'Limitations of checks for controls without deviations'),
    text(
      `A satisfied check shows its expected condition and nothing more. ${see('checks')} lists the limitations of every check; ${rows.length === 0 ? 'no control has a server part without deviations, so none is repeated here.' : 'those that decide a control without deviations are repeated here.'}`,
    ),
    ...(rows.length === 0
      ? []
      : [
          {
            kind: 'table',
            columns: [
              { title: 'Expected condition', width: 42 },
              { title: 'Limitations', width: 58 },
            ],
            rows,
          } as const,
        ]),
  ]
}

/** Mapped checks missing from this catalog: described once here, listed by ID at each control. */
function absentChecks({ scope }: Assessment, { checks, frameworks, offNodeChecks }: Catalog): readonly Block[] {
  const built = new Set([...checks, ...offNodeChecks].map(({ id }) => id))
  const absent = new Map(
    frameworks
      .filter(({ id }) => scope.frameworks.includes(id))
      .flatMap(({ controls }) => controls.flatMap(({ mappings }) => mappings))
      .filter(({ check }) => !built.has(check))
      .map(({ check, shows }) => [check, shows]),
  )
  if (absent.size === 0) return []
  return [
    heading(3, 'Mapped checks missing from this catalog version'),
    text(
      'The mappings refer to these checks, but this catalog does not contain them. Each counts as not tested on every node.',
    ),
    {
      kind: 'table',
      columns: [
        { title: 'Check', width: 42 },
        { title: 'Intended evidence', width: 58 },
      ],
      rows: [...absent]
        .sort(([a], [b]) => compare(a, b))
        .map(([check, shows]) => [plainCell(plain(check, 100)), plainCell(plain(shows, 1000))]),
    },
  ]
}

/** Mapped checks that cannot be tested on servers, each once, with the evidence they require. */
function notFromNodesTable(
  { offNodeChecks, frameworks, requests }: Catalog,
  chosen: readonly string[],
): readonly Block[] {
  const mappings = frameworks
    .filter(({ id }) => chosen.includes(id))
    .flatMap(({ controls }) => controls.flatMap((control) => control.mappings))
  const found = offNodeChecksOf({ offNodeChecks }, { mappings })
  if (found.length === 0) return []
  return [
    heading(3, 'Tests requiring evidence outside the servers'),
    text(
      'Controls require these tests. Each is satisfied by a document, the evidence pack, the run chain or the population reconciliation.',
    ),
    {
      kind: 'table',
      columns: [
        { title: 'Check', width: 24 },
        { title: 'Reason', width: 38 },
        { title: 'Evidence required', width: 38 },
      ],
      rows: found.map(({ id, source, why }) => [
        plainCell(id),
        plainCell(why),
        [
          { text: `${checkSourceWords[source]}.` },
          ...requests
            .filter(({ serves }) => source === 'document' && serves.includes(id))
            .map((request) => ({ text: `${request.id} ${request.title}` })),
        ],
      ]),
    },
  ]
}
