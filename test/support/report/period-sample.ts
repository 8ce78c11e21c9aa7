import { zones } from '../../../main/adapters/ports.ts'
import { csvOf } from '../../../main/adapters/stored-file.ts'
import { sha256 } from '../../../main/core/base/digest.ts'
import { changeFold } from '../../../main/core/period/changes.ts'
import type { RunEvidence } from '../../../main/core/period/conclusions.ts'
import { periodFold } from '../../../main/core/period/period.ts'
import { EMPTY_REGISTER } from '../../../main/core/register/register.ts'
import { catalogReference } from '../../../main/core/rules/catalog.ts'
import type { ChainEntry, LoggedEntry, RunChain } from '../../../main/core/run-chain/entry.ts'
import type { PeriodReportInput } from '../../../main/present/period-report.ts'
import type { Period, RunTrace, TracedNode } from '../../../schemas/types.ts'
import { must } from '../outcomes.ts'
import { sampleCatalog } from './sample.ts'

/** A made-up quarter of nightly runs over five nodes: gaps of both kinds, a late run, deviations, a moved disk and another catalog. */
export const PERIOD_AS_OF = '2026-11-01T08:00:00.000Z'
const FLEET = 'clinic-prod'
const SIGNER = sha256('the key')
const DAYS = 92
const RECORDED = [26, 55]
const UNRECORDED = [70]
const LATE = 50

const dayOf = (day: number): string =>
  new Date(Date.parse('2026-08-01') + (day - 1) * 86_400_000).toISOString().slice(0, 10)
const dueOf = (day: number): string => `${dayOf(day)}T02:00:00.000Z`
const atOf = (day: number): string => (day === LATE ? `${dayOf(day)}T06:30:00.000Z` : `${dayOf(day)}T02:14:00.000Z`)
const runOf = (day: number): string => `${dayOf(day).replaceAll('-', '')}t0203z-${String(day).padStart(4, '0')}`
const isRun = (day: number): boolean => ![...RECORDED, ...UNRECORDED].includes(day)

const CHECKS = sampleCatalog.checks.map(({ id }) => id).sort()
const PROBES = ['accounts.local', 'packages.list-dpkg', 'sshd.effective']

function nodeOn(day: number, number: number): TracedNode {
  const node = `node-0${number}`
  const away = number === 4 && day >= 41 && day <= 44
  const letters = CHECKS.map((check) => {
    if (check === 'access.sshd-effective' && number === 2 && day >= 20 && day < 34) return day === 30 ? 'i' : 'c'
    if (check === 'encryption.at-rest.cipher' && number === 5) return 'c'
    if (check === 'access.accounts' && number === 3 && day >= 40) return 'c'
    return 'm'
  })
  const said = [
    number === 3 && day >= 40 ? 'contractor' : 'roster',
    `packages ${number} ${Math.floor(day / 30)}`,
    number === 2 && day >= 20 && day < 34 ? 'weak' : 'strong',
  ]
  // The drive of node 1 goes to node 5.
  const disk = day >= 60 ? (number === 5 ? 1 : number === 1 ? 6 : number) : number
  const account = (name: string, uid: number) => ({ name, uid, login: true, administrator: uid === 0 })
  return {
    node,
    status: away ? 'missing' : 'complete',
    failure: null,
    observedAt: away ? null : `${dayOf(day)}T02:05:00.000Z`,
    recording: away ? null : sha256(`${node} ${day}`),
    hostKey: away ? null : `SHA256:${'A'.repeat(42)}${number}`,
    address: away ? null : `192.0.2.${number}`,
    declared: away ? null : sha256(node),
    verdicts: away ? 't'.repeat(CHECKS.length) : letters.join(''),
    readings: said.map((one) => (away ? '0'.repeat(12) : sha256(one).slice(0, 12))).join(''),
    parts: away
      ? []
      : [
          { kind: 'board', part: 'board', value: `B-000${number}` },
          { kind: 'disk', part: 'INTEL SSDSC2KB480G8', value: `PHYF00${disk}` },
        ],
    accounts: away ? null : [account('root', 0), ...(number === 3 && day >= 40 ? [account('contractor', 1090)] : [])],
    keys: away ? null : [{ account: 'root', type: 'ssh-ed25519', fingerprint: `SHA256:${'B'.repeat(43)}` }],
  }
}

