import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPorts } from '../main/adapters/ports.ts'
import { earlierRuns } from '../main/app/export/export.ts'
import { keepRun } from '../main/app/history/rebuild-history.ts'
import { sha256 } from '../main/core/base/digest.ts'
import type { RunChain } from '../main/core/run-chain/entry.ts'
import { documentText } from '../main/present/report.ts'
import type { RunTrace, Scope } from '../schemas/types.ts'
import { BANNED } from '../schemas/words.ts'
import { engagementOf } from './support/engagement.ts'
import { must } from './support/outcomes.ts'
import { sampleTrace } from './support/report/period-sample.ts'
import { sampleCatalog, sampleInput } from './support/report/sample.ts'
import { wholeReport } from './support/report/whole.ts'

const ports = createPorts(sampleCatalog)
let root = ''
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'bw-earlier-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const SIGNER = sha256('the key')
/** Node 2 is contradicted on days 20 to 33, undecided on day 30; node 3 from day 40 on. */
const traces = [19, 20, 33, 34, 41].map(sampleTrace)
const own = sampleTrace(60)
const chain = (of: readonly RunTrace[]): RunChain => ({
  id: sha256('chain'),
  fleet: own.fleet,
  entries: of.map(({ run, asOf: at, fleet }) => ({
    entry: { kind: 'run', run, at, fleet, nodes: sha256('nodes'), tagManifest: sha256(run), signer: SIGNER },
    signature: null,
  })),
})
const scope: Scope = {
  fleet: own.fleet,
  population: own.nodes.map(({ node }) => node) as unknown as Scope['population'],
  frameworks: ['soc2'],
  engagement: {
    ...engagementOf({ nodes: [] }),
    reportingBasis: { kind: 'period', from: '2026-08-20', to: '2026-10-31' },
  },
}

const keep = (trace: RunTrace) =>
  keepRun(ports, root, {
    trace,
    sealed: { tagManifest: sha256(trace.run), signer: SIGNER, pack: `${trace.run}/pack`, at: trace.asOf },
  })

describe('what the report of a run states about earlier runs', () => {
  beforeAll(async () => {
    // The run of day 33 is not kept.
    for (const trace of traces.filter((_, index) => index !== 2)) must(await keep(trace))
  })

  test('runs of the declared period alone count, in the order of the chain, and those that are not kept decide nothing', async () => {
    const found = must(await earlierRuns(ports, root, { scope, chain: chain(traces), own }))
    expect(found?.runs.map(({ run, kept }) => [run.slice(-4), kept])).toEqual([
      ['0020', true],
      ['0033', false],
      ['0034', true],
      ['0041', true],
    ])
    expect(
      found?.deviations.map(({ node, check, found: { run }, fixed, open }) => [
        node,
        check,
        run.slice(-4),
        fixed?.run.slice(-4) ?? null,
        open,
      ]),
    ).toEqual([
      ['node-02', 'access.sshd-effective', '0020', '0034', false],
      ['node-03', 'access.accounts', '0041', null, true],
      ['node-05', 'encryption.at-rest.cipher', '0020', null, true],
    ])
  })

  test('nothing is looked at without a declared period, and a run that the chain does not name counts for nothing', async () => {
    const dated: Scope = {
      ...scope,
      engagement: { ...engagementOf({ nodes: [] }), reportingBasis: { kind: 'date', date: '2026-09-29' } },
    }
    expect(must(await earlierRuns(ports, root, { scope: dated, chain: chain(traces), own }))).toBeNull()
    expect(must(await earlierRuns(ports, root, { scope, chain: chain([]), own }))).toBeNull()
    // Under another seal than the chain names, it is not that run.
    const other = chain(traces.slice(1, 2))
    const entries = other.entries.map((logged) => ({
      ...logged,
      entry: { ...logged.entry, tagManifest: sha256('other') },
    }))
    expect(must(await earlierRuns(ports, root, { scope, chain: { ...other, entries } as RunChain, own }))).toBeNull()
  })

  test('the report names them with their seals, and states that they are not in the pack', async () => {
    const input = sampleInput()
    const earlier = must(await earlierRuns(ports, root, { scope, chain: chain(traces), own }))
    if (earlier === null) throw new Error('there are earlier runs')
    const said = documentText(wholeReport({ ...input, earlier })).join('\n')
    for (const { run, tagManifest } of earlier.runs) {
      expect(said).toContain(run)
      expect(said).toContain(tagManifest)
    }
    expect(said).toContain('Based on 3 of 4 earlier runs of the declared period and this run.')
    expect(said).toContain('The earlier runs are not in this pack.')
    expect(said).toContain('Run trace not available; not used.')
    expect(said).not.toContain('require later collections')
    // A check without a deviation now was tested all the same.
    expect(said).toMatch(/\naccess\.sshd-effective\n0 of [1-9]/)
    for (const banned of BANNED) expect(said).not.toMatch(banned)
  })

  test('a report without them is as it was', () => {
    expect(documentText(wholeReport(sampleInput())).join('\n')).toContain('require later collections')
  })
})
