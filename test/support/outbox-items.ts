import type { FindingItem, ItemSource, PackItem } from '../../main/core/outbox/item.ts'

const SOURCE: ItemSource = {
  schema: 'barewitness.item/1',
  sender: 'clinic-2026',
  fleet: 'clinic-prod',
  run: '20261128t0525z-cbff',
  pack: { name: '20261128t0525z-cbff.barewitness.zip', sha256: 'ab'.repeat(32) },
  asOf: '2026-11-28T06:00:00.000Z',
  demo: false,
}

export const FINDING_KEY = `bw-${'1'.repeat(32)}`
export const PACK_KEY = `bw-${'2'.repeat(32)}`

/** A finding on two of five tested nodes, with one node inconclusive and one not tested. */
export const FINDING: FindingItem = {
  ...SOURCE,
  kind: 'finding',
  outcome: 'deviations',
  key: FINDING_KEY,
  evidence: { from: '2026-11-28T05:25:54.977Z', to: '2026-11-28T05:26:10.000Z' },
  reference: 'F-20BF8C',
  check: 'tenancy.user-census',
  title: 'Accounts <!channel> & others are active',
  severity: 'critical',
  status: 'Open',
  expected: 'Every account is on the roster.',
  controls: ['HIPAA 164.312(a)(1)', 'SOC 2 CC6.1'],
  nodes: ['gpu-01', 'gpu-02'],
  what: 'nodes',
  deviations: 2,
  tested: 5,
  inconclusive: ['gpu-03'],
  notTested: ['gpu-04'],
  due: '2026-12-15',
}

export const PACK: PackItem = {
  ...SOURCE,
  kind: 'pack',
  key: PACK_KEY,
  evidence: { from: '2026-11-28T05:25:54.977Z', to: '2026-11-28T05:26:10.000Z' },
  nodes: { declared: 6, tested: 5 },
  findings: { critical: 1, high: 0, medium: 2, low: 0, info: 3 },
  leading: [{ reference: 'F-20BF8C', title: 'Accounts that are not on the roster', severity: 'critical' }],
  results: { satisfied: 200, notSatisfied: 12, inconclusive: 7, notTested: 40, other: 9 },
  documents: { needed: 41, outstanding: 12, overdue: 3, titles: ['Business associate agreement'] },
}