export const sampleTrace = (day: number): RunTrace => ({
  schema: 'barewitness.run-trace/1',
  run: runOf(day),
  fleet: FLEET,
  asOf: atOf(day),
  demo: false,
  planned: { schedule: 'nightly', due: dueOf(day) },
  engine: '0.1.0',
  catalog: {
    version: '0.1.0',
    digest: sha256(day < 77 ? 'catalog' : 'later catalog'),
    module: sha256(day < 77 ? 'rules' : 'later rules'),
  },
  rules: sha256(day < 77 ? 'rules' : 'later rules'),
  scope: [{ part: 'frameworks', sha256: sha256('soc2') }],
  checks: CHECKS,
  probes: PROBES,
  nodes: [1, 2, 3, 4, 5].map((number) => nodeOn(day, number)),
})

function entriesOn(day: number): readonly LoggedEntry[] {
  const said = { fleet: FLEET, signer: SIGNER }
  if (RECORDED.includes(day)) {
    const why = 'The network of the site was under maintenance, as announced on the board of the hall.'
    const at = `${dayOf(day)}T09:12:00.000Z`
    return [
      { entry: { kind: 'gap', schedule: 'nightly', due: dueOf(day), at, why, ...said }, signature: 'c2lnbmF0dXJl' },
    ]
  }
  if (!isRun(day)) return []
  const entry: ChainEntry = {
    kind: 'run',
    run: runOf(day),
    at: atOf(day),
    nodes: sha256('nodes'),
    tagManifest: sha256(runOf(day)),
    planned: { schedule: 'nightly', due: dueOf(day) },
    ...said,
  }
  return [{ entry, signature: null }]
}

function chain(): RunChain {
  const at = '2026-07-31T16:00:00.000Z'
  const own = { fleet: FLEET, signer: SIGNER, at }
  const plan: LoggedEntry = {
    entry: {
      kind: 'plan',
      schedule: 'nightly',
      cadence: 'every day at 02:00 in UTC',
      withinMinutes: 120,
      from: at,
      why: 'The nightly collection begins',
      ...own,
    },
    signature: 'c2lnbmF0dXJl',
  }
  const days = Array.from({ length: DAYS }, (_, index) => index + 1)
  return { id: sha256('chain'), fleet: FLEET, entries: [plan, ...days.flatMap(entriesOn)] }
}

const evidenceOf = (trace: RunTrace): RunEvidence => ({
  trace,
  scope: {
    fleet: FLEET,
    population: trace.nodes.map(({ node }) => node),
    frameworks: ['hipaa', 'soc2'],
    asOf: trace.asOf,
  },
  register: EMPTY_REGISTER,
})

export function samplePeriodInput(change: (period: Period) => Period = (period) => period): PeriodReportInput {
  const traces = Array.from({ length: DAYS }, (_, index) => index + 1)
    .filter(isRun)
    .map(sampleTrace)
  const evidence = new Map(traces.map((trace) => [sha256(trace.run), evidenceOf(trace)]))
  const fold = periodFold({
    from: dayOf(1),
    to: dayOf(DAYS),
    asOf: PERIOD_AS_OF,
    producer: 'Barewitness 0.1.0',
    catalog: catalogReference(sampleCatalog, {}),
    engagement: null,
    chain: chain(),
    zones,
    samples: [{ population: 'node-runs', size: 25, seed: 'from the practitioner, 2 November 2026' }],
    csv: csvOf,
    rules: sampleCatalog,
  })
  for (const run of fold.runs) fold.add(run, evidence.get(run.entry.tagManifest) ?? null)
  const { period, frameworks } = must(fold.finish())
  const changes = changeFold()
  for (const trace of traces) changes.add(trace)
  return {
    period: change(period),
    changes: changes.finish().changes,
    frameworks,
    catalog: sampleCatalog,
    producer: 'Barewitness 0.1.0',
    signer: { subject: 'Clinic evidence', fingerprint: SIGNER },
    packName: 'clinic-prod-2026-08-01-2026-10-31.barewitness-period.zip',
    evidenceDigest: sha256('evidence'),
    demo: false,
  }
}
