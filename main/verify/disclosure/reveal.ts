import { parseBounded } from '../../core/base/bounded-json.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { isSha256, type Sha256 } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { quote } from '../../core/base/plain-text.ts'
import { readsOf } from '../../core/conclusion/assessor.ts'
import type { PackSource } from '../../core/ports/ports.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import {
  committed,
  type DisclosedUnit,
  isOpen,
  isWhollyOpen,
  type OpenPart,
  openForDisclosure,
  partJson,
  readPart,
  UNITS_PATH,
  unitRootOf,
} from './cuts/copy.ts'
import type { PartPlace } from './cuts/parts.ts'
import { openPart, unitsBytes } from './disclose.ts'
import { countsOf, NOTES_PATH, notesBytes } from './notes.ts'
import type { DisclosureReading } from './read.ts'
import { contentOf } from './rebuild.ts'
import { holdsDigest, holdsSignature, isNeverOpen, isSignedMatterCut, taintedDigests } from './redact.ts'
import { underivable } from './underivable.ts'

/** Position of a part: the unit counted from 1 as in the index, and the place in it. */
export interface Place extends PartPlace {
  readonly unit: number
}

/** One redacted part, revealed to a holder of the copy. */
interface Reveal {
  readonly place: Place
  /** The unit’s line of the index, which links it to one pack. */
  readonly root: Sha256
  readonly part: OpenPart
}

/**
 * Reveals one redacted part from the full pack. Fails as openForDisclosure() does, and with `input.refused` where the copy is not of this
 * pack, the place is not redacted, or the part is a digest of (or signature over) a part that is still redacted and could be guessed from it.
 */
export async function revealSpan(source: PackSource, copy: DisclosureReading, place: Place): Promise<Outcome<Reveal>> {
  const opened = await openForDisclosure(source)
  if (!opened.ok) return opened
  const { seed, units } = opened.value
  const shown = copy.units[place.unit - 1]
  const full = units[place.unit - 1]
  const root = copy.roots[place.unit - 1]
  if (copy.problems.length > 0 || shown === undefined || full === undefined || root === undefined)
    return fail('input.refused', 'the copy is invalid, or has no such unit')
  const before = partAt(shown, place)
  const part = (place.of === 'path' ? full.pathParts : full.parts)[place.part - 1]
  if (before === undefined || part === undefined || isOpen(before))
    return fail('input.refused', 'nothing is redacted at this place')
  const tainted = taintedDigests(units, (index) => !isWhollyOpen(copy.units[index] ?? { path: [], content: [before] }))
  const isSignedCut = (): boolean =>
    isSignedMatterCut(units, (unit, at) => {
      const one = copy.units[unit]?.content[at]
      return one === undefined || !isOpen(one)
    })
  if (holdsDigest(part, tainted) || (holdsSignature(part) && isSignedCut()))
    return fail(
      'input.refused',
      'this is the digest of a part that is still redacted and could be guessed from it; reveal that part first',
    )
  // The entries of the chain come before their hashes, and before the report, by their paths.
  const isElsewhere = copy.units.some((unit, index) => {
    const path = units[index]?.path ?? ''
    return path !== full.path && !isWhollyOpen(unit) && (!isNeverOpen(path) || path < full.path)
  })
  if (isNeverOpen(full.path) && isElsewhere)
    return fail(
      'input.refused',
      `${quote(full.path)} contains digests of parts that are still redacted; reveal it last`,
    )
  const revealed = openPart(part, full.path, place, seed)
  if (committed(revealed).commitment !== before.commitment)
    return fail('input.refused', 'the copy is of a different pack')
  return ok({ place, root, part: revealed })
}

export const revealBytes = ({ place, root, part }: Reveal): Uint8Array =>
  new TextEncoder().encode(
    `${canonicalJson({ schema: 'barewitness.reveal/1', of: place.of, part: place.part, unit: place.unit, root, opens: partJson(part) })}\n`,
  )

/** Parses a reveal strictly; null for anything else. */
export function readReveal(bytes: Uint8Array): Reveal | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const { of, part: number, unit, root, opens } = parseBounded(text) as Record<string, unknown>
    const part = readPart(opens)
    if ((of !== 'path' && of !== 'content') || !isPlace(number) || !isPlace(unit)) return null
    if (part === null || !isOpen(part) || typeof root !== 'string' || !isSha256(root)) return null
    const reveal: Reveal = { place: { of, part: number, unit }, root, part }
    return new TextDecoder().decode(revealBytes(reveal)) === text ? reveal : null
  } catch {
    return null
  }
}

const isPlace = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0

/** Why a reveal is not the redacted part of this copy; null when it is. */
export function checkReveal(copy: DisclosureReading, { place, root, part }: Reveal): string | null {
  if (copy.problems.length > 0) return 'The copy is invalid.'
  const unit = copy.units[place.unit - 1]
  if (unit === undefined || copy.roots[place.unit - 1] !== root) return 'It belongs to a different pack or place.'
  const before = partAt(unit, place)
  if (before === undefined || isOpen(before)) return 'Nothing is redacted at this place.'
  return unitRootOf(opened(unit, place, part)) === root
    ? null
    : 'It does not match the commitment of the copy at this place.'
}

/** The copy’s own files with the part revealed; the rest is unchanged. Fails with `input.refused` where checkReveal() finds a problem. */
export function applyReveal(
  copy: DisclosureReading,
  reveal: Reveal,
  catalog: Catalog,
): Outcome<ReadonlyMap<string, Uint8Array>> {
  const problem = checkReveal(copy, reveal)
  if (problem !== null || copy.notes === null) return fail('input.refused', problem ?? 'The copy cannot be read.')
  const units = copy.units.map((unit, index) =>
    index + 1 === reveal.place.unit ? opened(unit, reveal.place, reveal.part) : unit,
  )
  const notes = { ...copy.notes, counts: countsOf(units), underivable: underivable(readsOf(catalog), contentOf(units)) }
  return ok(
    new Map([
      [UNITS_PATH, unitsBytes(units)],
      [NOTES_PATH, notesBytes(notes)],
    ]),
  )
}

const partAt = (unit: DisclosedUnit, { of, part }: Place): DisclosedUnit['path'][number] | undefined =>
  unit[of][part - 1]

const opened = (unit: DisclosedUnit, { of, part: number }: Place, part: OpenPart): DisclosedUnit => ({
  ...unit,
  [of]: unit[of].map((one, index) => (index + 1 === number ? part : one)),
})
