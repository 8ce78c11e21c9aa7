import type { FlipDetail, RunDrift } from '../../../schemas/drift.ts'
import type { NodeAssessment, Recording, RunTrace, Scope, TracedNode } from '../../../schemas/types.ts'
import type { OpenPack, Ports } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { evidenceFolder } from '../../core/base/layout.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { PackScope } from '../../core/conclusion/assess.ts'
import { assessNode, compareNodes, declaredTerms, latest } from '../../core/conclusion/assess.ts'
import { driftOf } from '../../core/drift/compare.ts'
import { type Baseline, baselineIn, explainFlips, needsIn } from '../../core/drift/explain.ts'
import type { KeptHead } from '../../core/history/history.ts'
import { traceNode, traceOf, withVerdicts } from '../../core/history/trace.ts'
import { PATHS } from '../../core/pack/pack.ts'
import type { EvidenceStore } from '../../core/ports/ports.ts'
import { compare, type LoadedRecording } from '../../core/recording/recording.ts'
import { sharedAmong } from '../../core/recording/same-machine.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import { parsedJson } from '../../core/run-chain/entry.ts'
import { withPack } from '../common/pack-shelf.ts'
import { chainsBelow, listed } from './rebuild-history.ts'

export interface Compared {
  readonly drift: RunDrift
  readonly runs: readonly [before: FoundRun, after: FoundRun]
  /** The baseline that selected one of them; null where neither was selected so. */
  readonly baseline: Baseline | null
}

export interface FoundRun {
  readonly trace: RunTrace
  /**
   * `sealed`: from a sealed pack; `kept`: in the history, not sealed; `evidence`: evaluated from the stored evidence
   * under the current rules.
   */
  readonly from: 'sealed' | 'kept' | 'evidence'
  readonly head: KeptHead | null
}

/**
 * The drift between two runs of one folder. Fails with input.not-found where one of them is neither in the history nor
 * in the stored evidence, with input.refused where the selection is ambiguous; otherwise as history, chain and store
 * do.
 */
export async function driftBetween(
  ports: Pick<Ports, 'files' | 'openHistory' | 'openRunChain' | 'openStore'>,
  catalog: Catalog,
  input: DriftInput,
): Promise<Outcome<Compared>> {
  const history = await ports.openHistory(input.root)
  if (!history.ok) return history
  const heads = await history.value.list()
  if (!heads.ok) return heads
  const named = await namesOf(ports, heads.value, input)
  if (!named.ok) return named
  const find = async (run: string): Promise<Outcome<FoundRun>> => {
    const own = heads.value.filter((one) => one.run === run)
    const head = own.findLast(({ sealed }) => sealed !== null) ?? own.at(-1) ?? null
    if (head === null) {
      const made = await traceFromEvidence(ports, catalog, input.root, run)
      return made.ok ? ok({ trace: made.value, from: 'evidence', head }) : made
    }
    const kept = await history.value.load(run, head.sealed?.tagManifest ?? null)
    return kept.ok ? ok({ trace: kept.value.trace, from: head.sealed === null ? 'kept' : 'sealed', head }) : kept
  }
  const before = await find(named.value.before)
  if (!before.ok) return before
  const after = await find(named.value.after)
  if (!after.ok) return after
  const runs = [before.value, after.value] as const
  return ok({
    drift: comparable(driftOf(before.value.trace, after.value.trace, needsIn(catalog)), runs),
    runs,
    baseline: named.value.baseline,
  })
}

/**
 * The drift without declarations, where one of the runs was never exported: such a run states no declarations except
 * its nodes, so those of the other run are no change.
 */
const comparable = (drift: RunDrift, runs: Compared['runs']): RunDrift =>
  runs.every(({ from }) => from !== 'evidence')
    ? drift
    : {
        ...drift,
        rules: drift.rules.filter(({ what }) => what !== 'profile'),
        scope: drift.scope.filter(({ what }) => what !== 'part'),
      }

export interface TakenApart {
  readonly flips: readonly FlipDetail[]
  /**
   * Runs whose packs no longer provide their declarations: provider, location and profile count as not declared for
   * both runs.
   */
  readonly undeclared: readonly string[]
}

