import type { AssessmentView, CheckView, NodeRow } from '../../schemas/ipc-results.ts'
import { type Property, type Verdict, verdictLetters } from '../../schemas/words.ts'

export const check = (id: string, property: Property): CheckView => ({
  id,
  property,
  claim: `claim ${id}`,
  limits: '',
  needs: ['p1', 'p2'],
  wants: [],
})

/** A row that answered, with these verdicts in the order of the checks. */
export const row = (node: string, verdicts: readonly Verdict[], part: Partial<NodeRow> = {}): NodeRow => ({
  node,
  status: 'complete',
  failure: null,
  privilege: 'sudo',
  observedAt: '2026-05-14T09:12:00Z',
  ageDays: 0,
  stale: false,
  layer: 'metal',
  platform: null,
  concealed: false,
  place: null,
  verdicts: verdicts.map((verdict) => verdictLetters[verdict]).join(''),
  accepted: [],
  expired: [],
  ...part,
})

export const view = (checks: readonly CheckView[], rows: readonly NodeRow[]): AssessmentView => ({
  of: 'run',
  run: 'r1',
  asOf: '2026-05-14T10:00:00Z',
  engine: 'barewitness 0.4.0',
  catalog: { version: '1.0.0', digest: '' } as never,
  scope: { fleet: 'made-up' } as never,
  demo: false,
  checks,
  rows,
  frameworks: [],
  moved: [],
  sameMachines: [],
})
