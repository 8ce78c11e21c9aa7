import type { RunTrace, Statement } from '../../../schemas/types.ts'
import { quote } from '../../core/base/plain-text.ts'
import { BAG_DECLARATION, NAMED_SUBJECTS, PATHS } from '../../core/pack/pack.ts'
import { evidenceDigestOf, isSafePath, linesOf, nodeFolder } from '../../core/pack/pack-files.ts'
import type { RunEvidence } from '../../core/period/conclusions.ts'
import { partialPaths } from '../../core/period/pack.ts'
import type { PackSource, SchemaValidator, SealReader, SealReading } from '../../core/ports/ports.ts'
import { ownEntry, type RunEntry } from '../../core/run-chain/entry.ts'
import { CHAIN_PATHS, type StatedHead } from '../../core/run-chain/notes.ts'
import { parseStatedHead } from '../../core/run-chain/read.ts'
import { bytesOf, canonical, nodeFolders, readScope, textOf } from './read.ts'
import { readRegister } from './register.ts'
import { namedAuthority, readSealOf } from './signature.ts'
import { subjectProblems } from './subjects.ts'
import { enclosedTagProblems, isRunPayload, isTagFile, matterOfRun, notInPacks } from './tags.ts'
import type { Trust } from './trust.ts'

/** The enclosed part of a run’s pack that the seal of the pack covers. */
export interface BagReading {
  readonly statement: Statement | null
  /** Null where it is missing, invalid, or of a different run from the statement. */
  readonly trace: RunTrace | null
  /** The data that conclusions over a period need from the run; null where a part of it is missing or invalid. */
  readonly evidence: RunEvidence | null
  /** The run chain entry that corresponds to its pack; null where it cannot be derived. */
  readonly own: RunEntry | null
  /** The checkpoint of the run chain before it, as its pack states it; null where it states none. */
  readonly head: StatedHead | null
  readonly seal: SealReading | null
  /** Empty: every file that was read matches the sealed digests of the run’s pack. */
  readonly problems: readonly string[]
}

/** Reads a part of a run’s pack: lists, seal, run trace, declarations and register, and compares every file with the lists. Never throws, whatever it contains. */
export async function readBag(
  source: PackSource,
  {
    seal: reader,
    validator,
    trust,
  }: { readonly seal: SealReader; readonly validator: SchemaValidator; readonly trust: Trust },
): Promise<BagReading> {
  const manifestText = await textOf(source, PATHS.manifest)
  const manifest = listIn(manifestText)
  const tags = listIn(await textOf(source, PATHS.tagManifest))
  const seal = await readSealOf(source, reader, trust)
  const stated = canonical(await textOf(source, PATHS.statement))
  const statement =
    stated !== null && validator.problems('statement', stated.value).length === 0 ? (stated.value as Statement) : null
  const tagManifest = await bytesOf(source, PATHS.tagManifest)
  const signer = seal?.problems.length === 0 ? (seal.signer?.fingerprint ?? null) : null
  const own =
    statement === null || tagManifest === null || signer === null
      ? null
      : ownEntry(statement.predicate, tagManifest, signer)
  const trace = await traceIn(source, validator, statement)
  const scope = await readScope(source, validator)
  const register = await readRegister(source, validator)
  const evidence =
    trace === null || scope === null || scope.asOf !== trace.asOf || 'problem' in register
      ? null
      : { trace, scope, register }
  const head = parseStatedHead(await textOf(source, CHAIN_PATHS.chain))
  return {
    statement,
    trace,
    evidence,
    own,
    head,
    seal,
    problems: [
      ...(tags === null ? [`${PATHS.tagManifest} is missing or is not a valid list.`] : []),
      ...(manifest === null ? [`${PATHS.manifest} is missing or is not a valid list.`] : []),
      ...(seal === null ? ['The seal is missing.'] : seal.problems),
      ...(statement === null ? [`${PATHS.statement} is missing or does not have the required form.`] : []),
      ...(statement === null || manifest === null || manifestText === null
        ? []
        : [
            ...subjectProblems(statement, manifestText, { named: NAMED_SUBJECTS, digests: manifest }),
            ...(statement.predicate.report.evidenceDigest === evidenceDigestOf(manifestText)
              ? []
              : [`${PATHS.statement} and ${PATHS.manifest} disagree about the evidence digest.`]),
          ]),
      ...(trace === null && source.paths.includes(PATHS.trace)
        ? [`${PATHS.trace} is not a run trace of that run in canonical form.`]
        : []),
      ...(head === null && source.paths.includes(CHAIN_PATHS.chain)
        ? [`${CHAIN_PATHS.chain} is not a checkpoint in canonical form.`]
        : []),
      ...(trace !== null && evidence === null
        ? [`${PATHS.scope} or ${PATHS.register} is missing, or is not of that run in valid form.`]
        : []),
      ...((await textOf(source, PATHS.bag)) === BAG_DECLARATION
        ? []
        : [`${PATHS.bag} does not declare a BagIt 1.0 bag.`]),
      ...(await fileProblems(source, manifest ?? new Map(), tags ?? new Map())),
      ...lackingFiles(source, manifest ?? new Map(), tags ?? new Map()),
      ...[...(tags?.keys() ?? [])].filter((path) => !isTagFile(path)).map(notInPacks),
      ...[...(manifest?.keys() ?? [])].filter((path) => !isRunPayload(path)).map(notInPacks),
      ...(seal?.signer == null || statement === null
        ? []
        : await enclosedTagProblems(source, matterOfRun(statement, seal.signer), manifest?.size ?? 0)),
      ...((await namedAuthority(source)).wholeChains && seal?.timestamps.length === 0
        ? ['The time-stamp required by its seal is missing.']
        : []),
    ],
  }
}