/**
 * The verdict changes of one node, analyzed with the stored evidence of both runs. Other declarations are read from
 * the packs of the runs, if these were not moved; a run that was never exported has none. Fails as the store does.
 */
export async function flipsBetween(
  ports: Pick<Ports, 'files' | 'openStore' | 'packs' | 'validator'>,
  catalog: Catalog,
  root: string,
  { runs: [before, after] }: Pick<Compared, 'runs'>,
  node: string,
): Promise<Outcome<TakenApart>> {
  const stateOf = async ({ trace, head, from }: FoundRun) => {
    const recording = await withStore(ports, root, trace.run, (store) => ofNode(store, trace.run, node))
    if (!recording.ok) return recording
    const scope = from === 'evidence' ? {} : await scopeOfPack(ports, root, head)
    return ok({ trace, recording: recording.value, terms: scope === null ? null : declaredTerms(scope) })
  }
  const [then, now] = [await stateOf(before), await stateOf(after)]
  if (!then.ok) return then
  if (!now.ok) return now
  return ok({
    flips: explainFlips(catalog, node, then.value, now.value),
    undeclared: [then, now].flatMap(({ value }) => (value.terms === null ? [value.trace.run] : [])),
  })
}

/** The declarations of a run, from its own pack; null where that pack is missing or was replaced. */
async function scopeOfPack(
  ports: Pick<Ports, 'packs' | 'validator'>,
  root: string,
  head: KeptHead | null,
): Promise<Scope | null> {
  const sealed = head?.sealed ?? null
  if (sealed === null) return null
  const scope = await withPack(ports, `${root}/${sealed.pack}`, async (pack) =>
    // Null where the pack ended while it was read.
    ok(await sealedScope(pack, sealed.tagManifest).catch(() => null)),
  )
  const isUsable = scope.ok && scope.value !== null && ports.validator.problems('scope', scope.value).length === 0
  return isUsable ? scope.value : null
}

async function sealedScope(pack: OpenPack, tagManifest: string): Promise<Scope | null> {
  if (!pack.paths.includes(PATHS.tagManifest) || (await pack.sha256(PATHS.tagManifest)) !== tagManifest) return null
  const isListed =
    (await listed(pack, PATHS.tagManifest, PATHS.manifest)) && (await listed(pack, PATHS.manifest, PATHS.scope))
  if (!isListed) return null
  const stated = parsedJson(new TextDecoder().decode(await pack.read(PATHS.scope))) as PackScope | null
  if (stated === null) return null
  const { asOf: _, ...scope } = stated
  return scope
}

/** A run by its id or a keyword: the newest, the one before the later of the two, or the current baseline. */
const RUN_WORDS = ['latest', 'before', 'baseline'] as const

interface DriftInput {
  /** The folder that contains evidence, history and chains: a command’s --out, or the window’s own folder. */
  readonly root: string
  /** Required only where the folder contains runs of several fleets and a run is not given by its id. */
  readonly fleet?: string
  readonly before: string
  readonly after: string
}

interface Named {
  readonly before: string
  readonly after: string
  readonly baseline: Baseline | null
}

/**
 * Resolves which runs are meant, including keywords. Fails with input.refused where that is ambiguous, with
 * input.not-found where there is no such run; otherwise as chains and store do.
 */
async function namesOf(
  ports: Pick<Ports, 'files' | 'openRunChain' | 'openStore'>,
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
  const runs = await runsOf(ports, heads, input.root, fleet)
  if (!runs.ok) return runs
  if (runs.value.length === 0) return fail('input.not-found', 'no run is stored in this folder')
  const chains = await chainsBelow(ports, input.root)
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
  ports: Pick<Ports, 'files' | 'openStore'>,
  heads: readonly KeptHead[],
  root: string,
  fleet: string | undefined,
): Promise<Outcome<readonly string[]>> {
  const own = heads.filter((head) => head.fleet === fleet).map(({ run, asOf }) => ({ run, at: asOf }))
  const known = new Set(heads.map(({ run }) => run))
  const stored = heads.every((head) => head.fleet === fleet) ? await collectedRuns(ports, root) : ok([])
  if (!stored.ok) return stored
  const all = [...own, ...stored.value.filter(({ run }) => !known.has(run))]
  return ok([...new Set(all.sort((a, b) => compare(a.at, b.at) || compare(a.run, b.run)).map(({ run }) => run))])
}

