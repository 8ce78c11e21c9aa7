import type { ControlRef, Engagement } from '../../../schemas/types.ts'
import type { Control, Framework } from '../framework.ts'
import { quote } from '../plain-text.ts'
import { isDay } from '../register/days.ts'

/** Names that an engagement may use. */
export interface KnownNames {
  readonly checks: ReadonlySet<unknown>
  /** Keys of controls by framework. */
  readonly rows: ReadonlyMap<unknown, ReadonlySet<unknown>>
}

/** A problem and its path in the document; `text` follows the name of the path. */
export interface EngagementProblem {
  readonly path: readonly (string | number)[]
  readonly text: string
}

export const namesOf = (
  checks: readonly { readonly id: unknown }[],
  frameworks: readonly { readonly id: unknown; readonly controls: readonly { readonly key: unknown }[] }[],
): KnownNames => ({
  checks: new Set(checks.map(({ id }) => id)),
  rows: new Map(frameworks.map(({ id, controls }) => [id, new Set(controls.map(({ key }) => key))])),
})

/** Every problem of an engagement that fits its schema and that a schema cannot express. */
export const engagementProblems = (engagement: Engagement, known: KnownNames): readonly EngagementProblem[] => [
  ...dayProblems(engagement),
  ...twice(['population', 'nodes'], engagement.population.nodes),
  ...twice(['inventory', 'excluded'], engagement.inventory?.excluded.map(({ id }) => id) ?? [], ['id']),
  ...exclusionProblems(engagement),
  ...engagement.subserviceOrganizations.flatMap(({ controls }, at) =>
    controls.flatMap(({ controls: rows }, index) =>
      rowProblems(['subserviceOrganizations', at, 'controls', index, 'controls'], rows, known),
    ),
  ),
  ...engagement.complementaryUserEntityControls.flatMap(({ controls: rows, checks }, at) => [
    ...rowProblems(['complementaryUserEntityControls', at, 'controls'], rows, known),
    ...checks.flatMap((check, index) =>
      known.checks.has(check)
        ? []
        : [
            {
              path: ['complementaryUserEntityControls', at, 'checks', index],
              text: `is ${quote(check)}, a check that is not in the catalog`,
            },
          ],
    ),
  ]),
]

function rowProblems(
  path: EngagementProblem['path'],
  rows: readonly ControlRef[],
  known: KnownNames,
): readonly EngagementProblem[] {
  return rows.flatMap(({ framework, control }, index) => {
    const keys = known.rows.get(framework)
    if (keys === undefined)
      return [
        {
          path: [...path, index, 'framework'],
          text: `is ${quote(framework)}, a framework that is not in the catalog`,
        },
      ]
    return keys.has(control)
      ? []
      : [{ path: [...path, index, 'control'], text: `is ${quote(control)}, which is not in ${quote(framework)}` }]
  })
}

/** A typed control reference with its ID replaced by the control key. Other values are unchanged. */
function rowMeant(row: ControlRef, frameworks: readonly Framework[]): ControlRef {
  const controls = frameworks.find(({ id }) => id === row.framework)?.controls ?? []
  if (controls.some(({ key }) => key === row.control)) return row
  const [meant, another] = controls.filter(({ id }: Control) => id.toLowerCase() === row.control.trim().toLowerCase())
  return meant === undefined || another !== undefined ? row : { ...row, control: meant.key }
}

/** Control references by key, also where the printed ID was typed. */
export function withRowKeys<T extends Pick<Engagement, 'subserviceOrganizations' | 'complementaryUserEntityControls'>>(
  declared: T,
  frameworks: readonly Framework[],
): T {
  const meant = (rows: readonly ControlRef[]): readonly ControlRef[] => rows.map((row) => rowMeant(row, frameworks))
  return {
    ...declared,
    subserviceOrganizations: declared.subserviceOrganizations.map((one) => ({
      ...one,
      controls: one.controls.map((control) => ({ ...control, controls: meant(control.controls) })),
    })),
    complementaryUserEntityControls: declared.complementaryUserEntityControls.map((one) => ({
      ...one,
      controls: meant(one.controls),
    })),
  }
}

