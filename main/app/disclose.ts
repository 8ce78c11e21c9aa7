import type { Catalog } from '../core/catalog.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { quote } from '../core/plain-text.ts'
import type { PackSource } from '../core/ports.ts'
import { ok } from '../core/result.ts'
import { isPartClass, type PartClass, REDACTABLE, type RedactableClass } from '../verify/disclosure/classes.ts'
import { type DisclosedCopy, disclose } from '../verify/disclosure/disclose.ts'
import { readDisclosure } from '../verify/disclosure/read.ts'
import { applyReveal, type Place, readReveal, revealBytes, revealSpan } from '../verify/disclosure/reveal.ts'

export interface DiscloseRequest {
  readonly source: PackSource
  readonly catalog: Catalog
  /** As typed: names of classes, nodes, and paths in the pack. */
  readonly classes: readonly string[]
  readonly nodes: readonly string[]
  readonly paths: readonly string[]
  readonly who: string
  readonly why: string
  /** UTC, ISO 8601. */
  readonly when: string
}

/**
 * The files of a redacted copy. Fails with `input.refused` for unknown names, and without the name of the person who
 * redacts and the reason.
 */
export async function discloseCopy(request: DiscloseRequest): Promise<Outcome<DisclosedCopy>> {
  const { classes, nodes, paths, who, why, ...rest } = request
  const unknown = classes.find((one) => !isRedactable(one))
  if (unknown !== undefined)
    return fail('input.refused', `${quote(unknown)} cannot be redacted; choose from ${REDACTABLE.join(', ')}`)
  if (who.trim() === '' || why.trim() === '')
    return fail('input.refused', 'a redacted copy must name the person who redacted it and the reason; enter both')
  const policy = { classes: classes.filter(isRedactable), nodes, paths }
  return await disclose({ ...rest, policy, who: who.trim(), why: why.trim() })
}

const isRedactable = (one: string): one is RedactableClass =>
  isPartClass(one) && REDACTABLE.some((known: PartClass) => known === one)

/** The file that reveals one redacted part of a copy, made by the holder of the pack. Fails as revealSpan() does. */
export async function revealFile(pack: PackSource, copy: PackSource, place: Place): Promise<Outcome<Uint8Array>> {
  const reveal = await revealSpan(pack, await readDisclosure(copy), place)
  return reveal.ok ? ok(revealBytes(reveal.value)) : reveal
}

/** The files of a copy with a reveal applied; the rest of the copy is unchanged. */
export async function revealedCopy(
  copy: PackSource,
  reveal: Uint8Array,
  catalog: Catalog,
): Promise<Outcome<ReadonlyMap<string, Uint8Array>>> {
  const read = readReveal(reveal)
  if (read === null) return fail('input.refused', 'this file is not a reveal')
  return applyReveal(await readDisclosure(copy), read, catalog)
}
