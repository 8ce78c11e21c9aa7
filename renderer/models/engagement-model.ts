import { categoryWords, shortFrameworkNames } from '../../schemas/conclusion-words.ts'
import {
  ENGAGEMENT_SECTIONS,
  type EngagementForm,
  type EngagementSection,
  type EngagementView,
} from '../../schemas/ipc-engagement.ts'
import type {
  ComplementaryUserEntityControl,
  ControlRef,
  EphiFlow,
  EphiStore,
  OutsideBoundary,
  Responsibility,
  SignOff,
  SubserviceControl,
  SubserviceOrganization,
} from '../../schemas/types.ts'
import { trimmedLines } from './text.ts'

/** An empty form; every date is today, and the population is that of the fleet file until it is changed. */
export const blankForm = (today: string, nodes: readonly string[] = []): EngagementForm => ({
  entity: '',
  audience: '',
  purpose: '',
  reportingBasis: { kind: 'date', date: today },
  fieldwork: null,
  categories: [],
  status: 'draft',
  distribution: null,
  owner: '',
  on: today,
  boundary: { system: '', services: [], sites: [], outside: [], owner: '', on: today },
  responsibilities: [],
  subserviceOrganizations: [],
  complementaryUserEntityControls: [],
  ephi: { stores: [], flows: [], owner: '', on: today },
  population: { source: '', nodes: [...nodes], owner: '', on: today },
  signOff: [],
})

/** Changes the owner of the engagement. Sections that had the same owner, or none, follow. */
export function withOwner(form: EngagementForm, owner: string): EngagementForm {
  const follows = <T extends Owned>(part: T): T =>
    part.owner === '' || part.owner === form.owner ? { ...part, owner } : part
  return {
    ...form,
    owner,
    boundary: follows(form.boundary),
    ephi: follows(form.ephi),
    population: follows(form.population),
  }
}

/** New list entries. The owner of a section is the default owner of its entries. */
export interface Owned {
  readonly owner: string
  readonly on: string
}

export const BLANK_OUTSIDE: OutsideBoundary = { what: '', why: '' }
export const blankArea = ({ owner, on }: Owned): Responsibility => ({ area: '', provider: '', customer: '', owner, on })
export const blankOrganization = ({ owner, on }: Owned): SubserviceOrganization => ({
  name: '',
  services: '',
  method: 'carve-out',
  report: null,
  controls: [],
  owner,
  on,
})
export const BLANK_SUBSERVICE_CONTROL: SubserviceControl = { text: '', controls: [] }
export const blankUserControl = ({ owner, on }: Owned): ComplementaryUserEntityControl => ({
  id: '',
  of: '',
  text: '',
  controls: [],
  checks: [],
  owner,
  on,
})
export const BLANK_STORE: EphiStore = { name: '', path: '', nodes: [], what: '' }
export const BLANK_FLOW: EphiFlow = { name: '', from: '', to: '', protection: '' }
export const BLANK_PERSON: SignOff = { role: 'approver', name: '', title: '', on: null }

/** SOC 2 categories that an engagement may elect, in the order of TSP section 100. Security is always in scope. */
export const ELECTIVE = ['availability', 'confidentiality', 'processing-integrity', 'privacy'] as const
type Elective = (typeof ELECTIVE)[number]

/** The elected categories, in order; none where the form predates this field. */
export const electedIn = ({ categories = [] }: Pick<EngagementForm, 'categories'>): readonly Elective[] =>
  ELECTIVE.filter((category) => categories.includes(category))

export const withCategory = (
  form: Pick<EngagementForm, 'categories'>,
  category: Elective,
  elected: boolean,
): readonly Elective[] => ELECTIVE.filter((one) => (one === category ? elected : electedIn(form).includes(one)))

/** “Security, Availability” */
export const categoriesLine = (form: Pick<EngagementForm, 'categories'>): string =>
  ['security', ...electedIn(form)].map((category) => categoryWords[category] ?? category).join(', ')

/** The part of a form that a section shows. */
function partOf(form: EngagementForm, section: EngagementSection): unknown {
  switch (section) {
    case 'who': {
      const { entity, audience, purpose, reportingBasis, fieldwork, status, distribution, owner, on } = form
      return {
        entity,
        audience,
        purpose,
        reportingBasis,
        fieldwork: fieldwork ?? null,
        categories: electedIn(form),
        status,
        distribution,
        owner,
        on,
      }
    }
    case 'boundary':
      return form.boundary
    case 'responsibilities':
      return form.responsibilities
    case 'subservice':
      return form.subserviceOrganizations
    case 'user-entity':
      return form.complementaryUserEntityControls
    case 'ephi':
      return form.ephi
    case 'population':
      return form.population
    case 'sign-off':
      return form.signOff
  }
}

/** Sections with unsaved changes. */
export const unsavedSections = (form: EngagementForm, saved: EngagementForm | null): ReadonlySet<EngagementSection> =>
  new Set(
    ENGAGEMENT_SECTIONS.filter(
      (section) => saved === null || JSON.stringify(partOf(form, section)) !== JSON.stringify(partOf(saved, section)),
    ),
  )