function exclusionProblems({ inventory }: Engagement): readonly EngagementProblem[] {
  if (inventory === null) return []
  const ids = new Set(inventory.rows.map(({ id }) => id))
  return inventory.excluded.flatMap(({ id }, at) =>
    ids.has(id)
      ? []
      : [
          {
            path: ['inventory', 'excluded', at, 'id'],
            text: `is ${quote(id)}, which is not a row ID in ${quote(inventory.file.name)}`,
          },
        ],
  )
}

function twice(
  path: EngagementProblem['path'],
  names: readonly string[],
  below: EngagementProblem['path'] = [],
): readonly EngagementProblem[] {
  const seen = new Set<string>()
  return names.flatMap((name, at) => {
    if (seen.has(name)) return [{ path: [...path, at, ...below], text: `is ${quote(name)}, which occurs twice` }]
    seen.add(name)
    return []
  })
}

/** Invalid dates, and periods that end before they begin. */
function dayProblems(engagement: Engagement): readonly EngagementProblem[] {
  const { reportingBasis, subserviceOrganizations } = engagement
  const reports = subserviceOrganizations.flatMap(({ report }, at) =>
    report === null ? [] : [{ path: ['subserviceOrganizations', at, 'report'], report }],
  )
  return [
    ...daysIn(engagement)
      .filter(({ day }) => !isDay(day))
      .map(({ path, day }) => ({ path, text: `is ${quote(day)}, which is not a valid date` })),
    ...(reportingBasis.kind === 'period' ? backwards(['reportingBasis'], reportingBasis) : []),
    ...reports.flatMap(({ path, report }) => [
      ...backwards(path, report),
      ...(report.bridgedUntil !== null && report.bridgedUntil < report.to
        ? [{ path: [...path, 'bridgedUntil'], text: `is before the end date of the report, ${quote(report.to)}` }]
        : []),
    ]),
  ]
}

const backwards = (
  path: EngagementProblem['path'],
  { from, to }: { readonly from: string; readonly to: string },
): readonly EngagementProblem[] =>
  from <= to ? [] : [{ path: [...path, 'to'], text: `is ${quote(to)}, before the start date, ${quote(from)}` }]

interface PlacedDay {
  readonly path: EngagementProblem['path']
  readonly day: string
}

function daysIn(engagement: Engagement): readonly PlacedDay[] {
  const {
    reportingBasis,
    fieldwork = null,
    responsibilities,
    subserviceOrganizations,
    complementaryUserEntityControls,
    signOff,
  } = engagement
  const ofEach = (field: string, parts: readonly { readonly on: string | null }[]): readonly PlacedDay[] =>
    parts.flatMap(({ on }, at) => (on === null ? [] : [{ path: [field, at, 'on'], day: on }]))
  const spans = [
    ...(reportingBasis.kind === 'period' ? [{ path: ['reportingBasis'], ...reportingBasis }] : []),
    ...subserviceOrganizations.flatMap(({ report }, at) =>
      report === null ? [] : [{ path: ['subserviceOrganizations', at, 'report'], ...report }],
    ),
  ]
  return [
    { path: ['on'], day: engagement.on },
    ...(fieldwork === null ? [] : [{ path: ['fieldwork'], day: fieldwork }]),
    ...(reportingBasis.kind === 'date' ? [{ path: ['reportingBasis', 'date'], day: reportingBasis.date }] : []),
    ...spans.flatMap(({ path, from, to }) => [
      { path: [...path, 'from'], day: from },
      { path: [...path, 'to'], day: to },
    ]),
    ...subserviceOrganizations.flatMap(({ report }, at) =>
      report === null || report.bridgedUntil === null
        ? []
        : [{ path: ['subserviceOrganizations', at, 'report', 'bridgedUntil'], day: report.bridgedUntil }],
    ),
    ...(['boundary', 'ephi', 'population', 'inventory'] as const).flatMap((field) => {
      const part = engagement[field]
      return part === null ? [] : [{ path: [field, 'on'], day: part.on }]
    }),
    ...ofEach('responsibilities', responsibilities),
    ...ofEach('subserviceOrganizations', subserviceOrganizations),
    ...ofEach('complementaryUserEntityControls', complementaryUserEntityControls),
    ...ofEach('signOff', signOff),
  ]
}
