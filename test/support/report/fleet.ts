import { demoDeclared } from '../../../main/adapters/demo/demo-declared.ts'
import { catalog } from '../../../main/catalog/definition/index.ts'
import { fleetFiguresOf } from '../../../main/catalog/figures/figures.ts'
import { assessNode, compareNodes, conclude } from '../../../main/core/conclusion/assess.ts'
import type { ReportInput } from '../../../main/present/report.ts'
import { FIXTURE_TIME, fixtureRecording } from '../fixtures.ts'
import { sampleInput } from './sample.ts'

/** What each node of the fleet answers as, in turn; every twentieth was not collected. */
const BASES = ['demo-gpu-01', 'demo-gpu-02', 'demo-guest-03', 'demo-metal-04', 'demo-shared-05', 'demo-nosudo-06']

/** A report over so many emulated nodes under the whole catalog, with engagement, provider, inventory and register as the demo declares them. */
export function fleetInput(size: number): ReportInput {
  const population = Array.from({ length: size }, (_, index) => `node-${String(index + 1).padStart(4, '0')}`)
  const { engagement, provider, register } = demoDeclared(FIXTURE_TIME, population)
  const scope = {
    fleet: 'emulated',
    population,
    frameworks: ['hipaa', 'soc2'],
    inFleet: population,
    engagement,
    provider,
  }
  const terms = { ...scope, asOf: FIXTURE_TIME, profile: undefined }
  const bases = BASES.map((base) => fixtureRecording(base, catalog.probes))
  const judged = bases.map((loaded) => assessNode(catalog, loaded.recording.node.name, loaded, terms))
  const isCollected = (index: number): boolean => index % 20 !== 19
  const alone = population.map((node, index) => {
    const base = isCollected(index) ? judged[index % judged.length] : undefined
    return base === undefined ? assessNode(catalog, node, null, terms) : { ...base, node }
  })
  const recordings = population.flatMap((name, index) => {
    const base = bases[index % bases.length]
    if (base === undefined || !isCollected(index)) return []
    const { recording, captures } = base
    return [{ captures, recording: { ...recording, id: name, node: { ...recording.node, name } } }]
  })
  const nodes = compareNodes(catalog, alone, FIXTURE_TIME)
  const assessment = {
    schema: 'barewitness.assessment/1' as const,
    ...conclude(catalog, { scope, asOf: FIXTURE_TIME, demo: false, register }, nodes),
    nodes,
  }
  return { ...sampleInput(), catalog, recordings, register, assessment, fleetFigures: fleetFiguresOf(assessment) }
}
