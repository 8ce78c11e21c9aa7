import type { Recording, Register, RunTrace } from '../../../schemas/types.ts'
import type { OpenPack, Ports } from '../../core/all-ports.ts'
import { sha256 } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { packIn, preparedPath, RECORDING, sealedExports, sealedPeriods } from '../../core/base/layout.ts'
import type { PackScope } from '../../core/conclusion/assess.ts'
import { PATHS, payloadFiles } from '../../core/pack/pack.ts'
import type { PackFiles } from '../../core/pack/pack-files.ts'
import type { RecordingSource } from '../../core/recording/recording.ts'
import { type Catalog, catalogDigest, catalogFor } from '../../core/rules/catalog.ts'
import type { LoggedEntry, OpenRunChain, RunChain } from '../../core/run-chain/entry.ts'
import { type BagReading, readBag } from '../../verify/steps/bag.ts'
import { readEarlier } from '../../verify/steps/pages.ts'
import { bytesOf, canonical, nodeFolders, readPack, readRecording, textOf } from '../../verify/steps/read.ts'
import { NO_TRUST } from '../../verify/steps/trust.ts'
import { withPack } from '../common/pack-shelf.ts'
import { evaluate } from '../evaluate/evaluate.ts'
import { chainFoldersBelow } from '../history/rebuild-history.ts'
import { newChain, readChain, withRunChain } from '../history/run-chain.ts'
import { alsoFiles, type Content, type Contents, derivedFiles, prefixIn, writeDerived } from './output-files.ts'
import { type Exported, type ExportInput, formatInputOf, reportInputOf } from './report-input.ts'

/**
 * Whether a run is sealed, after an interrupted export was completed or discarded by finishPrepared(). An archive
 * that the chain does not name is discarded, and the run is open again. An archive prepared for another chain counts
 * as sealed, because that chain is not available here. Can be repeated after an interruption at any point. Fails as
 * finishPrepared() and the chain do.
 */
export async function isSealed(
  ports: Pick<Ports, 'entropy' | 'files' | 'openRunChain' | 'packs'>,
  { folder, run, fleet, chain: chainFolder }: SealedWhere,
): Promise<Outcome<boolean>> {
  const pack = packIn(folder, run)
  if (await ports.files.isThere(pack)) return ok(true)
  const before = await preparedIn(ports, folder, pack)
  if (!before.ok || !before.value) return before
  if (!(await ports.files.isThere(chainFolder))) return ok(true)
  return await withRunChain(ports, chainFolder, newChain(ports, fleet), async (chain) => {
    const settled = await finishPrepared(ports, pack, chain.chain())
    return settled.ok && !settled.value ? await preparedIn(ports, folder, pack) : settled
  })
}

interface SealedWhere {
  /** The folder of the pack. */
  readonly folder: string
  readonly run: string
  readonly fleet: string
  /** The folder of the chain that the run is entered into. */
  readonly chain: string
}

/** Whether the folder contains an archive prepared for this pack, through any chain. */
export async function preparedIn(
  { files }: Pick<Ports, 'files'>,
  folder: string,
  pack: string,
): Promise<Outcome<boolean>> {
  const left = await files.below(folder, 1)
  if (!left.ok) return left
  return ok(left.value.files.some((name) => `${folder}/${name}`.startsWith(`${pack}.`) && name.endsWith('.prepared')))
}

/**
 * Writes the complete archive to the disk, then its chain entry, then its name. If this is interrupted,
 * finishPrepared() completes it: a pack that the chain names always exists, and one that it does not name was never
 * published.
 */
export async function putInChain(
  ports: Pick<Ports, 'packs'>,
  { path, content }: { readonly path: string; readonly content: PackFiles },
  chain: OpenRunChain,
  logged: LoggedEntry,
): Promise<Outcome<null>> {
  const prepared = preparedPath(path, chain.chain().id)
  const written = await ports.packs.replace(prepared, content)
  if (!written.ok) return written
  const entered = await chain.append(logged)
  return entered.ok ? await ports.packs.publish(prepared, path) : entered
}

/**
 * Completes or discards an interrupted export. A finished archive that the chain names gets its final name; one that
 * the chain does not name was never sealed, and is removed. Returns whether this produced a pack. The caller has
 * locked the chain. Fails as opening a pack and as the disk do.
 */
