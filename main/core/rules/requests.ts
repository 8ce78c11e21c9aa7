import type { EvidenceLevel } from '../../../schemas/conclusion-words.ts'
import type { Control } from './framework.ts'

/**
 * One document, or set of documents, that an auditor requests. The same one answers its request in every control that
 * it serves.
 */
export interface EvidenceRequest {
  readonly id: string
  readonly title: string
  /** What an auditor inspects in it. */
  readonly inspects: string
  readonly owner: string
  /** The minimum level at which it counts. */
  readonly minimum: EvidenceLevel
  readonly time: 'point-in-time' | 'period'
  /**
   * What answers it besides a document: `pack` (the sealed pack itself), `chain` (the run chain, in period
   * engagements only), `population` (the comparison with the provider’s inventory), `declaration` (the engagement),
   * or `decision` (a decision on the control in the register; 45 CFR 164.306(d)(3)).
   */
  readonly heldBy: 'document' | 'decision' | 'population' | 'declaration' | 'pack' | 'chain'
  readonly renewal: string
  /** Mapped checks that no node can answer and that this document answers. */
  readonly serves: readonly string[]
  /** Checks whose results this document may answer where it names check and nodes: `any` result, or only an `undecided` one. */
  readonly mayAnswer: readonly { readonly check: string; readonly answers: 'any' | 'undecided' }[]
}

/** A document that one control needs. */
export interface ControlDocument {
  /** Null for a need of the customer’s own mapping, which no request of the catalog answers. */
  readonly request: EvidenceRequest | null
  /** What is requested: the title of the request, or the need itself. */
  readonly title: string
  /** The control’s own wording; empty where only a check requires it. */
  readonly needs: readonly string[]
  /** Checks that it answers at this control. */
  readonly checks: readonly string[]
  /** False where it only supports and is never necessary for the control. */
  readonly mandatory: boolean
}

interface Known {
  readonly requests: readonly EvidenceRequest[]
  readonly offNodeChecks: readonly OffNodeCheck[]
}

/**
 * The documents of one control, each once: those of its needs, and those that answer a mapped check which no node
 * can. A need with several requests requires all of them; a `required` check makes its request mandatory, a
 * `supporting` one optional.
 */
export function documentsOf(
  { requests, offNodeChecks }: Known,
  {
    documentsRequired,
    requests: requestsOf = {},
    mappings,
  }: Pick<Control, 'documentsRequired' | 'requests' | 'mappings'>,
): readonly ControlDocument[] {
  const byId = new Map(requests.map((one) => [one.id, one]))
  const found = new Map<string, ControlDocument>()
  const add = (document: ControlDocument): void => {
    const key = document.request?.id ?? document.title
    const known = found.get(key)
    found.set(
      key,
      known === undefined
        ? document
        : {
            ...known,
            needs: [...known.needs, ...document.needs],
            checks: [...known.checks, ...document.checks],
            mandatory: known.mandatory || document.mandatory,
          },
    )
  }
  for (const need of documentsRequired) {
    const named = (requestsOf[need] ?? []).flatMap((id) => byId.get(id) ?? [])
    if (named.length === 0) add({ request: null, title: need, needs: [need], checks: [], mandatory: true })
    for (const request of named) add({ request, title: request.title, needs: [need], checks: [], mandatory: true })
  }
  const fromDocuments = new Set(offNodeChecks.filter(({ source }) => source === 'document').map(({ id }) => id))
  for (const { check, role = 'required' } of mappings) {
    if (!fromDocuments.has(check) || role === 'context') continue
    for (const request of requests.filter(({ serves }) => serves.includes(check)))
      add({ request, title: request.title, needs: [], checks: [check], mandatory: role !== 'supporting' })
  }
  return [...found.values()]
}

/** Why no evidence of a node answers a mapped check, and what does. Such a check is never implemented. */
export interface OffNodeCheck {
  /** The check's id in the vocabulary. */
  readonly id: string
  /** What answers it: a document, the run chain, the pack itself, or the comparison with the provider’s inventory. */
  readonly source: 'document' | 'runs' | 'pack' | 'population'
  /** Why a collection from the node cannot decide it. */
  readonly why: string
}
