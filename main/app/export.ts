import type { Figure } from '../../schemas/figure.ts'
import type { Assessment, NodeAssessment, Register, Scope } from '../../schemas/types.ts'
import { VERSION } from '../../schemas/version.ts'
import { figuresOf } from '../catalog/figures/figures.ts'
import { sudoReconciliation } from '../catalog/sudo-reconciliation.ts'
import { assessNode, conclude, latest, populationOf } from '../core/assess.ts'
import type { Catalog } from '../core/catalog.ts'
import { sha256 } from '../core/digest.ts'
import { SEED_PATH, seedFile } from '../core/disclosure/commit.ts'
import { type Failure, fail, type Outcome } from '../core/failure.ts'
import { assessmentBytes, evidenceDigestOf, manifestLines, PACK_EXTENSION, PATHS, payloadFiles } from '../core/pack.ts'
import { type PackContent, recordingFiles } from '../core/pack-files.ts'
import type { PadesLevel, Signer } from '../core/ports.ts'
import type { Parsed } from '../core/probe.ts'
import type { LoadedRecording, RecordingOutline, RecordingSource } from '../core/recording.ts'
import { isPictured } from '../core/report/figures.ts'
import type { SudoReconciliation } from '../core/report/sudo-reconciliation.ts'
import { buildReport } from '../core/report.ts'
import { ok } from '../core/result.ts'
import { type OpenRunChain, ownEntry } from '../core/run-chain/entry.ts'
import { chainFiles } from '../core/run-chain/files.ts'
import { predicateFor } from '../core/statement.ts'
import type { World } from '../core/world.ts'
import { type AttachmentBytes, saidInPack } from './attachments.ts'
import { disclosureTag, isDisclosable } from './disclosable.ts'
import { sealedPack } from './seal-pack.ts'
import { whileSigning } from './signing.ts'
import { type Stamping, stampReport } from './stamping.ts'
import { summaryText } from './summary.ts'
import { controlsTable, findingsTable } from './tables.ts'

export interface ExportInput {
  readonly run: string
  readonly scope: Scope
  readonly recordings: readonly RecordingSource[]
  readonly asOf: string
  readonly signer: Signer
  /** Null: no time by somebody else. */
  readonly stamping: Stamping | null
  readonly folder: string
  /** What people say about the evidence. The part that concerns these nodes and frameworks goes into the pack. */
  readonly register: Register
  readonly attachmentBytes: AttachmentBytes
  /** Where the chain of this fleet's runs is kept; null: the pack is in none. */
  readonly chainFolder: string | null
}

export interface ExportedFile {
  readonly name: string
  readonly path: string
  readonly size: number
  readonly sha256: string
}

export interface Exported {
  readonly assessment: Assessment
  readonly files: readonly ExportedFile[]
  readonly level: PadesLevel
  /** The seal over the pack has a time-stamp. */
  readonly stamped: boolean
  /** What was asked for and could not be had; everything else was written. */
  readonly shortfalls: readonly Failure[]
}

export const PRODUCER = `Barewitness ${VERSION}`

/**
 * Assesses recordings and writes, into one folder: the signed report, the sealed pack, the assessment, a summary and tables. The report
 * is bound to the evidence by the evidence digest it prints; the pack holds the report; the one seal covers both. An authority that
 * cannot be had leaves the lower level, and is named.
 */
export async function exportRun(world: World, catalog: Catalog, input: ExportInput): Promise<Outcome<Exported>> {
  const taken = await takenName(world, input)
  if (taken !== null) return fail('input.refused', `${taken} exists already; choose another folder`)
  const evaluated = await evaluate(catalog, input)
  if (!evaluated.ok) return evaluated
  const exported = (chain: OpenRunChain | null): Promise<Outcome<Exported>> =>
    whileSigning(() => exportEvaluated(world, catalog, input, evaluated.value, chain))
  if (input.chainFolder === null) return await exported(null)
  const id = hexOf(world.entropy.bytes(32))
  const chain = await world.openRunChain(input.chainFolder, { id, fleet: input.scope.fleet })
  if (!chain.ok) return chain
  try {
    return await exported(chain.value)
  } finally {
    await chain.value.close()
  }
}

