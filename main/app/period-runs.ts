import type { OpenPack, Ports } from '../core/all-ports.ts'
import { canonicalJson } from '../core/canonical-json.ts'
import type { Failure } from '../core/failure.ts'
import { packOfRun } from '../core/layout.ts'
import type { PackContent } from '../core/pack-files.ts'
import type { RunEvidence } from '../core/period/conclusions.ts'
import { onlyPaths, partialPaths, runFolder } from '../core/period/pack.ts'
import type { EnteredRun } from '../core/period/runs.ts'
import { readBag } from '../verify/steps/bag.ts'
import { NO_TRUST } from '../verify/steps/trust.ts'
import { firstOpen, type PackShelf } from './pack-shelf.ts'

/** Where packs of runs may be stored below a folder: as the history states, and as `run` writes them. */
export type PackPlaces = (run: EnteredRun) => readonly string[]

/** The pack of a run that was found and is the one that the chain names. */
export interface RunAtHand {
  readonly evidence: RunEvidence
  readonly path: string
  readonly pack: OpenPack
}

/** Locations from the history; without a history only the default ones. */
export async function packPlaces(ports: Pick<Ports, 'openHistory'>, root: string): Promise<PackPlaces> {
  const kept = new Map<string, string>()
  const history = await ports.openHistory(root)
  if (history.ok) {
    const heads = await history.value.list()
    for (const { sealed } of heads.ok ? heads.value : []) if (sealed !== null) kept.set(sealed.tagManifest, sealed.pack)
  }
  return ({ entry: { run, tagManifest } }) => {
    const said = kept.get(tagManifest)
    return [...(said === undefined ? [] : [said.startsWith('/') ? said : `${root}/${said}`]), packOfRun(root, run)]
  }
}

/**
 * Opens the pack of a run and checks what a period uses, before a byte is used: its lists, its seal, and that the chain
 * names it. A failure states why the run is not available.
 */
export async function runAtHand(
  { sealing, validator }: Pick<Ports, 'sealing' | 'validator'>,
  shelf: PackShelf,
  run: EnteredRun,
  {
    places,
    head,
  }: { readonly places: PackPlaces /** Of the chain before it: headsBefore(). */; readonly head: string },
): Promise<{ readonly found: RunAtHand } | { readonly found: null; readonly why: Failure }> {
  const opened = await firstOpen(shelf, places(run))
  const lost = (code: Failure['code'], detail: string) =>
    ({ found: null, why: { code, detail: `run ${run.entry.run}: ${detail}` } }) as const
  if (!opened.ok) return lost(opened.error.code, opened.error.detail)
  const { path, pack } = opened.value
  const bag = await readBag(onlyPaths(pack, partialPaths(pack.paths, [])), {
    seal: sealing.reader,
    validator,
    trust: NO_TRUST,
  })
  const [wrong] = bag.problems
  if (wrong !== undefined) return lost('pack.altered', wrong)
  if (bag.own === null || canonicalJson(bag.own) !== canonicalJson(run.entry))
    return lost('pack.altered', `${path} is not the pack that the chain names`)
  if (bag.head === null || canonicalJson(bag.head) !== head)
    return lost('pack.altered', `${path} states another chain before it than this one`)
  if (bag.evidence === null) return lost('pack.unreadable', 'its pack is older than run traces')
  return { found: { evidence: bag.evidence, path, pack } }
}

/** The files of a run's pack that a period encloses, by path in the pack of the period; `nodes` complete. */
export const enclosedFiles = (
  shelf: PackShelf,
  run: string,
  { path, pack }: Pick<RunAtHand, 'path' | 'pack'>,
  nodes: readonly string[],
): readonly (readonly [string, PackContent])[] =>
  partialPaths(pack.paths, nodes).map((file) => [`${runFolder(run)}/${file}`, shelf.content(path, pack, file)])
