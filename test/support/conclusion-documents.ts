import { REQUESTS } from '../../main/core/register/documents.ts'
import { EMPTY_REGISTER } from '../../main/core/register/register.ts'
import { EVIDENCE_LEVELS } from '../../schemas/conclusion-words.ts'
import type { Engagement, EvidenceDocument, Register } from '../../schemas/types.ts'
import { engagementOf } from './engagement.ts'

/** Documents, registers and engagements that conclusions rest on, without the catalog: its fleets are in conclusion-kit.ts. */
export const AS_OF = '2026-11-22T12:00:00.000Z'

export type DocumentChanges = Partial<Omit<EvidenceDocument, 'inspection'>> & {
  readonly conclusion?: 'supports' | 'does-not-support'
}

let next = 0
/** One document attached to an evidence request: inspected, unless it names another level. */
export function documentFor(request: string, changes: DocumentChanges = {}): EvidenceDocument {
  const { conclusion = 'supports', ...rest } = changes
  const level = rest.level ?? 'inspected'
  next += 1
  return {
    id: next.toString(16).padStart(32, '0'),
    kind: 'file',
    name: `${request}.pdf`,
    mediaType: 'application/pdf',
    size: 1,
    sha256: '0'.repeat(64),
    controls: [{ framework: REQUESTS, control: request }],
    need: null,
    summary: 'what was asked for',
    providedBy: 'Anna',
    owner: 'Anna',
    attachedAt: '2026-11-20T00:00:00.000Z',
    validUntil: null,
    withdrawn: null,
    level,
    ...(EVIDENCE_LEVELS.indexOf(level) > EVIDENCE_LEVELS.indexOf('received')
      ? { inspection: { by: 'Bea', at: '2026-11-21T00:00:00.000Z', lookedAt: 'all of it', conclusion } }
      : {}),
    ...rest,
  }
}

export const registerWith = (
  documents: readonly EvidenceDocument[],
  changes: Partial<Omit<Register, 'documents'>> = {},
): Register => ({ ...EMPTY_REGISTER, ...changes, documents })

/** An engagement that elects Availability and Confidentiality, with a listing of the provider and no data map. */
export const engagement = (changes: Partial<Engagement> = {}): Engagement => ({
  ...engagementOf({ nodes: [] }),
  categories: ['availability', 'confidentiality'],
  reportingBasis: { kind: 'date', date: '2026-11-22' },
  ephi: { ...engagementOf({ nodes: [] }).ephi, stores: [], flows: [] },
  inventory: LISTING,
  ...changes,
})

/** A period instead of a day. */
export const PERIOD: Pick<Engagement, 'reportingBasis'> = {
  reportingBasis: { kind: 'period', from: '2026-10-01', to: '2026-11-22' },
}

const LISTING: NonNullable<Engagement['inventory']> = {
  source: 'the provider',
  asOf: '2026-11-20',
  file: { name: 'list.csv', size: 1, sha256: '0'.repeat(64) },
  rows: [{ id: 'srv-1', name: null, address: null, serial: null }],
  excluded: [],
  owner: 'Anna',
  on: '2026-11-20',
} as never
