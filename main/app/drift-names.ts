import type { Ports } from '../core/all-ports.ts'
import { type Baseline, baselineIn } from '../core/drift/baseline.ts'
import { fail, type Outcome } from '../core/failure.ts'
import type { KeptHead } from '../core/history.ts'
import { plain } from '../core/plain-text.ts'
import { compare } from '../core/recording.ts'
import { ok } from '../core/result.ts'
import { chainsBelow } from './chains.ts'
import { collectedRuns } from './trace-from-evidence.ts'

/** A run by its id or a keyword: the newest, the one before the later of the two, or the current baseline. */
export const RUN_WORDS = ['latest', 'before', 'baseline'] as const

export interface DriftInput {
  /** The folder that contains evidence, history and chains: a command’s --out, or the window’s own folder. */
  readonly root: string
  /** Required only where the folder contains runs of several fleets and a run is not given by its id. */
  readonly fleet?: string
  readonly before: string
  readonly after: string
}

export interface Named {
  readonly before: string
  readonly after: string
  readonly baseline: Baseline | null
}

/**
 * Resolves which runs are meant, including keywords. Fails with input.refused where that is ambiguous, with
 * input.not-found where there is no such run; otherwise as chains and store do.
 */
export async function namesOf(
  world: Pick<Ports, 'files' | 'openRunChain' | 'openStore'>,
  heads: readonly KeptHead[],
  input: DriftInput,
): Promise<Outcome<Named>> {
  const isWord = (name: string): boolean => RUN_WORDS.some((word) => word === name)
  if (!isWord(input.before) && !isWord(input.after))
    return ok({ before: input.before, after: input.after, baseline: null })
  const fleets = [...new Set(heads.map(({ fleet }) => fleet))]
  if (input.fleet === undefined && fleets.length > 1)
    return fail('input.refused', 'runs of several fleets are stored here; name one fleet')
  const fleet = input.fleet ?? fleets[0]
  const runs = await runsOf(world, heads, input.root, fleet)
  if (!runs.ok) return runs
  if (runs.value.length === 0) return fail('input.not-found', 'no run is stored in this folder')
  const chains = await chainsBelow(world, input.root)
  if (!chains.ok) return chains
  const chain = chains.value.find((one) => one.chain.fleet === fleet)?.chain
  const baseline = chain === undefined ? null : baselineIn(chain)
  const latest = runs.value.at(-1)
  const named = (word: string, other: string | undefined): string | undefined =>
    word === 'latest'
      ? latest
      : word === 'baseline'
        ? baseline?.run
        : word === 'before'
          ? runs.value[runs.value.indexOf(other ?? '') - 1]
          : word
  const after = named(input.after, latest)
  const before = named(input.before, after)
  if (before === undefined || after === undefined) return fail('input.not-found', notNamed(input, fleet, after))
  const isAgainst = input.before === 'baseline' || input.after === 'baseline'
  return ok({ before, after, baseline: isAgainst ? baseline : null })
}

function notNamed({ before, after }: DriftInput, fleet: string | undefined, found: string | undefined): string {
  const whose = fleet === undefined ? '' : ` of ${plain(fleet, 100)}`
  if ((found === undefined ? after : before) === 'baseline') return `no run${whose} was set as the baseline`
  return `there is no ${found === undefined ? 'such' : 'earlier'} run${whose} in this folder`
}

/**
 * Runs of a fleet, oldest first: those in the history, and, where the folder holds one fleet only, those collected but
 * never exported.
 */
async function runsOf(
  world: Pick<Ports, 'files' | 'openStore'>,
  heads: readonly KeptHead[],
  root: string,
  fleet: string | undefined,
): Promise<Outcome<readonly string[]>> {
  const own = heads.filter((head) => head.fleet === fleet).map(({ run, asOf }) => ({ run, at: asOf }))
  const known = new Set(heads.map(({ run }) => run))
  const stored = heads.every((head) => head.fleet === fleet) ? await collectedRuns(world, root) : ok([])
  if (!stored.ok) return stored
  const all = [...own, ...stored.value.filter(({ run }) => !known.has(run))]
  return ok([...new Set(all.sort((a, b) => compare(a.at, b.at) || compare(a.run, b.run)).map(({ run }) => run))])
}
