import { assessIsolation } from '../../../main/catalog/single-tenancy/isolation/argue.ts'
import { type Parsed, readProbe } from '../../../main/core/recording/probe.ts'
import type { IsolationArgument } from '../../../main/core/rules/catalog.ts'
import { BASELINE } from '../baseline.ts'
import { answersOf, nodeOfCase } from './adapter.ts'
import type { CorpusCase } from './labels.ts'
import { CATALOG_PROBES } from './probes.ts'

export interface Assessed extends CorpusCase {
  readonly environment: string
  readonly named: string | null
  readonly argument: IsolationArgument
  readonly readings: ReadonlyMap<string, Parsed<unknown>>
  /** Probes that had an answer. */
  readonly read: number
  readonly judgement: Judgement
}

export type Judgement = 'right' | 'undecided' | 'wrong' | 'not judged'

const TIME = '2026-11-20T09:12:00.000Z'
const CONTEXT = {
  node: { name: 'n', address: '192.0.2.1', port: 22, user: 'u', sudo: true },
  asOf: TIME,
  observedAt: TIME,
  thresholds: BASELINE,
} as const

/** What each truth is in the words of an answer. Truths without a line are not judged. */
const RIGHT: Readonly<Record<string, readonly string[]>> = {
  'bare-metal': ['bare-metal'],
  vm: ['virtual-machine'],
  container: ['container'],
  lpar: ['logical-partition'],
  'hypervisor-host': ['hypervisor-host'],
}

/** Assesses one case with the catalog as it is: the answers that its capture holds, and nothing else. */
export function assessCase(one: CorpusCase): Assessed {
  const node = nodeOfCase(...one.folders)
  const answers = answersOf(node, CATALOG_PROBES)
  const readings = new Map(CATALOG_PROBES.map((probe) => [probe.id, readProbe(probe, answers)]))
  const argument = assessIsolation(readings, CONTEXT)
  return {
    ...one,
    environment: argument.environment,
    named: argument.platform,
    argument,
    readings,
    read: [...readings.values()].filter(({ ok }) => ok).length,
    judgement: judge(one.truth, argument.environment),
  }
}

export function judge(truth: string, environment: string): Judgement {
  const right = RIGHT[truth]
  if (right === undefined) return 'not judged'
  if (environment === 'undetermined') return 'undecided'
  return right.includes(environment) ? 'right' : 'wrong'
}