export async function finishPrepared(
  ports: Pick<Ports, 'files' | 'packs'>,
  pack: string,
  chain: RunChain,
): Promise<Outcome<boolean>> {
  const prepared = preparedPath(pack, chain.id)
  if (!(await ports.files.isThere(prepared))) return ok(false)
  const seal = await withPack(ports, prepared, async (open) =>
    ok(await open.sha256(PATHS.tagManifest).catch(() => null)),
  )
  if (!seal.ok) return seal
  const isNamed = chain.entries.some(({ entry }) => 'tagManifest' in entry && entry.tagManifest === seal.value)
  const settled = isNamed ? await ports.packs.publish(prepared, pack) : await ports.files.remove(prepared)
  return settled.ok ? ok(isNamed) : settled
}

/**
 * Completes or discards the exports below a root that an earlier process did not finish: each has a separate folder,
 * which no later export reads. A pack that a chain names gets its name; other archives and half-written files are
 * removed. Waits for a chain that another process has locked. Fails as chains and the disk do, after everything else
 * was tried; the next start tries the rest again.
 */
export async function finishInterrupted(
  ports: Pick<Ports, 'files' | 'openRunChain' | 'packs'>,
  root: string,
): Promise<Outcome<null>> {
  const paths: string[] = []
  for (const place of [sealedExports(root), sealedPeriods(root)]) {
    const below = await ports.files.below(place, 2)
    if (!below.ok) return below
    paths.push(...below.value.files.map((path) => `${place}/${path}`))
  }
  const halves = paths.filter((path) => HALF.test(path)).map((path) => path.slice(0, path.lastIndexOf('/')))
  for (const folder of new Set(halves)) {
    const cleared = await ports.files.clearParts(folder)
    if (!cleared.ok) return cleared
  }
  const prepared = paths.filter((path) => path.endsWith(PREPARED))
  if (prepared.length === 0) return ok(null)
  const chains = await chainFoldersBelow(ports, root)
  if (!chains.ok) return chains
  let problem: Outcome<null> = ok(null)
  for (const folder of chains.value) {
    const settled = await settledBy(ports, folder, prepared)
    if (!settled.ok) problem = settled
  }
  return problem
}

const PREPARED = '.prepared'
/** Written by a process that may have ended: see clearParts(). */
const HALF = /\.part-\d+$/

/** Settles the archives prepared for one chain, independently of each other. Fails as the last one that fails. */
async function settledBy(
  ports: Pick<Ports, 'files' | 'openRunChain' | 'packs'>,
  folder: string,
  prepared: readonly string[],
): Promise<Outcome<null>> {
  const about = await readChain(ports, folder)
  if (!about.ok) return about
  const { id, fleet } = about.value
  const ending = preparedPath('', id)
  const own = prepared.filter((path) => path.endsWith(ending)).map((path) => path.slice(0, -ending.length))
  if (own.length === 0) return ok(null)
  return await withRunChain(ports, folder, { id, fleet }, async (chain) => {
    let problem: Outcome<null> = ok(null)
    for (const pack of own) {
      const settled = await finishPrepared(ports, pack, chain.chain())
      if (!settled.ok) problem = settled
    }
    return problem
  })
}

/**
 * Writes, from an existing pack, the outputs that an interrupted export did not write. Nothing is sealed again,
 * because every file follows from sealed content. Fails with input.refused where nothing is missing (unless the
 * export resumes), and where the pack is of another run, was sealed by another key or evaluated by other rules; with
 * pack.altered where the pack differs from its seal; otherwise as the disk does.
 */
