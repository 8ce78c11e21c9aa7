import type { EngagementForm, EngagementLack, EngagementSection } from '../../../schemas/ipc-engagement.ts'
import type { ControlRef, Engagement } from '../../../schemas/types.ts'
import { isDay } from '../base/days.ts'
import { quote } from '../base/plain-text.ts'
import type { Control, Framework } from '../rules/framework.ts'

/** Names that an engagement may use. */
export interface KnownNames {
  readonly checks: ReadonlySet<unknown>
  /** Keys of controls by framework. */
  readonly rows: ReadonlyMap<unknown, ReadonlySet<unknown>>
}

/** A problem and its path in the document; `text` follows the name of the path. */
interface EngagementProblem {
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

type Part = (form: EngagementForm) => readonly string[]

/**
 * Problems that prevent the use of a form, by section, as instructions: missing values and, in complete sections, values that
 * do not match the calendar or the catalog. A form without problems matches the schema of an engagement.
 */
export function lacksIn(form: EngagementForm, known: KnownNames): readonly EngagementLack[] {
  const engagement: Engagement = { schema: 'barewitness.engagement/1', ...form, inventory: null }
  const problems = engagementProblems(engagement, known)
  return (Object.keys(PARTS) as EngagementSection[]).flatMap((section) => {
    const empty = PARTS[section](form)
    const wrong = problems.filter(({ path }) => sectionOf(path) === section).map(sentenceOf)
    return (empty.length > 0 ? empty : wrong).map((text) => ({ section, text }))
  })
}

const SECTION_OF: Readonly<Record<string, EngagementSection>> = {
  boundary: 'boundary',
  responsibilities: 'responsibilities',
  subserviceOrganizations: 'subservice',
  complementaryUserEntityControls: 'user-entity',
  ephi: 'ephi',
  population: 'population',
  signOff: 'sign-off',
}

const sectionOf = ([first]: EngagementProblem['path']): EngagementSection => SECTION_OF[String(first)] ?? 'who'

const ENTRY_WORDS: Readonly<Record<string, string>> = {
  responsibilities: 'Area',
  subserviceOrganizations: 'Organization',
  complementaryUserEntityControls: 'Control',
  signOff: 'Person',
}

const FIELD_WORDS: Readonly<Record<string, string>> = {
  on: 'the date',
  date: 'the date',
  fieldwork: 'the first day of fieldwork',
  from: 'the start date',
  to: 'the end date',
  bridgedUntil: 'the end date of the bridge letter',
  framework: 'a control',
  control: 'a control',
  checks: 'a check',
  nodes: 'a node',
}

/** A problem as a sentence: entry, field and error. */
function sentenceOf({ path, text }: EngagementProblem): string {
  const [list, at] = path
  const field = FIELD_WORDS[String(path.findLast((part) => typeof part === 'string'))] ?? 'a value'
  const entryWord = ENTRY_WORDS[String(list)]
  return entryWord !== undefined && typeof at === 'number'
    ? `${entryWord} ${at + 1}: ${field} ${text}.`
    : `${field.charAt(0).toUpperCase()}${field.slice(1)} ${text}.`
}

const isEmpty = (text: string): boolean => text.trim() === ''
const unless = (fits: boolean, text: string): readonly string[] => (fits ? [] : [text])
const given = (value: string, text: string): readonly string[] => unless(!isEmpty(value), text)

const owned = ({ owner, on }: { readonly owner: string; readonly on: string }): readonly string[] => [
  ...given(owner, 'Enter the owner of this section.'),
  ...given(on, 'Enter the date of the statement.'),
]
/** Missing values of one list entry, each sentence with the entry number. */
const entry = (what: string, at: number, lacks: readonly string[]): readonly string[] =>
  lacks.map((text) => `${what} ${at + 1}: ${text}`)
const ownedEntry = ({ owner, on }: { readonly owner: string; readonly on: string }): readonly string[] => [
  ...given(owner, 'enter its owner.'),
  ...given(on, 'enter its date.'),
]

const PARTS: Readonly<Record<EngagementSection, Part>> = {
  who: (form) => [
    ...given(form.entity, 'Enter the entity.'),
    ...given(form.audience, 'Enter the audience.'),
    ...given(form.purpose, 'Enter the purpose.'),
    ...(form.reportingBasis.kind === 'date'
      ? given(form.reportingBasis.date, 'Enter the as-of date.')
      : [
          ...given(form.reportingBasis.from, 'Enter the start date of the period.'),
          ...given(form.reportingBasis.to, 'Enter the end date of the period.'),
        ]),
    ...unless(form.distribution === null || !isEmpty(form.distribution), 'Enter the distribution, or leave it unset.'),
    ...owned(form),
  ],
  boundary: ({ boundary }) => [
    ...given(boundary.system, 'Enter the system description.'),
    ...boundary.services.flatMap((one, at) => entry('Service', at, given(one, 'enter its name.'))),
    ...boundary.sites.flatMap((one, at) => entry('Site', at, given(one, 'enter its name.'))),
    ...boundary.outside.flatMap(({ what, why }, at) =>
      entry('Exclusion', at, [...given(what, 'enter the excluded item.'), ...given(why, 'enter the rationale.')]),
    ),
    ...owned(boundary),
  ],
  responsibilities: ({ responsibilities }) =>
    responsibilities.flatMap((one, at) =>
      entry('Area', at, [
        ...given(one.area, 'enter its name.'),
        ...given(one.provider, 'enter the provider’s responsibility, or a dash for none.'),
        ...given(one.customer, 'enter the customer’s responsibility, or a dash for none.'),
        ...ownedEntry(one),
      ]),
    ),
  subservice: ({ subserviceOrganizations }) =>
    subserviceOrganizations.flatMap((one, at) =>
      entry('Organization', at, [
        ...given(one.name, 'enter its name.'),
        ...given(one.services, 'enter its services.'),
        ...(one.report === null
          ? []
          : [
              ...given(one.report.title, 'enter the title of its report.'),
              ...given(one.report.from, 'enter the start date of its report.'),
              ...given(one.report.to, 'enter the end date of its report.'),
              ...unless(one.report.bridgedUntil !== '', 'enter the end date of the bridge letter.'),
            ]),
        ...one.controls.flatMap(({ text }) => given(text, 'describe each of its controls.')),
        ...ownedEntry(one),
      ]),
    ),
  'user-entity': ({ complementaryUserEntityControls }) =>
    complementaryUserEntityControls.flatMap((one, at) =>
      entry('Control', at, [
        ...given(one.id, 'enter its number in the report.'),
        ...given(one.of, 'enter the organization whose report assigns it.'),
        ...given(one.text, 'describe the control.'),
        ...ownedEntry(one),
      ]),
    ),
  ephi: ({ ephi }) => [
    ...ephi.stores.flatMap((one, at) =>
      entry('ePHI location', at, [
        ...given(one.name, 'enter its name.'),
        ...unless(one.path.startsWith('/'), 'enter its path, beginning with a slash.'),
        ...given(one.what, 'describe its contents.'),
      ]),
    ),
    ...ephi.flows.flatMap((one, at) =>
      entry('Flow', at, [
        ...given(one.name, 'enter its name.'),
        ...given(one.from, 'enter its source.'),
        ...given(one.to, 'enter its destination.'),
        ...given(one.protection, 'enter its protection.'),
      ]),
    ),
    ...owned(ephi),
  ],
  population: ({ population }) => [
    ...given(population.source, 'Enter the source of the node list.'),
    ...owned(population),
  ],
  'sign-off': ({ signOff }) =>
    signOff.flatMap((one, at) =>
      entry('Person', at, [
        ...given(one.name, 'enter the name.'),
        ...given(one.title, 'enter the title.'),
        ...unless(one.on !== '', 'enter the date, or leave it unset.'),
      ]),
    ),
}
