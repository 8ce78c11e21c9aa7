import type { EarlierRuns, RunTrace, Scope } from '../../../schemas/types.ts'
import { PRODUCER } from '../../../schemas/version.ts'
import type { Ports } from '../../core/all-ports.ts'
import { jsonBytes } from '../../core/base/canonical-json.ts'
import { dayOf } from '../../core/base/days.ts'
import { sha256 } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { packIn, packNameOf } from '../../core/base/layout.ts'
import type { HistoryStore } from '../../core/history/history.ts'
import { traceBytes, traceOf } from '../../core/history/trace.ts'
import type { EmbeddedFile } from '../../core/pack/embedded.ts'
import { bagOfRun, layered, PATHS, payloadFiles, predicateFor } from '../../core/pack/pack.ts'
import { digestOf, evidenceDigestOver, type PackContent, type PackFiles, sizeOf } from '../../core/pack/pack-files.ts'
import { deviationFold } from '../../core/period/deviations.ts'
import { enteredRuns } from '../../core/period/seen.ts'
import { type Catalog, catalogFor } from '../../core/rules/catalog.ts'
import { ownEntry, type RunChain, type RunEntry } from '../../core/run-chain/entry.ts'
import { chainFiles } from '../../core/run-chain/notes.ts'
import { htmlBytes } from '../../present/html/page.ts'
import { buildExecutive, buildReport, type ReportDocument } from '../../present/report.ts'
import { INDEX_PATH, indexOf, isUnit, SEED_PATH, seedFile, unitRoot } from '../../verify/disclosure/cuts/parts.ts'
import { firstOfCaptures, type Word, wordIndex, wordsIn } from '../../verify/disclosure/cuts/words.ts'
import { registerForPack } from '../common/attachments.ts'
import { collectGarbageBetween, tidyAfter } from '../common/memory-pressure.ts'
import { withPack } from '../common/pack-shelf.ts'
import { sealedPack, sealShortfalls, stampReport, whileSigning } from '../common/seal-file.ts'
import { type Evaluated, evaluate } from '../evaluate/evaluate.ts'
import { newChain, withRunChain } from '../history/run-chain.ts'
import { type ChainTurn, withChainTurn } from './chain-turn.ts'
import { continueExport, finishPrepared, preparedIn } from './continued-export.ts'
import { alsoFiles, derivedFiles, prefixIn, writeDerived } from './output-files.ts'
import { type Exported, type ExportInput, formatInputOf, reportInputOf } from './report-input.ts'

/**
 * A pack above this size is sealed without the index that redacted copies need: cutting every text takes longer than
 * the rest of the export.
 */
const LARGEST = 256 * 1024 * 1024

function isDisclosable(payload: PackFiles): boolean {
  let total = 0
  for (const content of payload.values()) total += sizeOf(content)
  return total <= LARGEST
}

/**
 * The index that ties later redacted copies to the seal: a file outside the payload. Of the files, one is in memory at a time, and a bounded
 * number of small ones that many nodes have in common. Bytes that differ from their digest are refused when the pack is written.
 */
export async function disclosureTag(payload: PackFiles, seed: Uint8Array): Promise<ReadonlyMap<string, Uint8Array>> {
  const words: Word[] = []
  const units = [...payload].filter(([path]) => isUnit(path))
  const isNew = firstOfCaptures()
  const read = readOnce()
  for (const [path, content] of units)
    if (isNew(path, digestOf(content))) words.push(...wordsIn(path, await read(content)))
  const index = wordIndex(words)
  const roots = new Map<string, string>()
  for (const [path, content] of units) roots.set(path, unitRoot(path, await read(content), seed, index))
  return new Map([[INDEX_PATH, indexOf(roots)]])
}

/** Reads contents, and remembers small ones by their digest. */
function readOnce(): (content: PackContent) => Promise<Uint8Array> {
  const known = new Map<string, Uint8Array>()
  let size = 0
  return async (content) => {
    if (content instanceof Uint8Array) return content
    const found = known.get(content.sha256)
    if (found !== undefined) return found
    const bytes = await content.read()
    if (bytes.length > SMALL || size + bytes.length > MOST_REMEMBERED) return bytes
    size += bytes.length
    known.set(content.sha256, bytes)
    return bytes
  }
}

const SMALL = 64 * 1024
const MOST_REMEMBERED = 8 * 1024 * 1024

export { PRODUCER } from '../../../schemas/version.ts'
export { ALSO, type Also } from './output-files.ts'

