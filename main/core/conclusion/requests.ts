import type { EvidenceLevel } from '../../../schemas/conclusion-words.ts'
import type { Control } from '../framework.ts'

/** One document, or set of documents, that an auditor asks for; the same one answers its request in every control that it serves. */
export interface EvidenceRequest {
  readonly id: string
  readonly title: string
  /** What a reviewer looks at in it. */
  readonly inspects: string
  readonly owner: string
  /** The least level at which it counts. */
  readonly minimum: EvidenceLevel
  readonly time: 'point-in-time' | 'period'
  /**
   * What answers it. A document always does, except where the tool produces the evidence: `pack` (the sealed pack itself), `chain` (the chain
   * of runs, in period engagements only). `population`: the comparison with the provider's listing; `declaration`: the engagement;
   * `decision`: a decision about the control in the register (45 CFR 164.306(d)(3)).
   */
  readonly heldBy: 'document' | 'decision' | 'population' | 'declaration' | 'pack' | 'chain'
  readonly renewal: string
  /** Mapped checks that no server can answer and this document does. */
  readonly serves: readonly string[]
  /** Checks whose results this document may answer where it names check and nodes: `any` result, or only an `undecided` one. */
  readonly mayAnswer: readonly { readonly check: string; readonly answers: 'any' | 'undecided' }[]
}

/** A document that one control needs. */
export interface ControlDocument {
  /** Null for a need of the customer's own mapping, which no request of ours answers. */
  readonly request: EvidenceRequest | null
  /** What is asked for: the request's title, or the need itself. */
  readonly title: string
  /** The control's own words for it; empty where only a check asks for it. */
  readonly needs: readonly string[]
  /** Checks that it answers here. */
  readonly checks: readonly string[]
  /** False where it only supports: it never holds a control up. */
  readonly mandatory: boolean
}

interface Known {
  readonly requests: readonly EvidenceRequest[]
  readonly offNodeChecks: readonly OffNodeCheck[]
}

/**
 * The documents of one control, each once: those that its needs name, and those that answer a mapped check which no server can. A need with
 * several requests needs all of them; a `required` check makes its request mandatory, a `supporting` one makes it optional.
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

/** Why no evidence of a node answers a check that frameworks map, and what does. Such a check is never built. */
export interface OffNodeCheck {
  /** The check's id in the vocabulary. */
  readonly id: string
  /** What answers it: a document, the chain of runs, the pack itself, or the comparison with the provider's listing. */
  readonly source: 'document' | 'runs' | 'pack' | 'population'
  /** Why one collection from the node cannot decide it. */
  readonly why: string
}
