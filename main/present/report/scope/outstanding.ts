import { levelWords } from '../../../../schemas/conclusion-words.ts'
import type { ControlAssessment } from '../../../../schemas/types.ts'
import { oneLine } from '../../../core/base/plain-text.ts'
import { type DocumentStatus, documentStatusesIn } from '../../../core/register/requests.ts'
import { basisOf } from '../../../core/register/versions.ts'
import type { ReportInput } from '../../input.ts'
import { chosenFrameworks, day } from '../parts/wording.ts'

/** An outstanding required document: once, however many controls it serves. */
export interface OutstandingRequest {
  /** ID of the evidence request; null for a need of the customer’s own mapping. */
  readonly id: string | null
  readonly status: DocumentStatus
  /** The controls that require it. */
  readonly controls: readonly ControlAssessment[]
}

/** A required document: outstanding, held, or inspected and found not to support a control that requires it. */
export interface RequestedDocument extends OutstandingRequest {
  readonly isOutstanding: boolean
  readonly isFailing: boolean
}

type DocumentMatter = Pick<ReportInput, 'register' | 'assessment' | 'catalog'>

/** Status of a document, with owner and due date. */
export function askedWords({ level, conclusion, request, overdue }: DocumentStatus): string {
  const reached =
    conclusion === 'does-not-support'
      ? 'inspected, does not support the control'
      : level === null
        ? 'nothing on file'
        : `${levelWords[level].label.toLowerCase()} only`
  const asked =
    request === null
      ? 'no owner assigned'
      : `${overdue ? 'overdue: ' : ''}owner ${oneLine(request.owner, 200)}, due ${day(request.due)}`
  return `${reached}; ${asked}`
}

/** What follows the number of documents that were inspected and are deviations of their controls. */
export const failingWords = (count: number): string =>
  count === 1 ? 'was inspected and does not support its controls' : 'were inspected and do not support their controls'

const isSooner = (one: DocumentStatus, other: DocumentStatus): boolean =>
  one.request !== null && (other.request === null || one.request.due < other.request.due)

/**
 * Documents required by frameworks in effect, each once, and how many are on file. A proposed rule requires nothing yet, so
 * its documents are not counted.
 */
export function documentCounts({ register, assessment, catalog }: DocumentMatter) {
  const { current } = chosenFrameworks({ assessment, catalog })
  const statusesOf = documentStatusesIn(catalog, register, assessment.asOf, basisOf(assessment))
  const results = new Map(assessment.controls.map((one) => [`${one.framework}\n${one.control}`, one]))
  const needed = new Map<string, RequestedDocument>()
  const open = new Map<string, OutstandingRequest>()
  for (const { id: framework, controls } of current)
    for (const control of controls) {
      const result = results.get(`${framework}\n${control.key}`)
      if (result === undefined || result.state === 'out-of-scope') continue
      const missing = new Set(result.documents.outstanding.map(({ request, title }) => request ?? title))
      const failing = new Set(result.documents.deviations)
      for (const status of statusesOf({ framework, control })) {
        const { request, title, mandatory } = status.document
        if (!mandatory || request?.heldBy === 'pack' || request?.heldBy === 'chain') continue
        const key = request?.id ?? `${control.key}\n${title}`
        const before = needed.get(key)
        const isFailing = failing.has(request?.id ?? title)
        needed.set(key, {
          id: request?.id ?? null,
          status: before === undefined || isFailing ? status : before.status,
          controls: [...(before?.controls ?? []), result],
          isOutstanding: (before?.isOutstanding ?? false) || missing.has(request?.id ?? title),
          isFailing: isFailing || (before?.isFailing ?? false),
        })
        if (!missing.has(request?.id ?? title)) continue
        const known = open.get(key)
        open.set(key, {
          id: request?.id ?? null,
          // Several controls can carry a request for the same document; the earliest due date applies.
          status: known === undefined || isSooner(status, known.status) ? status : known.status,
          controls: [...(known?.controls ?? []), result],
        })
      }
    }
  const outstanding = [...open.values()]
  const requested = [...needed.values()]
  return {
    /** Every required document once, with all controls that require it. */
    requested,
    outstanding,
    /** Documents that are deviations of the controls that require them. */
    failing: requested.filter(({ isFailing }) => isFailing),
    needed: needed.size,
    held: needed.size - outstanding.length,
    overdue: outstanding.filter(({ status }) => status.overdue).length,
  }
}