async function traceIn(
  source: PackSource,
  validator: SchemaValidator,
  statement: Statement | null,
): Promise<RunTrace | null> {
  const found = canonical(await textOf(source, PATHS.trace))
  if (found === null || statement === null || validator.problems('trace', found.value).length > 0) return null
  const trace = found.value as RunTrace
  const { run, fleet, asOf, demo } = statement.predicate
  const isOwn = trace.run === run && trace.fleet === fleet && trace.asOf === asOf && trace.demo === demo
  const count = trace.checks.length
  return isOwn && trace.nodes.every(({ verdicts }) => verdicts.length === count) ? trace : null
}

type List = ReadonlyMap<string, string>

/** A list as written by sha256sum, parsed strictly: one line format, in order, each path once. Null for anything else. */
function listIn(text: string | null): List | null {
  if (text === null || !text.endsWith('\n')) return null
  const list = new Map<string, string>()
  let before = ''
  for (const line of linesOf(text)) {
    const [, digest, path = ''] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? []
    if (digest === undefined || !isSafePath(path) || path <= before) return null
    before = path
    list.set(path, digest)
  }
  return list
}

/** Every file must match the sealed lists; the sealed list itself, the seal and its time-stamps are in no list. */
async function fileProblems(source: PackSource, manifest: List, tags: List): Promise<readonly string[]> {
  const problems: string[] = []
  for (const path of source.paths) {
    if (path === PATHS.tagManifest || isOfSeal(path)) continue
    const listed = (path.startsWith('data/') ? manifest : tags).get(path)
    const digest = await source.sha256(path).catch(() => null)
    if (listed === undefined) problems.push(`${quote(path, 400)} is not in any list of the run’s pack.`)
    else if (digest !== listed)
      problems.push(`${quote(path, 400)} was altered: its digest differs from the listed one.`)
  }
  return problems
}

const isOfSeal = (path: string): boolean =>
  path === PATHS.seal || (path.startsWith(`${PATHS.seal}.`) && path.endsWith('.tsr'))

/** Files that every part must contain if the run’s pack has them; a node is enclosed completely or not at all. */
function lackingFiles(source: PackSource, manifest: List, tags: List): readonly string[] {
  const there = new Set(source.paths)
  const folders = [...nodeFolders(source).keys()]
  const isOfNode = (path: string): boolean => folders.some((folder) => path.startsWith(`${folder}/`))
  return [...partialPaths([...manifest.keys(), ...tags.keys()], []), ...[...manifest.keys()].filter(isOfNode)]
    .filter((path) => !there.has(path))
    .map((path) => `${quote(path, 400)} is missing.`)
}

/** Which of these nodes are not enclosed. */
export const nodesLacking = (source: PackSource, nodes: readonly string[]): readonly string[] =>
  nodes.filter((node) => !source.paths.some((path) => path.startsWith(`${nodeFolder(node)}/`)))