/** A pack or report of the same run that is there already: what was sealed once is never written over. */
async function takenName({ files }: World, { folder, run }: ExportInput): Promise<string | null> {
  for (const name of [`${folder}/${run}${PACK_EXTENSION}`, `${folder}/${run}.report.pdf`])
    if ((await files.digest(name)).ok) return name
  return null
}

async function exportEvaluated(
  world: World,
  catalog: Catalog,
  input: ExportInput,
  { assessment, outlines, files: recordings, figures, sudo }: Evaluated,
  chain: OpenRunChain | null,
): Promise<Outcome<Exported>> {
  const { run, signer, stamping, folder } = input
  const said = await saidInPack(catalog, input)
  if (!said.ok) return said
  const { register, attachments } = said.value
  const payload = payloadFiles({ recordings, assessment, catalog, register, attachments })
  for (const [path, content] of chain === null ? [] : chainFiles(chain.chain())) payload.set(path, content)
  const seed = isDisclosable(payload) ? world.entropy.bytes(32) : null
  if (seed !== null) payload.set(SEED_PATH, seedFile(seed))
  const packName = `${run}${PACK_EXTENSION}`
  const results = assessmentBytes(assessment)
  const parts = { assessment, outlines, results, packName, payload, register, figures, sudo }
  const report = await stampReport(world, await signedReport(world, catalog, input, parts), signer, stamping)
  payload.set(PATHS.report, report.pdf)
  const stated = { run, producer: PRODUCER, assessment, recordings: outlines }
  const tags = seed === null ? new Map() : await disclosureTag(payload, seed)
  const tagged = { ...stated, payload, tags, signer, packName }
  const { pack, seal, stamp } = await sealedPack(world, tagged, report.authority, stamping)
  // Before the archive exists: should this stop here, the chain names a pack that nobody has, and never has two packs in one place.
  const entered = await chain?.append({
    entry: ownEntry(predicateFor(evidenceDigestOf(manifestLines(payload)), stated), pack.toSeal, signer.fingerprint),
    signature: null,
  })
  if (entered?.ok === false) return entered
  const archive = await world.packs.write(
    `${folder}/${packName}`,
    new Map<string, PackContent>([
      ...payload,
      ...pack.tags,
      [PATHS.seal, seal],
      ...(stamp?.ok === true ? [[PATHS.stamp, stamp.value.response] as const] : []),
    ]),
  )
  if (!archive.ok) return archive
  const files = await writeBeside(world, catalog, folder, { run, assessment, results, report: report.pdf, packName })
  if (!files.ok) return files
  return ok({
    assessment,
    files: files.value,
    level: report.level,
    stamped: stamp?.ok === true,
    shortfalls: [
      ...(report.shortfall === null ? [] : [report.shortfall]),
      ...(stamp?.ok === false ? [stamp.error] : []),
    ],
  })
}

interface Beside {
  readonly run: string
  readonly assessment: Assessment
  readonly results: Uint8Array
  readonly report: Uint8Array
  readonly packName: string
}

/** What people open without a pack, beside it. */
async function writeBeside(
  world: World,
  catalog: Catalog,
  folder: string,
  { run, assessment, results, report, packName }: Beside,
): Promise<Outcome<readonly ExportedFile[]>> {
  const archive = await world.files.digest(`${folder}/${packName}`)
  if (!archive.ok) return archive
  const texts: readonly (readonly [string, Uint8Array | string])[] = [
    [`${run}.report.pdf`, report],
    ['assessment.json', results],
    ['summary.txt', `${summaryText(assessment, catalog)}\n`],
    ['findings.csv', world.csv(findingsTable(assessment, catalog))],
    ['controls.csv', world.csv(controlsTable(assessment, catalog))],
  ]
  const files: ExportedFile[] = [{ name: packName, path: `${folder}/${packName}`, ...archive.value }]
  for (const [name, bytes] of texts) {
    const written = await world.files.write(`${folder}/${name}`, bytes)
    if (!written.ok) return written
    files.push({ name, path: `${folder}/${name}`, size: Buffer.byteLength(bytes), sha256: sha256(bytes) })
  }
  return ok(files)
}