/** Members of a form that a section shows. */
const MEMBERS: Readonly<Record<EngagementSection, readonly (keyof EngagementForm)[]>> = {
  who: [
    ...(['entity', 'audience', 'purpose', 'reportingBasis', 'fieldwork', 'categories'] as const),
    ...(['status', 'distribution', 'owner', 'on'] as const),
  ],
  boundary: ['boundary'],
  responsibilities: ['responsibilities'],
  subservice: ['subserviceOrganizations'],
  'user-entity': ['complementaryUserEntityControls'],
  ephi: ['ephi'],
  population: ['population'],
  'sign-off': ['signOff'],
}

interface JoinedForm {
  /** The stored form with the sections that this person changed. */
  readonly form: EngagementForm
  /** Sections that both changed, and not in the same way. */
  readonly both: readonly EngagementSection[]
}

/** A form with one section of another one. */
export function withSectionOf(form: EngagementForm, from: EngagementForm, section: EngagementSection): EngagementForm {
  const isOf = ([name]: [string, unknown]): boolean => MEMBERS[section].includes(name as keyof EngagementForm)
  const members = [...Object.entries(form).filter((one) => !isOf(one)), ...Object.entries(from).filter(isOf)]
  return Object.fromEntries(members) as unknown as EngagementForm
}

/** Joins the changes that one person made to a known form with those that another person stored meanwhile; null: none is stored. */
export function joinedForm(form: EngagementForm, known: EngagementForm, stored: EngagementForm | null): JoinedForm {
  if (stored === null) return { form, both: [] }
  const [own, others] = [unsavedSections(form, known), unsavedSections(stored, known)]
  if (others.size === 0) return { form, both: [] }
  const different = unsavedSections(form, stored)
  return {
    form: [...own].reduce((joined, section) => withSectionOf(joined, form, section), stored),
    both: [...own].filter((section) => others.has(section) && different.has(section)),
  }
}

interface KeptForm {
  readonly form: EngagementForm
  /** The stored form that it was typed over; null where there was none. */
  readonly known: EngagementForm | null
}

/** Unsaved input, kept until the window closes, so that leaving the screen loses nothing. */
let kept: ({ readonly fleet: string } & KeptForm) | null = null

export const keptForm = (fleet: string): KeptForm | null => (kept?.fleet === fleet ? kept : null)
export const keepForm = (fleet: string, form: KeptForm): void => {
  kept = { fleet, ...form }
}

/** Drops a form once it is saved; a later one is kept. */
export const forgetForm = (form: EngagementForm | null): void => {
  if (form === null || kept?.form === form) kept = null
}

export type SectionState = 'unsaved' | 'missing' | 'complete' | 'empty'

/** The status of a section. A section that only holds a list may be empty. */
export function sectionState(
  form: EngagementForm,
  { lacks, form: saved }: Pick<EngagementView, 'lacks' | 'form'>,
  section: EngagementSection,
): { readonly is: SectionState; readonly lacks: readonly string[] } {
  const own = lacks.filter((lack) => lack.section === section).map(({ text }) => text)
  if (unsavedSections(form, saved).has(section)) return { is: 'unsaved', lacks: own }
  if (own.length > 0) return { is: 'missing', lacks: own }
  const part = partOf(form, section)
  return { is: Array.isArray(part) && part.length === 0 ? 'empty' : 'complete', lacks: [] }
}

/** One value per line; empty lines and duplicates are dropped. */
export const linesIn = (text: string): readonly string[] => [...new Set(trimmedLines(text))]
export const linesOf = (values: readonly string[]): string => values.join('\n')

/** Node names in lower case, as in fleet files; one per line, or separated by spaces and commas as in pasted lists. */
export const nodesIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[\s,;]+/)
      .filter((name) => name !== ''),
  ),
]

/** Controls as people write them: the key with its framework, or framework and id separated by a space. One per line. */
export const rowsIn = (text: string): readonly ControlRef[] =>
  linesIn(text).flatMap((line): readonly ControlRef[] => {
    const parted = /^([a-z0-9][a-z0-9.-]*)(?:(:)|\s+)(.+)$/i.exec(line)
    if (parted === null) return [{ framework: 'unknown', control: line.slice(0, 100) }]
    const framework = (parted[1] ?? '').toLowerCase().slice(0, 40)
    return [{ framework, control: (parted[2] === undefined ? (parted[3] ?? '') : line).slice(0, 100) }]
  })
export const rowsText = (rows: readonly ControlRef[]): string =>
  rows
    .map(({ framework, control }) => {
      if (control.startsWith(`${framework}:`)) return control
      return framework === 'unknown' ? control : `${framework} ${control}`
    })
    .join('\n')

/** Controls as they are read: "SOC 2 CC6.1, HIPAA 164.310(a)(1)". */
export const rowsShown = (rows: readonly ControlRef[]): string =>
  rows
    .map(({ framework, control }) => {
      const id = control.startsWith(`${framework}:`) ? control.slice(framework.length + 1) : control
      return framework === 'unknown' ? id : `${shortFrameworkNames[framework] ?? framework} ${id}`
    })
    .join(', ')

/** The names of a fleet that a declared population does not list, in the order of the fleet. */
export const notIn = (listed: readonly string[], names: readonly string[]): readonly string[] => {
  const known = new Set(listed)
  return names.filter((name) => !known.has(name))
}

/** A list with the entry at an index replaced or removed. */
export const replacedAt = <T>(items: readonly T[], at: number, item: T): readonly T[] =>
  items.map((one, index) => (index === at ? item : one))
export const without = <T>(items: readonly T[], at: number): readonly T[] => items.filter((_, index) => index !== at)