type ExportPorts = Pick<
  Ports,
  | 'csvPieces'
  | 'entropy'
  | 'files'
  | 'openHistory'
  | 'packs'
  | 'reports'
  | 'sealing'
  | 'tidyMemory'
  | 'timestamps'
  | 'xlsx'
>

/**
 * Assesses recordings and writes, into one folder: the signed report, the sealed pack, the assessment, a summary and
 * tables. The report is bound to the evidence by the evidence digest it prints; the pack contains the report; one seal
 * covers both. If an authority is unavailable, the lower level remains and the authority is named. A run is sealed
 * once: where an earlier export was interrupted, its pack is kept, and only missing outputs are written.
 */
export async function exportRun(
  ports: ExportPorts & Pick<Ports, 'openRunChain' | 'validator'>,
  ours: Catalog,
  input: ExportInput,
): Promise<Outcome<Exported>> {
  const { folder, run, chainFolder } = input
  const pack = { path: packIn(folder, run), name: packNameOf(run) }
  const cleared = await ports.files.clearParts(folder)
  if (!cleared.ok) return cleared
  const settled = chainFolder === null ? ok(null) : await settledIn(ports, input, chainFolder, pack.path)
  if (!settled.ok) return settled
  if (await ports.files.isThere(pack.path))
    return await withPack(ports, pack.path, (open) => continueExport(ports, ours, input, pack, open))
  const prefix = await prefixIn(ports, folder, { ...input, report: null })
  if (prefix === null)
    return fail('input.refused', `a report of run ${run} already exists in ${folder}; choose another folder`)
  const catalog = catalogFor(ours, input.scope)
  collectGarbageBetween(ports, input.recordings.length)
  const evaluated = await evaluate(catalog, { ...input, onNode: (nodes) => tidyAfter(ports, nodes) })
  if (!evaluated.ok) return evaluated
  const exported = (turn: ChainTurn | null): Promise<Outcome<Exported>> =>
    whileSigning(() => exportEvaluated(ports, catalog, { ...input, prefix }, evaluated.value, turn))
  if (chainFolder === null) return await exported(null)
  // Another process may have sealed this run while we waited for the chain.
  const whenLocked = async (): Promise<Outcome<null>> =>
    (await ports.files.isThere(pack.path)) ? fail('input.refused', `${pack.path} already exists`) : ok(null)
  const { scope, signer } = input
  return await withChainTurn(ports, { folder: chainFolder, fleet: scope.fleet, signer, whenLocked }, exported)
}

/**
 * Completes or discards an export that was interrupted between its chain entry and its pack. The chain is opened only
 * where there is such an export.
 */
async function settledIn(
  ports: Pick<Ports, 'entropy' | 'files' | 'openRunChain' | 'packs'>,
  { folder, scope }: ExportInput,
  chainFolder: string,
  pack: string,
): Promise<Outcome<boolean | null>> {
  const left = await preparedIn(ports, folder, pack)
  if (!left.ok || !left.value) return ok(null)
  return await withRunChain(ports, chainFolder, newChain(ports, scope.fleet), (chain) =>
    finishPrepared(ports, pack, chain.chain()),
  )
}

