import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDemoFleet } from '../main/adapters/demo/demo-fleet.ts'
import { createPorts } from '../main/adapters/ports.ts'
import { collectRun } from '../main/app/collect/collect-run.ts'
import { demoVantageRecord } from '../main/app/collect/vantage-nodes.ts'
import { type Evaluated, evaluate } from '../main/app/evaluate/evaluate.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import type { Ports } from '../main/core/all-ports.ts'
import { populationWith } from '../main/core/engagement/coverage.ts'
import { READING_DIGITS } from '../main/core/history/trace.ts'
import { compare } from '../main/core/recording/recording.ts'
import { must } from './support/outcomes.ts'

const DAY_MS = 86_400_000
const RECORDED = Date.parse('2026-11-20T09:12:00Z')

/** The ports with a clock that shows so many days after the recording of the demo nodes, and goes on from there. */
function portsAfter(days: number): Ports {
  const ports = createPorts(catalog)
  const ahead = RECORDED + days * DAY_MS - Date.now()
  const clock = { ...ports.clock, now: () => new Date(Date.now() + ahead).toISOString() }
  return { ...ports, clock, demo: { start: () => startDemoFleet(catalog.probes, clock) } }
}

/** The demo as the command collects and assesses it. */
async function demoAfter(days: number): Promise<Evaluated> {
  const ports = portsAfter(days)
  const folder = mkdtempSync(join(tmpdir(), 'bw-demo-days-'))
  const demo = await ports.demo.start()
  try {
    const collected = must(
      await collectRun(ports, catalog, {
        run: '20261120t0912z-aaaa',
        targets: demo.targets,
        storeFolder: folder,
        concurrency: 4,
        marks: demo.marks,
        signal: new AbortController().signal,
        onEvent: () => {},
        spreadSeconds: 0,
      }),
    )
    const asOf = ports.clock.now()
    const { engagement, provider, register, location } = demo.declared(asOf)
    const vantage = must(await demoVantageRecord(ports, demo, asOf))
    const nodes = demo.targets.map(({ node }) => node.name)
    const scope = {
      fleet: demo.fleet.name,
      population: populationWith(nodes, engagement),
      frameworks: ['hipaa', 'soc2'],
      inFleet: nodes,
      engagement,
      provider,
      location: { ...location, vantages: [vantage] },
    }
    return must(await evaluate(catalog, { scope, recordings: collected.recordings, asOf, register }))
  } finally {
    await demo.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Row = readonly [node: string, check: string, verdict: string]

const differing = (one: readonly Row[], other: readonly Row[]) =>
  one.flatMap((row, at) => (row.join() === other[at]?.join() ? [] : [[...row, other[at]?.[2]]]))

const PROBES = catalog.probes.map(({ id }) => id).sort(compare)
/** Host keys are generated at each start of the demo fleet. */
const OF_HOST_KEYS = ['ssh.servers', 'ssh.session']

/** What is concluded and counted, and what drift compares between runs. */
const concludedIn = ({ assessment, traced }: Evaluated) => ({
  verdicts: assessment.nodes.flatMap(({ node, results }) =>
    results.map(({ check, verdict }): Row => [node, check, verdict]),
  ),
  location: assessment.nodes.map(({ node, location }) => [
    node,
    location?.results.map(({ result }) => result),
    location?.distanceBounds.map(({ milliseconds, maxDistanceKm }) => [milliseconds, maxDistanceKm]),
  ]),
  controls: assessment.controls.map(({ control, state }) => [control, state]),
  readings: traced.map(({ node, readings }) => [
    node,
    PROBES.map((probe, at) => [probe, readings.slice(at * READING_DIGITS, (at + 1) * READING_DIGITS)]).filter(
      ([probe]) => !OF_HOST_KEYS.includes(probe ?? ''),
    ),
  ]),
})

test('the demo concludes the same on any day and at any hour, and shows no drift', async () => {
  const first = concludedIn(await demoAfter(0))
  for (const days of [8, 40.6]) expect(concludedIn(await demoAfter(days))).toEqual(first)
  // The rules rely on their list of regions for 90 days: what it supported is left open by a program that is older than that.
  const { verdicts, ...others } = concludedIn(await demoAfter(400.3))
  const { verdicts: before, ...same } = first
  expect(others).toEqual(same)
  expect(differing(before, verdicts)).toEqual([
    ['demo-gpu-02', 'location.provider-claim', 'satisfied', 'inconclusive'],
    ['demo-shared-05', 'location.provider-claim', 'satisfied', 'inconclusive'],
  ])
})