/**
 * The trace of a run that was never exported, from its stored evidence, with the given catalog, as of the end of its
 * last recording, and with no declarations except its nodes. Fails with input.not-found where there is no such
 * evidence; otherwise as the store does.
 */
const traceFromEvidence = (
  ports: Pick<Ports, 'files' | 'openStore'>,
  catalog: Catalog,
  root: string,
  run: string,
): Promise<Outcome<RunTrace>> =>
  withStore(ports, root, run, async (store) => {
    const listed = await store.list(run)
    if (!listed.ok) return listed
    const asOf = lastEnd(listed.value)
    if (asOf === undefined) return missing(run)
    const names = [...new Set(listed.value.map(({ node }) => node.name))].sort(compare)
    const alone: NodeAssessment[] = []
    const traced: TracedNode[] = []
    for (const name of names) {
      const loaded = await ofNode(store, run, name)
      if (!loaded.ok) return loaded
      const assessed = assessNode(catalog, name, loaded.value, { asOf, profile: undefined })
      alone.push(assessed)
      traced.push(traceNode(catalog, loaded.value, assessed))
    }
    const compared = new Map(compareNodes(catalog, alone, asOf).map((node) => [node.node, node]))
    const nodes = traced.map((one) => withVerdicts(catalog, one, compared.get(one.node)))
    const scope = { fleet: 'not exported', population: names, frameworks: [] }
    const demo = listed.value.some((recording) => recording.demo)
    return ok(
      traceOf(catalog, { run, planned: null, assessment: { asOf, scope, demo, shared: sharedAmong(alone) }, nodes }),
    )
  })

/** Every run with stored evidence, and when its last recording ended; unordered. Fails as the store does. */
async function collectedRuns(
  ports: Pick<Ports, 'files' | 'openStore'>,
  root: string,
): Promise<Outcome<readonly { readonly run: string; readonly at: string }[]>> {
  const folder = evidenceFolder(root)
  if (!(await ports.files.isThere(folder))) return ok([])
  const store = await ports.openStore(folder)
  if (!store.ok) return store
  const names = await store.value.runs()
  if (!names.ok) return names
  const runs: { readonly run: string; readonly at: string }[] = []
  for (const run of names.value) {
    const listed = await store.value.list(run)
    if (!listed.ok) return listed
    const at = lastEnd(listed.value)
    if (at !== undefined) runs.push({ run, at })
  }
  return ok(runs)
}

const lastEnd = (recordings: readonly Pick<Recording, 'endedAt'>[]): string | undefined =>
  recordings
    .map(({ endedAt }) => endedAt)
    .sort(compare)
    .at(-1)

/** The recording of a node that a run’s stored evidence rests on; null where it has none. */
async function ofNode(store: EvidenceStore, run: string, node: string): Promise<Outcome<LoadedRecording | null>> {
  const listed = await store.list(run)
  if (!listed.ok) return listed
  const loaded: LoadedRecording[] = []
  for (const { id, node: own } of listed.value) {
    if (own.name !== node) continue
    const one = await store.load(run, id)
    if (!one.ok) return one
    loaded.push(one.value)
  }
  return ok(latest(loaded, node))
}

const missing = (run: string): Outcome<never> =>
  fail('input.not-found', `${plain(run, 100)} is neither in the history of this folder nor in its stored evidence`)

async function withStore<T>(
  ports: Pick<Ports, 'files' | 'openStore'>,
  root: string,
  run: string,
  use: (store: EvidenceStore) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const folder = evidenceFolder(root)
  // A run’s id is one folder name; anything else could be a path out of this folder.
  if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(run) || !(await ports.files.isThere(`${folder}/${run}`))) return missing(run)
  const store = await ports.openStore(folder)
  if (!store.ok) return store
  return await use(store.value)
}
