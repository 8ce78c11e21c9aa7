import {
  type DeclarationsView,
  type FieldProblem,
  FLEET_SECTIONS,
  type FleetSection,
  NODE_SECTIONS,
  type NodeSection,
  type SectionName,
  type SectionValue,
} from '../../schemas/ipc-declarations.ts'
import type { Place } from '../../schemas/types.ts'
import { formOf, valueText } from './declaration-forms.ts'
import { firstUp, trimmedLines, visible } from './text.ts'

export const FLEET_SECTION_NAMES = Object.keys(FLEET_SECTIONS) as readonly FleetSection[]
export const NODE_SECTION_NAMES = Object.keys(NODE_SECTIONS) as readonly NodeSection[]

/**
 * The stored value of a section. For several nodes, it has the members that all of them declare alike; `differs`
 * lists the others, which saving would replace.
 */
export function storedValue(
  { fleet }: Pick<DeclarationsView, 'fleet'>,
  section: SectionName,
  nodes: readonly string[],
): { readonly value: SectionValue; readonly differs: readonly string[] } {
  const isOfNodes = Object.hasOwn(NODE_SECTIONS, section)
  const members: readonly string[] = isOfNodes
    ? NODE_SECTIONS[section as NodeSection]
    : FLEET_SECTIONS[section as FleetSection]
  const meant = new Set(nodes)
  const wholes = (isOfNodes ? fleet.nodes.filter(({ name }) => meant.has(name)) : [fleet]) as readonly object[]
  const values = members.map((member) => {
    const all = wholes.map((whole) => (whole as Record<string, unknown>)[member])
    const first = JSON.stringify(all[0])
    return { member, value: all[0], same: all.every((one) => JSON.stringify(one) === first) }
  })
  return {
    value: Object.fromEntries(
      values.flatMap(({ member, value, same }) => (same && value !== undefined ? [[member, value]] : [])),
    ),
    differs: values.flatMap(({ member, same }) => (same ? [] : [member])),
  }
}

/** Removes what was left empty: texts, lists, groups, and entries of lists in which nothing was entered. */
function withoutEmpty(value: unknown): unknown {
  if (value === '' || value === null) return undefined
  if (Array.isArray(value)) {
    const kept = value.filter((one) => typeof one !== 'object' || withoutEmpty(one) !== undefined)
    const cleaned = kept.map((one: unknown) => (isRecord(one) ? withoutEmpty(one) : one))
    return cleaned.length === 0 ? undefined : cleaned
  }
  if (!isRecord(value)) return value
  const members = Object.entries(value).flatMap(([key, member]) => {
    const cleaned = withoutEmpty(member)
    return cleaned === undefined ? [] : [[key, cleaned] as const]
  })
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value that is sent to be stored. */
export const sectionToSend = (draft: SectionValue): SectionValue =>
  Object.fromEntries(
    Object.entries(draft).flatMap(([key, member]) => {
      const cleaned = withoutEmpty(member)
      return cleaned === undefined ? [] : [[key, cleaned] as const]
    }),
  )

/** Whether a draft would change what is stored. */
export const isUnsaved = (draft: SectionValue, stored: SectionValue): boolean =>
  textOf(sectionToSend(draft)) !== textOf(sectionToSend(stored))

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isRecord(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  )
}

/** Reads a typed number. Other text stays as it is, so that the engine names the problem at its field. */
export function numberIn(text: string): unknown {
  const typed = text.trim().replace(/^([+-]?\d+),(\d+)$/, '$1.$2')
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(typed) ? Number(typed) : text
}

export const numberText = (value: unknown): string => (value === undefined || value === null ? '' : String(value))

export const linesText = (value: unknown): string => (Array.isArray(value) ? value.join('\n') : '')

/** Reads typed corners: two numbers a line, separated by a comma or a space. Other text stays, to be reported. */
export const cornersIn = (text: string): readonly unknown[] =>
  trimmedLines(text).map((line) => line.split(/[\s,;]+/).map(numberIn))
export const cornersText = (value: unknown): string =>
  Array.isArray(value)
    ? value.map((corner) => (Array.isArray(corner) ? corner.join(', ') : String(corner))).join('\n')
    : ''

/** The problems of one field; with `inside`, also those of its parts, where these have no field of their own. */
export function problemAt(
  problems: readonly FieldProblem[],
  path: readonly (string | number)[],
  inside = false,
): string | undefined {
  const found = problems.filter(
    (problem) =>
      path.every((part, at) => problem.path[at] === part) &&
      (problem.path.length === path.length || (inside && problem.path.length > path.length)),
  )
  const texts = found.map(({ path: where, text }) => {
    const at = where[path.length]
    return typeof at === 'number' ? `Line ${at + 1} ${text}.` : `${firstUp(text)}.`
  })
  return texts.length === 0 ? undefined : texts.join(' ')
}

/** Places that the fleet already declares, each once, sorted by name. */
export function declaredPlaces({ fleet }: Pick<DeclarationsView, 'fleet'>): readonly Place[] {
  const all = [
    ...(fleet.vantage === undefined ? [] : [fleet.vantage]),
    ...fleet.nodes.flatMap((one) => one.location ?? []),
  ]
  const found = new Map(all.map((place) => [textOf(place), place]))
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

const LONGEST_CONTENT = 40

/** “Roster: 2 · Profile: STIG”: what a section declares, for its heading. */
export function contentOf(value: SectionValue, labelOf: (member: string) => string): string {
  const texts = Object.entries(value).map(([member, one]) => {
    const { name } = isRecord(one) ? one : { name: one }
    const text = Array.isArray(one) ? String(one.length) : typeof name === 'boolean' ? '' : String(name ?? '')
    return text === '' || text.length > LONGEST_CONTENT
      ? labelOf(member)
      : `${labelOf(member)}: ${valueText(member, text)}`
  })
  return texts.length > MOST_CONTENT ? `${texts.length} entries` : texts.join(' · ')
}

/** More entries would push the title aside. */
const MOST_CONTENT = 2

/** Unsaved drafts, kept until the window closes, so that leaving the screen loses nothing. */
const kept = new Map<string, SectionValue>()
export const draftKey = (fleet: string, section: SectionName, nodes: readonly string[]): string =>
  JSON.stringify([fleet, section, [...nodes].sort()])
export const keptDraft = (key: string): SectionValue | null => kept.get(key) ?? null
export function keepDraft(key: string, draft: SectionValue | null): void {
  if (draft === null) kept.delete(key)
  else kept.set(key, draft)
}

interface Draft {
  readonly section: SectionName
  readonly nodes: readonly string[]
}

/** Drafts by their sections: "Residency rules; Place of gpu-01, gpu-02". */
export const draftWords = (drafts: readonly Draft[]): string =>
  drafts
    .map(({ section, nodes }) => {
      const { title } = formOf(section)
      if (nodes.length === 0) return title
      return `${title} of ${visible(nodes.length > 3 ? `${nodes.length} nodes` : nodes.join(', '))}`
    })
    .join('; ')

/** The drafts of a fleet: section and nodes of each. */
export const draftsOf = (fleet: string): readonly Draft[] =>
  [...kept.keys()].flatMap((key) => {
    const [of, section, nodes] = JSON.parse(key) as [string, SectionName, readonly string[]]
    return of === fleet ? [{ section, nodes }] : []
  })
