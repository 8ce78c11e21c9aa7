import type { Period, PeriodSample } from '../../../schemas/types.ts'
import { jsonBytes } from '../base/canonical-json.ts'
import { type Sha256, sha256 } from '../base/digest.ts'
import { isSafeName } from '../base/layout.ts'
import { STATEMENT_TYPE } from '../pack/pack.ts'
import {
  digestOf,
  isSafePath,
  type ManifestDigests,
  nodeFolder,
  PATHS,
  type PackContent,
  type PackFiles,
  type PackForm,
} from '../pack/pack-files.ts'
import type { PackSource } from '../ports/ports.ts'
import { compare } from '../recording/recording.ts'
import type { PeriodEntry } from '../run-chain/entry.ts'
import { CHAIN_PATHS } from '../run-chain/notes.ts'
import { sampledNodes } from './period.ts'

/** The content of a sealed period report. */
export const PERIOD_PATH = 'data/period.json'
/** Self-description of a pack excerpt: run, nodes and purpose. It is not sealed. */
export const EXCERPT_PATH = 'excerpt.json'
const RUNS = 'data/runs/'

const PERIOD_PREDICATE = 'https://barewitness.dev/period-pack/v1'

/** The file names of a period, without their extensions, and its identifier in bag-info.txt. */
export const periodName = ({ from, to }: Pick<Period, 'from' | 'to'>): string => `period-${from}-${to}`
/** Where VERIFY.txt of a period report states captures to be. */
export const NODES_OF_RUNS = `${RUNS}RUN/data/nodes`

const SUBJECTS = [PERIOD_PATH, PATHS.report]

/** Contents of a period report pack. */
export const PERIOD_FORM: PackForm = {
  needed: [PERIOD_PATH, PATHS.report, PATHS.help, PATHS.verifyScript],
  subjects: SUBJECTS,
  // The lists and the parts of runs are compared one by one.
  isPayload: (path) => PAYLOAD.has(path) || path.startsWith('data/populations/') || path.startsWith(RUNS),
}
const PAYLOAD: ReadonlySet<string> = new Set([...SUBJECTS, ...Object.values(CHAIN_PATHS)])

export const isPeriodPack = ({ paths }: Pick<PackSource, 'paths'>): boolean => paths.includes(PERIOD_PATH)
export const isExcerpt = ({ paths }: Pick<PackSource, 'paths'>): boolean => paths.includes(EXCERPT_PATH)

/** Path of the part of a run’s pack. A name that some file systems cannot store is replaced by its digest. */
export const runFolder = (run: string): string => `${RUNS}${isSafeName(run) ? run : `run-${sha256(run).slice(0, 24)}`}`

/** Folders below data/runs, sorted. */
export const runFolders = ({ paths }: Pick<PackSource, 'paths'>): readonly string[] =>
  [...new Set(paths.flatMap((path) => /^data\/runs\/[^/]+/.exec(path)?.[0] ?? []))].sort(compare)

/** Includes the checkpoint stated by the run itself: earlier entries cannot be rewritten without invalidating the run. */
const ALWAYS: readonly string[] = [
  PATHS.bag,
  PATHS.info,
  PATHS.manifest,
  PATHS.tagManifest,
  PATHS.statement,
  PATHS.trace,
  PATHS.scope,
  PATHS.register,
  CHAIN_PATHS.chain,
]
/** Files required to evaluate a node, in addition to its folder. */
const WITH_NODES: readonly string[] = [PATHS.catalog, PATHS.assessment]

/**
 * The files of a run’s pack enclosed in a period report: the seal and its validation data, the run trace, its declarations and register, and
 * the complete folder of each of `nodes`. The sealed lists link each to the seal of the run.
 */
export function partialPaths(paths: readonly string[], nodes: readonly string[]): readonly string[] {
  const folders = nodes.map((node) => `${nodeFolder(node)}/`)
  return paths.filter(
    (path) =>
      ALWAYS.includes(path) ||
      path.startsWith('signature/') ||
      (nodes.length > 0 && WITH_NODES.includes(path)) ||
      folders.some((folder) => path.startsWith(folder)),
  )
}

/** A part of a pack as a separate source: the contents of a folder, or only some of its files. */
export const below = (source: PackSource, folder: string): PackSource => ({
  paths: source.paths.filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1)),
  sha256: (path) => source.sha256(`${folder}/${path}`),
  size: (path) => source.size(`${folder}/${path}`),
  read: (path, most) => source.read(`${folder}/${path}`, most),
})
export const onlyPaths = (source: PackSource, paths: readonly string[]): PackSource => ({ ...source, paths })

/** The payload of a period report pack, without its PDF. Throws on names that a pack cannot contain, which is a program error. */
export function periodPayload(
  period: Period,
  parts: {
    readonly tables: ReadonlyMap<string, Uint8Array>
    readonly log: ReadonlyMap<string, Uint8Array>
    /** Parts of the runs’ packs, by path in this pack. */
    readonly bags: PackFiles
  },
): Map<string, PackContent> {
  const files = new Map<string, PackContent>([
    ...parts.log,
    ...parts.tables,
    ...parts.bags,
    [PERIOD_PATH, jsonBytes(period)] as const,
  ])
  const unfit = [...files.keys()].find((path) => !isSafePath(path))
  if (unfit !== undefined) throw new Error(`a pack cannot hold the name ${JSON.stringify(unfit)}`)
  return files
}

/** The content of statement.json (in-toto attestation framework, v1): derived from the period and the files, so a verifier can reproduce it. */
export function periodStatement(
  period: Period,
  { manifest, digests }: { readonly manifest: ManifestDigests; readonly digests: ReadonlyMap<string, Sha256> },
): { readonly subject: { readonly name: string; readonly digest: { readonly sha256: Sha256 } }[] } & Record<
  string,
  unknown
> {
  const { fleet, from, to, asOf, demo, producer, chain } = period
  const named = SUBJECTS.flatMap((name) => {
    const digest = digests.get(name)
    return digest === undefined ? [] : [{ name, digest: { sha256: digest } }]
  })
  return {
    _type: STATEMENT_TYPE,
    subject: [{ name: PATHS.manifest as string, digest: { sha256: manifest.sha256 } }, ...named].sort((a, b) =>
      compare(a.name, b.name),
    ),
    predicateType: PERIOD_PREDICATE,
    predicate: { fleet, from, to, asOf, demo, producer, chain, report: { evidenceDigest: manifest.evidenceDigest } },
  }
}

export const subjectDigests = (payload: PackFiles): ReadonlyMap<string, Sha256> =>
  new Map(
    SUBJECTS.flatMap((name) => {
      const content = payload.get(name)
      return content === undefined ? [] : [[name, digestOf(content)] as const]
    }),
  )

/** The run chain entry of a period report pack. */
export const periodEntry = (
  { from, to, asOf, fleet }: Pick<Period, 'from' | 'to' | 'asOf' | 'fleet'>,
  tagManifest: Uint8Array,
  signer: Sha256,
): PeriodEntry => ({ kind: 'period', from, to, at: asOf, fleet, tagManifest: sha256(tagManifest), signer })

/** Nodes of one run whose captures a period report requires. */
export const nodesAsked = (samples: readonly PeriodSample[], run: string): readonly string[] =>
  sampledNodes(samples).get(run) ?? []
