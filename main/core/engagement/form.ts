import type { EngagementForm, EngagementLack, EngagementSection } from '../../../schemas/ipc-engagement.ts'
import type { Engagement } from '../../../schemas/types.ts'
import { type EngagementProblem, engagementProblems, type KnownNames } from './problems.ts'

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
