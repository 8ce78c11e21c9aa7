import { sha256 } from '../../main/core/base/digest.ts'
import { EVIDENCE_REQUESTS } from '../../main/core/register/register.ts'
import type { DocumentDraft } from '../../schemas/ipc-register.ts'
import type {
  AcceptanceRequest,
  ControlDecision,
  DocumentRequest,
  EvidenceDocument,
  Explanation,
  ManagementResponse,
  Register,
  RiskAcceptance,
} from '../../schemas/types.ts'

/** Entries of a register, each with what a test names. */
export const riskAcceptanceOf = (changes: Partial<RiskAcceptance> = {}): RiskAcceptance => ({
  id: 'a'.repeat(32),
  check: 'encryption.at-rest.swap',
  nodes: ['node-b'],
  run: 'run-1',
  reason: 'The swap area is cleared at every start.',
  compensatingControl: 'Weekly look at the start log.',
  owner: 'K. Adeyemi',
  requestedBy: 'K. Adeyemi',
  approvedBy: 'M. Ortiz',
  acceptedAt: '2026-11-01T08:00:00.000Z',
  expiresAt: '2027-03-01T23:59:59.999Z',
  withdrawn: null,
  ...changes,
})

/** A document as it is received from the person who owns it. */
export const documentDraftOf = (changes: Partial<DocumentDraft> = {}): DocumentDraft => ({
  controls: [],
  need: null,
  summary: 'who may hold a key',
  providedBy: 'R. Novak',
  level: 'received',
  inspection: null,
  answers: null,
  owner: 'R. Novak',
  validUntil: null,
  effective: null,
  supersedes: null,
  ...changes,
})

export const acceptanceRequestOf = (changes: Partial<AcceptanceRequest> = {}): AcceptanceRequest => ({
  id: 'd'.repeat(32),
  check: 'encryption.at-rest.swap',
  nodes: ['node-b'],
  run: null,
  reason: 'The swap area is cleared at every start.',
  compensatingControl: 'Weekly look at the start log.',
  owner: 'K. Adeyemi',
  requestedBy: 'K. Adeyemi',
  requestedAt: '2026-11-01T08:00:00.000Z',
  expiresAt: '2027-03-01T23:59:59.999Z',
  ...changes,
})

export const decisionOf = (changes: Partial<ControlDecision> = {}): ControlDecision => ({
  id: 'c'.repeat(32),
  framework: 'hipaa',
  control: 'hipaa:164.312(a)(2)(iv)',
  decision: 'implemented',
  reason: 'Every data volume is encrypted.',
  factors: null,
  alternativeMeasure: null,
  riskAnalysis: null,
  owner: 'K. Adeyemi',
  requestedBy: 'K. Adeyemi',
  approvedBy: 'M. Ortiz',
  approverRole: 'Security officer',
  decidedAt: '2026-11-01T08:00:00.000Z',
  expiresAt: '2027-03-01T23:59:59.999Z',
  withdrawn: null,
  ...changes,
})

export const responseOf = (changes: Partial<ManagementResponse> = {}): ManagementResponse => ({
  id: 'f'.repeat(32),
  check: 'encryption.at-rest.swap',
  status: 'in-progress',
  owner: 'K. Adeyemi',
  due: '2026-12-31T23:59:59.999Z',
  plan: 'Encrypt the swap area with a random key at each start.',
  statedBy: 'M. Ortiz',
  statedAt: '2026-11-01T08:00:00.000Z',
  withdrawn: null,
  ...changes,
})

export const explanationOf = (changes: Partial<Explanation> = {}): Explanation => ({
  id: 'e'.repeat(32),
  signal: 'dmi.vmbit',
  nodes: ['node-b'],
  text: 'The maker sets the bit in this firmware; see its letter.',
  document: { name: 'Letter of the maker.pdf', size: 1200, sha256: 'ab'.repeat(32) },
  explainedBy: 'P. Lind',
  role: 'Hardware lead of the provider',
  explainedAt: '2026-11-01T08:00:00.000Z',
  expiresAt: '2027-03-01T23:59:59.999Z',
  withdrawn: null,
  ...changes,
})

export const POLICY = new TextEncoder().encode('%PDF-1.7 a policy')

export const documentOf = (changes: Partial<EvidenceDocument> = {}): EvidenceDocument => ({
  id: 'b'.repeat(32),
  kind: 'file',
  name: 'Key Policy 2026.pdf',
  mediaType: 'application/pdf',
  size: POLICY.length,
  sha256: sha256(POLICY),
  controls: [{ framework: 'soc2', control: 'C1' }],
  need: null,
  summary: 'Who may hold a key, and for how long.',
  providedBy: 'R. Novak, security office',
  level: 'received',
  owner: 'R. Novak',
  attachedAt: '2026-11-02T08:00:00.000Z',
  validUntil: null,
  withdrawn: null,
  ...changes,
})

/** The same document, attached to an evidence request and inspected by someone else. */
export const inspectedFor = (request: string, changes: Partial<EvidenceDocument> = {}): EvidenceDocument =>
  documentOf({
    controls: [{ framework: EVIDENCE_REQUESTS, control: request }],
    level: 'inspected',
    inspection: {
      by: 'M. Ortiz',
      at: '2026-11-03T08:00:00.000Z',
      lookedAt: 'The whole document, against the list of accounts.',
      conclusion: 'supports',
    },
    ...changes,
  })

export const registerOf = (parts: {
  readonly riskAcceptances?: readonly RiskAcceptance[]
  readonly documents?: readonly EvidenceDocument[]
  readonly documentRequests?: readonly DocumentRequest[]
  readonly decisions?: readonly ControlDecision[]
  readonly acceptanceRequests?: readonly AcceptanceRequest[]
  readonly explanations?: readonly Explanation[]
  readonly responses?: readonly ManagementResponse[]
}): Register => ({
  schema: 'barewitness.register/1',
  riskAcceptances: [],
  documents: [],
  documentRequests: [],
  ...parts,
})