export async function continueExport(
  ports: Pick<Ports, 'csvPieces' | 'files' | 'reports' | 'sealing' | 'tidyMemory' | 'validator' | 'xlsx'>,
  ours: Catalog,
  input: ExportInput,
  { path, name: packName }: { readonly path: string; readonly name: string },
  pack: OpenPack,
): Promise<Outcome<Exported>> {
  const { folder, signer } = input
  const sealed = await sealedRun(ports, input, path, pack)
  if (!sealed.ok) return sealed
  const { bag, trace, scope, register } = sealed.value
  const catalog = catalogFor(ours, scope)
  // PDFs next to the pack are signed: another key would conflict with the seal.
  if (bag.seal?.signer?.fingerprint !== signer.fingerprint)
    return fail('input.refused', `${path} already exists and was sealed by another key`)
  if ((await pack.sha256(PATHS.catalog)) !== catalogDigest(catalog))
    return fail('input.refused', `${path} already exists and was evaluated with other rules`)
  const { asOf, ...declared } = scope
  const recordings = await recordingsOf(ports, pack)
  if (!recordings.ok) return recordings
  const evaluated = await evaluate(catalog, { scope: declared, recordings: recordings.value, asOf, register })
  if (!evaluated.ok) return evaluated
  const { files: _, traced: __, ...about } = evaluated.value
  const { assessment } = about
  const payload = payloadFiles({ assessment, catalog, register })
  const stated = await bytesOf(pack, PATHS.assessment)
  const derived = payload.get(PATHS.assessment)
  if (stated === null || !(derived instanceof Uint8Array) || Buffer.compare(stated, derived) !== 0)
    return fail('pack.altered', `${path}: its results do not follow from its evidence`)
  const parts = await reportInputOf({
    ...about,
    catalog,
    recordings: recordings.value,
    register,
    earlier: (await readEarlier(pack, ports.validator)).earlier,
    payload,
    evidenceDigest: bag.statement?.predicate.report.evidenceDigest ?? '',
    packName,
    signer: bag.seal?.signer ?? null,
  })
  if (!parts.ok) return parts
  const report = await pack.read(PATHS.report)
  const executive = await pack.read(PATHS.executive)
  const html = await pack.read(PATHS.html)
  const prefix = await prefixIn(ports, folder, { scope, asOf, run: input.run, report: sha256(report) })
  if (prefix === null)
    return fail('input.refused', `reports of run ${input.run} in ${folder} differ from the one in its pack`)
  const shared = formatInputOf(parts.value.about, input.run, prefix)
  const also = alsoFiles(ports, input.also, { ...shared, created: asOf, signer, executive })
  const beside = derivedFiles(ports, shared, { report, html, help: await pack.read(PATHS.help) })
  let missing = 0
  async function* onlyMissing(contents: Contents): AsyncGenerator<readonly [string, Content]> {
    for await (const [name, content] of contents) {
      if (await ports.files.isThere(`${folder}/${name}`)) continue
      missing += 1
      yield [name, content]
    }
  }
  const files = await writeDerived(ports, folder, packName, onlyMissing(beside), onlyMissing(also))
  if (!files.ok) return files
  if (missing === 0 && input.resumes !== true)
    return fail('input.refused', `${path} already exists; choose another folder`)
  return ok({
    assessment,
    register,
    files: files.value,
    trace,
    tagManifest: await pack.sha256(PATHS.tagManifest),
    signer: signer.fingerprint,
    level: (await ports.sealing.reader.readPdf(report, [], [])).level ?? 'B-B',
    stamped: pack.paths.includes(PATHS.stamp),
    shortfalls: [],
    continued: true,
  })
}

interface SealedRun {
  readonly bag: BagReading
  readonly trace: RunTrace
  readonly scope: PackScope
  readonly register: Register
}

/** The sealed content of a pack, after its lists and its seal were checked. */
async function sealedRun(
  { sealing, validator }: Pick<Ports, 'sealing' | 'validator'>,
  { run }: ExportInput,
  path: string,
  pack: OpenPack,
): Promise<Outcome<SealedRun>> {
  const bag = await readBag(pack, { seal: sealing.reader, validator, trust: NO_TRUST })
  const [problem] = bag.problems
  if (problem !== undefined) return fail('pack.altered', `${path}: ${problem}`)
  if (bag.statement?.predicate.run !== run || bag.trace === null)
    return fail('input.refused', `${path} already exists and is not a pack of run ${run}`)
  const { scope } = await readPack(pack, validator)
  const parsed = canonical(await textOf(pack, PATHS.register))
  if (scope === null || parsed === null || validator.problems('register', parsed.value).length > 0)
    return fail('pack.unreadable', `${path} does not contain the scope and register it was evaluated with`)
  return ok({ bag, trace: bag.trace, scope, register: parsed.value as Register })
}

/** The recordings of a pack by their headers; the captures of each are read and checked when needed. */
export async function recordingsOf(
  { validator }: Pick<Ports, 'validator'>,
  pack: OpenPack,
): Promise<Outcome<readonly RecordingSource[]>> {
  const sources: RecordingSource[] = []
  for (const [folder, paths] of nodeFolders(pack)) {
    const path = `${folder}/${RECORDING.header}`
    if (!paths.includes(path)) continue
    const header = canonical(await textOf(pack, path))
    const [problem] =
      header === null ? ['it is not JSON in canonical form'] : validator.problems('recording', header.value)
    if (header === null || problem !== undefined) return fail('pack.altered', `${path}: ${problem}`)
    sources.push({
      recording: header.value as Recording,
      load: async () => {
        const { recording, problems } = await readRecording(pack, folder, paths, validator)
        const [wrong] = problems
        return recording === null || wrong !== undefined ? fail('pack.altered', wrong ?? folder) : ok(recording)
      },
      blob: ({ sha256 }) => pack.stored(`${folder}/${RECORDING.blobs}/${sha256}`),
    })
  }
  return ok(sources)
}
