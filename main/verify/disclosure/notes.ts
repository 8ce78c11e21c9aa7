import { parseBounded } from '../../core/base/bounded-json.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { PART_CLASSES, type PartClass } from './cuts/classes.ts'
import { type DisclosedUnit, isOpen, isWhollyOpen } from './cuts/copy.ts'
import type { Underivable } from './underivable.ts'

/** The owner’s statements about the copy. Unlike the units they are not covered by the seal. */
export const NOTES_PATH = 'disclosure.json'

export interface DisclosureNotes {
  readonly schema: 'barewitness.disclosure/1'
  readonly who: string
  readonly why: string
  /** UTC, ISO 8601. */
  readonly when: string
  readonly policy: StatedPolicy
  readonly counts: DisclosureCounts
  /** Verdicts that cannot be reproduced from the copy. */
  readonly underivable: Underivable
}

/** What was to be redacted: nodes as a count, because their names are redacted; paths as named in the copy. */
interface StatedPolicy {
  readonly classes: readonly PartClass[]
  readonly nodes: number
  readonly paths: readonly string[]
}

export interface DisclosureCounts {
  readonly units: number
  readonly whollyOpen: number
  /** Units whose path is partially redacted. */
  readonly pathsRedacted: number
  /** Redacted parts by class; unused classes are omitted. */
  readonly redacted: Readonly<Partial<Record<PartClass, number>>>
}

export function countsOf(units: readonly DisclosedUnit[]): DisclosureCounts {
  const withheld = new Map<PartClass, number>()
  for (const { path, content } of units)
    for (const part of [...path, ...content])
      if (!isOpen(part)) withheld.set(part.class, (withheld.get(part.class) ?? 0) + 1)
  return {
    units: units.length,
    whollyOpen: units.filter(isWhollyOpen).length,
    pathsRedacted: units.filter((unit) => !unit.path.every(isOpen)).length,
    redacted: Object.fromEntries(
      PART_CLASSES.flatMap((one) => {
        const count = withheld.get(one)
        return count === undefined ? [] : [[one, count]]
      }),
    ),
  }
}

export const notesBytes = (notes: DisclosureNotes): Uint8Array => new TextEncoder().encode(`${canonicalJson(notes)}\n`)

/** Parses the owner’s statements, or null when they are not in canonical form. */
export function readNotes(text: string | null): DisclosureNotes | null {
  try {
    const value: unknown = parseBounded(text ?? '')
    return `${canonicalJson(value)}\n` === text && isNotes(value) ? value : null
  } catch {
    return null
  }
}

function isNotes(value: unknown): value is DisclosureNotes {
  if (!isObject(value) || value.schema !== 'barewitness.disclosure/1') return false
  const { who, why, when, policy, counts, underivable } = value
  if (![who, why, when].every(isText) || !isObject(policy) || !isObject(counts) || !isObject(underivable)) return false
  return (
    Object.keys(value).length === 7 &&
    isTexts(policy.classes) &&
    isTexts(policy.paths) &&
    typeof policy.nodes === 'number' &&
    isTexts(underivable.unstated) &&
    isTexts(underivable.isolation) &&
    Array.isArray(underivable.verdicts) &&
    underivable.verdicts.every((one) => isObject(one) && [one.node, one.check, one.verdict].every(isText))
  )
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText)