interface Evaluated {
  readonly assessment: Assessment
  readonly outlines: readonly RecordingOutline[]
  readonly figures: ReadonlyMap<string, readonly Figure[]>
  readonly sudo: ReadonlyMap<string, Parsed<SudoReconciliation>>
  readonly files: ReadonlyMap<string, PackContent>
}

/** One declared node after the other, so that the answers of one are in memory at a time where they lie in files. */
async function evaluate(catalog: Catalog, { scope, recordings, asOf }: ExportInput): Promise<Outcome<Evaluated>> {
  const nodes: NodeAssessment[] = []
  const outlines: RecordingOutline[] = []
  const files = new Map<string, PackContent>()
  const figures = new Map<string, readonly Figure[]>()
  const sudo = new Map<string, Parsed<SudoReconciliation>>()
  let demo = false
  for (const node of populationOf(scope)) {
    const loaded: {
      readonly recording: LoadedRecording['recording']
      readonly captures: LoadedRecording['captures']
      readonly source: RecordingSource
    }[] = []
    for (const source of recordings.filter(({ recording }) => recording.node.name === node)) {
      const one = await source.load()
      if (!one.ok) return one
      loaded.push({ ...one.value, source })
    }
    const rested = latest(loaded, node)
    nodes.push(assessNode(catalog, node, rested, { asOf, profile: scope.profile }))
    if (rested === null) continue
    const assessed = nodes.at(-1)
    if (assessed !== undefined && isPictured(assessed, populationOf(scope).length))
      figures.set(node, figuresOf(rested, assessed))
    sudo.set(node, sudoReconciliation(rested))
    const { recording, captures, source } = rested
    demo ||= recording.demo
    outlines.push({ recording, captures: captures.map(({ meta }) => ({ meta })) })
    for (const [path, content] of recordingFiles(rested, source.blob ?? undefined)) files.set(path, content)
  }
  const assessment: Assessment = {
    schema: 'barewitness.assessment/1',
    ...conclude(catalog, { scope, asOf, demo }, nodes),
    nodes,
  }
  return ok({ assessment, outlines, files, figures, sudo })
}

interface ReportParts {
  readonly assessment: Assessment
  readonly outlines: readonly RecordingOutline[]
  readonly figures: ReadonlyMap<string, readonly Figure[]>
  readonly sudo: ReadonlyMap<string, Parsed<SudoReconciliation>>
  readonly results: Uint8Array
  readonly packName: string
  readonly payload: ReadonlyMap<string, PackContent>
  readonly register: Register
}

async function signedReport(
  world: World,
  catalog: Catalog,
  { signer, asOf }: ExportInput,
  { assessment, outlines, results, packName, payload, register, figures, sudo }: ReportParts,
): Promise<Uint8Array> {
  const document = buildReport({
    assessment,
    catalog,
    recordings: outlines,
    figures,
    sudo,
    producer: PRODUCER,
    evidenceDigest: evidenceDigestOf(manifestLines(payload)),
    packName,
    signer: { subject: signer.subject, fingerprint: signer.fingerprint },
    demo: assessment.demo,
    register,
  })
  const attachments = [{ name: 'assessment.json', bytes: results, description: 'Every verdict with its reasons' }]
  return await world.sealing.signPdf(await world.reports.render(document, { attachments, created: asOf }), signer)
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
