import type { Assessment, ControlRef, EvidenceDocument, Register, ReportingBasis } from '../../../schemas/types.ts'
import type { PeriodCover } from '../../../schemas/words.ts'
import { isDay, millisOf } from '../base/days.ts'
import { grouped } from '../base/grouping.ts'
import { quote } from '../base/plain-text.ts'
import { decisionsOf } from './decisions.ts'
import { EMPTY_REGISTER } from './register.ts'

/**
 * Versions of documents. A new version names the one that it supersedes, which stays in the register with its digest.
 * It takes its place from the moment it is attached, in every control, and for good: when it expires, the earlier
 * version does not come back. A withdrawn version supersedes nothing.
 */
export function supersededIn(
  { documents }: Pick<Register, 'documents'>,
  asOf: string,
): ReadonlyMap<string, EvidenceDocument> {
  const found = new Map<string, EvidenceDocument>()
  for (const entry of documents)
    if (entry.supersedes !== undefined && entry.withdrawn === null && millisOf(entry.attachedAt) <= millisOf(asOf))
      found.set(entry.supersedes, entry)
  return found
}

/**
 * Documents that can count: without superseded versions, and without those whose declared effective period is outside of
 * the date or period of the engagement (`basis`; null where none is declared). One that was inspected and does not support
 * is kept: to attach a version that no person has inspected must not remove a deviation. A later inspection does.
 */
export function countedDocuments(
  register: Pick<Register, 'documents'>,
  asOf: string,
  basis: ReportingBasis | null,
): readonly EvidenceDocument[] {
  const superseded = supersededIn(register, asOf)
  return register.documents.filter(
    (entry) =>
      entry.inspection?.conclusion === 'does-not-support' ||
      (!superseded.has(entry.id) && periodCover(entry, basis) !== 'outside'),
  )
}

type Controls = Pick<EvidenceDocument, 'controls'>

/** Whether a version is attached to everything that the earlier one is attached to, so that no pack has the earlier alone. */
export const coversControls = (next: Controls, earlier: Controls): boolean =>
  earlier.controls.length === 0
    ? next.controls.length === 0
    : earlier.controls.every(({ framework, control }) =>
        next.controls.some((one) => one.framework === framework && one.control === control),
      )

/**
 * Problems of the versions in a register, one sentence each. A missing earlier version is not a problem: it can be outside of the scope of a
 * pack.
 */
export function versionProblems({ documents }: Pick<Register, 'documents'>): readonly string[] {
  const byId = new Map(documents.map((one) => [one.id, one]))
  const successors = new Set<string>()
  return documents.flatMap((entry) => {
    const { id, supersedes, effective } = entry
    const ends =
      effective === undefined
        ? []
        : [effective.from, effective.to ?? effective.from].some((day) => !isDay(day))
          ? [`document ${id} has an effective period with an invalid date.`]
          : effective.to !== null && effective.to < effective.from
            ? [`document ${id} has an effective period that ends before it begins.`]
            : []
    const earlier = supersedes === undefined ? undefined : byId.get(supersedes)
    if (supersedes === undefined || earlier === undefined) return ends
    const isSecond = entry.withdrawn === null && successors.has(supersedes)
    if (entry.withdrawn === null) successors.add(supersedes)
    return [
      ...ends,
      ...(isSecond ? [`document ${supersedes} is superseded by two documents.`] : []),
      ...(earlier === entry || millisOf(earlier.attachedAt) > millisOf(entry.attachedAt)
        ? [`document ${id} supersedes a document that was not attached before it.`]
        : []),
      ...(coversControls(entry, earlier)
        ? []
        : [`document ${id} leaves out controls of the version that it supersedes.`]),
    ]
  })
}

/**
 * How the declared effective period of a document relates to the date or period of the engagement; null where one of
 * them is not declared. Outside of it, the document does not count; in a part of it, it does.
 */
export function periodCover(
  { effective }: Pick<EvidenceDocument, 'effective'>,
  basis: ReportingBasis | null,
): PeriodCover | null {
  if (effective === undefined || basis === null) return null
  const { from, to } = basis.kind === 'date' ? { from: basis.date, to: basis.date } : basis
  const end = effective.to ?? to
  if (effective.from > to || end < from) return 'outside'
  return effective.from <= from && end >= to ? 'covers' : 'partly'
}

/** The date or period of the engagement of an assessment; null where none is declared. */
export const basisOf = ({ scope }: Pick<Assessment, 'scope'>): ReportingBasis | null =>
  scope.engagement?.reportingBasis ?? null

/** Effective period in words. */
export const effectiveText = ({ from, to }: NonNullable<EvidenceDocument['effective']>): string =>
  to === null ? `from ${from}` : `${from} to ${to}`

/** A document as a version: its name and the day on which it was attached. */
export const versionName = ({ name, attachedAt }: Pick<EvidenceDocument, 'name' | 'attachedAt'>): string =>
  `${quote(name, 200)}, attached ${attachedAt.slice(0, 10)}`

/** Register entries of one control: documents, requests and decisions. */
type RowRegister = (row: Row) => Register

/** A register indexed by control, so that many controls do not each scan the whole register. */
export function byRow(register: Register): RowRegister {
  const attachments = grouped(register.documents, ({ controls }) => [...new Set(controls.map(keyOf))])
  const requests = grouped(register.documentRequests, (one) => [keyOf(one)])
  const decisions = grouped(decisionsOf(register), (one) => [keyOf(one)])
  return (row) => {
    const key = keyOf(row)
    return {
      ...EMPTY_REGISTER,
      documents: attachments.get(key) ?? [],
      documentRequests: requests.get(key) ?? [],
      decisions: decisions.get(key) ?? [],
    }
  }
}

type Row = Pick<ControlRef, 'control'> & { readonly framework: string }

// A framework ID has no line ends.
const keyOf = ({ framework, control }: Row): string => `${framework}\n${control}`