async function exportEvaluated(
  ports: ExportPorts,
  catalog: Catalog,
  input: ExportInput & { readonly prefix: string },
  { files: recordings, traced, ...evaluated }: Evaluated,
  turn: ChainTurn | null,
): Promise<Outcome<Exported>> {
  const { run, signer, stamping, folder } = input
  const { assessment, outlines } = evaluated
  const tidy = (): void => collectGarbageBetween(ports, assessment.nodes.length)
  tidy()
  const packed = await registerForPack(catalog, input)
  if (!packed.ok) return packed
  const { register, attachments } = packed.value
  const { inventory, sites = null, planned = null } = input
  const own = payloadFiles({ assessment, catalog, register, attachments, inventory, sites })
  const payload = layered(own, recordings)
  const trace = traceOf(catalog, { run, planned, assessment, nodes: traced })
  own.set(PATHS.trace, traceBytes(trace))
  for (const [path, content] of turn === null ? [] : chainFiles(turn.chain)) own.set(path, content)
  const seed = isDisclosable(payload) ? ports.entropy.bytes(32) : null
  if (seed !== null) own.set(SEED_PATH, seedFile(seed))
  const packName = packNameOf(run)
  const earlier =
    turn === null || input.history == null
      ? ok(null)
      : await earlierRuns(ports, input.history, { scope: input.scope, chain: turn.chain, own: trace })
  if (earlier.ok && earlier.value !== null) own.set(PATHS.earlier, jsonBytes(earlier.value))
  const parts = await reportInputOf({
    ...evaluated,
    catalog,
    recordings: input.recordings,
    register,
    earlier: earlier.ok ? earlier.value : null,
    payload,
    evidenceDigest: evidenceDigestOver(payload),
    packName,
    signer,
  })
  if (!parts.ok) return parts
  const { about, embedded } = parts.value
  const executive = await signedPdf(ports, buildExecutive(about), [], input)
  const report = await stampReport(
    ports,
    await signedPdf(ports, buildReport(about), [embedded], input),
    signer,
    stamping,
  )
  own.set(PATHS.executive, executive)
  own.set(PATHS.report, report.pdf)
  const html = htmlBytes(about)
  own.set(PATHS.html, html)
  tidy()
  const stated = { run, producer: PRODUCER, assessment, recordings: outlines, planned }
  const tags = seed === null ? new Map() : await disclosureTag(payload, seed)
  const tagged = { ...stated, payload, tags, signer, packName }
  const { pack, files: tagFiles, stamp } = await sealedPack(ports, bagOfRun(tagged), report.authority, stamping)
  const path = `${folder}/${packName}`
  const content = layered(payload, tagFiles)
  const entry = ownEntry(predicateFor(about.evidenceDigest, stated), pack.toSeal, signer.fingerprint)
  const archive =
    turn === null
      ? await ports.packs.write(path, content)
      : await turn.enter({ path, content }, { entry, signature: null })
  if (!archive.ok) return archive
  tidy()
  const shared = formatInputOf(about, run, input.prefix)
  const also = alsoFiles(ports, input.also, { ...shared, created: input.asOf, signer, executive })
  const files = await writeDerived(
    ports,
    folder,
    packName,
    derivedFiles(ports, shared, { report: report.pdf, html, help: pack.help }),
    also,
  )
  if (!files.ok) return files
  return ok({
    assessment,
    register,
    files: files.value,
    trace,
    tagManifest: sha256(pack.toSeal),
    signer: signer.fingerprint,
    level: report.level,
    stamped: stamp?.ok === true,
    shortfalls: [...(earlier.ok ? [] : [earlier.error]), ...sealShortfalls(report, stamp)],
    continued: false,
  })
}

async function signedPdf(
  ports: Pick<Ports, 'reports' | 'sealing' | 'tidyMemory'>,
  document: ReportDocument,
  attachments: readonly EmbeddedFile[],
  { asOf, signer, recordings }: ExportInput,
): Promise<Uint8Array> {
  collectGarbageBetween(ports, recordings.length)
  const pdf = await ports.reports.render(document, { attachments, created: asOf })
  collectGarbageBetween(ports, recordings.length)
  return await ports.sealing.signPdf(pdf, signer)
}

interface EarlierInput {
  readonly scope: Scope
  /** The chain before the run is entered. */
  readonly chain: RunChain
  /** The run that the report covers. */
  readonly own: RunTrace
}

/**
 * Results that were not satisfied in earlier runs of the declared period: runs that the chain names and whose traces
 * the history has under the same seal. Null where no period was declared, or the history has no run of it. Fails as
 * the history does.
 */
export async function earlierRuns(
  ports: Pick<Ports, 'openHistory'>,
  root: string,
  { scope, chain, own }: EarlierInput,
): Promise<Outcome<EarlierRuns | null>> {
  const basis = scope.engagement?.reportingBasis
  if (basis?.kind !== 'period') return ok(null)
  const entered = enteredRuns(chain.entries).first.filter(
    ({ entry }) => dayOf(entry.at) >= basis.from && dayOf(entry.at) <= basis.to && entry.run !== own.run,
  )
  if (entered.length === 0) return ok(null)
  const history = await ports.openHistory(root)
  if (!history.ok) return history
  return await followed(
    history.value,
    entered.map(({ entry }) => entry),
    own,
  )
}

/** One trace at a time, so that the traces of a long period are never in memory together. */
async function followed(
  history: HistoryStore,
  entered: readonly RunEntry[],
  own: RunTrace,
): Promise<Outcome<EarlierRuns | null>> {
  const fold = deviationFold()
  const runs: EarlierRuns['runs'][number][] = []
  for (const { run, at, tagManifest } of entered) {
    const kept = await history.load(run, tagManifest)
    if (!kept.ok && kept.error.code !== 'input.not-found') return kept
    const trace = kept.ok ? kept.value.trace : null
    fold.add(trace)
    runs.push({ run, at, tagManifest, kept: trace !== null })
  }
  if (!runs.some(({ kept }) => kept)) return ok(null)
  fold.add(own)
  return ok({ runs, deviations: fold.finish() })
}
