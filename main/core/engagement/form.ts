import type { EngagementForm, EngagementLack, EngagementSection } from '../../../schemas/ipc-engagement.ts'
import type { Engagement } from '../../../schemas/types.ts'
import { type EngagementProblem, engagementProblems, type KnownNames } from './problems.ts'

type Part = (form: EngagementForm) => readonly string[]

/**
 * What keeps a form from counting, by section, as sentences that say what to do: what is empty, and of sections where nothing is, what
 * does not fit the calendar or the catalog. A form without a lack fits the schema of an engagement.
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
  userEntityControls: 'user-entity',
  ephi: 'ephi',
  population: 'population',
  signOff: 'sign-off',
}
const sectionOf = ([first]: EngagementProblem['path']): EngagementSection => SECTION_OF[String(first)] ?? 'who'

const ENTRY_WORDS: Readonly<Record<string, string>> = {
  responsibilities: 'Area',
  subserviceOrganizations: 'Organization',
  userEntityControls: 'Control',
  signOff: 'Person',
}
const FIELD_WORDS: Readonly<Record<string, string>> = {
  on: 'the day',
  date: 'the date',
  from: 'the first day',
  to: 'the last day',
  bridgedUntil: 'the day that the bridge letter reaches',
  framework: 'a row',
  control: 'a row',
  checks: 'a check',
  nodes: 'a node',
}

/** A problem as a sentence: which entry, which field, and what is wrong with it. */
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
  ...given(owner, 'Name the owner of this section.'),
  ...given(on, 'Give the day on which it was stated.'),
]
/** What is missing in one entry of a list, each sentence with the number of the entry. */
const entry = (what: string, at: number, lacks: readonly string[]): readonly string[] =>
  lacks.map((text) => `${what} ${at + 1}: ${text}`)
const ownedEntry = ({ owner, on }: { readonly owner: string; readonly on: string }): readonly string[] => [
  ...given(owner, 'name its owner.'),
  ...given(on, 'give its day.'),
]

const PARTS: Readonly<Record<EngagementSection, Part>> = {
  who: (form) => [
    ...given(form.entity, 'Name the entity.'),
    ...given(form.audience, 'Say who will read it.'),
    ...given(form.purpose, 'Say what it is for.'),
    ...(form.framing.kind === 'date'
      ? given(form.framing.date, 'Give the date that it is about.')
      : [
          ...given(form.framing.from, 'Give the first day of the period.'),
          ...given(form.framing.to, 'Give the last day of the period.'),
        ]),
    ...unless(form.distribution === null || !isEmpty(form.distribution), 'Say who may get it, or leave that open.'),
    ...owned(form),
  ],
  boundary: ({ boundary }) => [
    ...given(boundary.system, 'Say what the system is.'),
    ...boundary.services.flatMap((one, at) => entry('Service', at, given(one, 'name it.'))),
    ...boundary.sites.flatMap((one, at) => entry('Site', at, given(one, 'name it.'))),
    ...boundary.outside.flatMap(({ what, why }, at) =>
      entry('Left out', at, [...given(what, 'say what it is.'), ...given(why, 'say why.')]),
    ),
    ...owned(boundary),
  ],
  responsibilities: ({ responsibilities }) =>
    responsibilities.flatMap((one, at) =>
      entry('Area', at, [
        ...given(one.area, 'name it.'),
        ...given(one.provider, 'say what the provider does; a dash stands for nobody.'),
        ...given(one.customer, 'say what the customer does; a dash stands for nobody.'),
        ...ownedEntry(one),
      ]),
    ),
  subservice: ({ subserviceOrganizations }) =>
    subserviceOrganizations.flatMap((one, at) =>
      entry('Organization', at, [
        ...given(one.name, 'name it.'),
        ...given(one.services, 'say what it does.'),
        ...(one.report === null
          ? []
          : [
              ...given(one.report.title, 'give the title of its report.'),
              ...given(one.report.from, 'give the first day of its report.'),
              ...given(one.report.to, 'give the last day of its report.'),
              ...unless(one.report.bridgedUntil !== '', 'give the day that the bridge letter reaches.'),
            ]),
        ...one.controls.flatMap(({ says }) => given(says, 'say what each of its controls does.')),
        ...ownedEntry(one),
      ]),
    ),
  'user-entity': ({ userEntityControls }) =>
    userEntityControls.flatMap((one, at) =>
      entry('Control', at, [
        ...given(one.id, 'give the number that the report gives it.'),
        ...given(one.of, 'say whose report assigns it.'),
        ...given(one.says, 'say what it asks.'),
        ...ownedEntry(one),
      ]),
    ),
  ephi: ({ ephi }) => [
    ...ephi.stores.flatMap((one, at) =>
      entry('Store', at, [
        ...given(one.name, 'name it.'),
        ...unless(one.path.startsWith('/'), 'give its path, which begins with a slash.'),
        ...given(one.what, 'say what it holds.'),
      ]),
    ),
    ...ephi.flows.flatMap((one, at) =>
      entry('Flow', at, [
        ...given(one.name, 'name it.'),
        ...given(one.from, 'say where it begins.'),
        ...given(one.to, 'say where it ends.'),
        ...given(one.protection, 'say how it is protected.'),
      ]),
    ),
    ...owned(ephi),
  ],
  population: ({ population }) => [
    ...given(population.source, 'Say where the list of nodes comes from.'),
    ...owned(population),
  ],
  'sign-off': ({ signOff }) =>
    signOff.flatMap((one, at) =>
      entry('Person', at, [
        ...given(one.name, 'give the name.'),
        ...given(one.title, 'give the title.'),
        ...unless(one.on !== '', 'give the day, or leave it open.'),
      ]),
    ),
}
