import type { CatalogReference, Engagement, Period, PeriodSample } from '../../../schemas/types.ts'
import { PRODUCER } from '../../../schemas/version.ts'
import type { Ports } from '../../core/all-ports.ts'
import { daysWithin, MOST_DAYS } from '../../core/base/days.ts'
import { type Failure, fail, type Outcome, ok } from '../../core/base/failure.ts'
import { chainStart, packIn, packNameOf } from '../../core/base/layout.ts'
import { PATHS } from '../../core/pack/pack.ts'
import type { ManifestDigests, PackContent } from '../../core/pack/pack-files.ts'
import {
  NODES_OF_RUNS,
  periodEntry,
  periodName,
  periodPayload,
  periodStatement,
  subjectDigests,
} from '../../core/period/pack.ts'
import { type DerivedPeriod, periodFold, type SampleRequest, sampledNodes } from '../../core/period/period.ts'
import { headsBefore } from '../../core/period/seen.ts'
import type { PadesLevel, Signer } from '../../core/ports/ports.ts'
import { type Catalog, catalogReference } from '../../core/rules/catalog.ts'
import { isDay, type RunChain } from '../../core/run-chain/entry.ts'
import { chainFiles } from '../../core/run-chain/notes.ts'
import { type PackShelf, packShelf } from '../common/pack-shelf.ts'
import { type Stamping, sealedPack, sealShortfalls, whileSigning } from '../common/seal-file.ts'
import { type ChainTurn, withChainTurn } from './chain-turn.ts'
import { finishPrepared } from './continued-export.ts'
import { type ExportedFile, writeDerived } from './output-files.ts'
import { derivedPeriodFiles, enclosedFiles, packPlaces, periodReport, runAtHand } from './period-runs.ts'

interface ExportPeriodInput {
  /** The output folder of the runs, including their history. */
  readonly root: string
  readonly chainFolder: string
  readonly fleet: string
  /** UTC days, both included. */
  readonly from: string
  readonly to: string
  readonly samples: readonly SampleRequest[]
  readonly signer: Signer
  /** Null: no independent time-stamp. */
  readonly stamping: Stamping | null
  /** Output folder. */
  readonly folder: string
  /** As declared; null or absent without one. */
  readonly engagement?: Engagement | null
}

export interface ExportedPeriod {
  readonly period: Period
  readonly unrecorded: DerivedPeriod['unrecorded']
  readonly frameworks: DerivedPeriod['frameworks']
  readonly files: readonly ExportedFile[]
  readonly level: PadesLevel
  readonly stamped: boolean
  /** Runs whose pack is not available. */
  readonly lost: readonly Failure[]
  /** Requested outputs that could not be obtained. */
  readonly shortfalls: readonly Failure[]
}

type PeriodPorts = Pick<
  Ports,
  'csv' | 'csvPieces' | 'files' | 'openHistory' | 'packs' | 'reports' | 'sealing' | 'timestamps' | 'validator' | 'zones'
>

/**
 * Seals a report on a period that has ended, and enters it into the chain. It covers the run chain and the packs of
 * its runs, with lists and samples. A run whose pack is missing, or is not the one the chain names, is stated as
 * such. Fails with input.refused for days that form no period, a missing chain, and an existing file; otherwise as
 * the chain and the disk do.
 */
export async function exportPeriod(
  ports: PeriodPorts & Pick<Ports, 'clock' | 'entropy' | 'openRunChain'>,
  catalog: Catalog,
  input: ExportPeriodInput,
): Promise<Outcome<ExportedPeriod>> {
  const { chainFolder, fleet, folder } = input
  const asOf = ports.clock.now()
  const unfit = periodProblem(input, asOf)
  if (unfit !== null) return fail('input.refused', unfit)
  if (!(await ports.files.isThere(chainStart(chainFolder))))
    return fail('input.refused', `there is no run chain in ${chainFolder}`)
  const name = periodName(input)
  const path = packIn(folder, name)
  const whenLocked = async (chain: RunChain): Promise<Outcome<null>> => {
    // Settles an export that was interrupted before its pack had its name.
    const finished = await finishPrepared(ports, path, chain)
    if (!finished.ok) return finished
    if (finished.value)
      return fail('input.refused', `${path} is of an interrupted export and is complete now; its report is in the pack`)
    return (await ports.files.isThere(path))
      ? fail('input.refused', `${path} already exists; choose another folder`)
      : ok(null)
  }
  const shelf = packShelf(ports)
  try {
    return await withChainTurn(ports, { folder: chainFolder, fleet, signer: input.signer, whenLocked }, (turn) =>
      whileSigning(() => exported(ports, catalog, { ...input, asOf, name }, turn, shelf)),
    )
  } finally {
    await shelf.close()
  }
}

/** The error in the request; null when there is none. */
export function periodProblem(
  { from, to, samples }: Pick<ExportPeriodInput, 'from' | 'to' | 'samples'>,
  asOf: string,
): string | null {
  if (!isDay(from) || !isDay(to)) return 'a period needs a first and a last day, such as 2026-10-01 and 2026-12-31'
  const days = daysWithin(from, to).length
  if (days === 0 || days > MOST_DAYS) return `a period has 1 to ${MOST_DAYS} days`
  if (to >= asOf.slice(0, 10)) return `the period has not ended: days are UTC days, and ${to} is not over`
  const wrong = samples.find(
    ({ seed, size }) => seed === '' || seed.length > 200 || !Number.isSafeInteger(size) || size < 1,
  )
  return wrong === undefined ? null : 'a sample needs a size of at least 1 and a seed of at most 200 characters'
}

interface Found {
  readonly derived: DerivedPeriod
  readonly lost: readonly Failure[]
  readonly atHand: ReadonlyMap<string, string>
}

/** Reads the runs one at a time; only the content of the report stays in memory. */
async function derivePeriod(
  ports: Pick<Ports, 'csv' | 'openHistory' | 'sealing' | 'validator' | 'zones'>,
  input: Pick<ExportPeriodInput, 'root' | 'from' | 'to' | 'samples'> & {
    readonly asOf: string
    readonly catalog: CatalogReference
    readonly rules: Catalog
    readonly engagement: Engagement | null
    readonly chain: RunChain
  },
  shelf: PackShelf,
): Promise<Outcome<Found>> {
  const { zones, csv } = ports
  const places = await packPlaces(ports, input.root)
  const fold = periodFold({ ...input, producer: PRODUCER, zones, csv })
  const headBefore = headsBefore(input.chain)
  const lost: Failure[] = []
  const atHand = new Map<string, string>()
  for (const run of fold.runs) {
    const one = await runAtHand(ports, shelf, run, { places, head: headBefore(run), rules: input.rules })
    if (one.ok) atHand.set(run.entry.run, one.value.path)
    else lost.push(one.error)
    fold.add(run, one.ok ? one.value.evidence : null)
  }
  const derived = fold.finish()
  return derived.ok ? ok({ derived: derived.value, lost, atHand }) : derived
}

async function exported(
  ports: PeriodPorts,
  catalog: Catalog,
  input: ExportPeriodInput & { readonly asOf: string; readonly name: string },
  { chain, enter }: ChainTurn,
  shelf: PackShelf,
): Promise<Outcome<ExportedPeriod>> {
  const { name, folder, signer, stamping, asOf } = input
  const { engagement = null } = input
  const made = { catalog: catalogReference(catalog, {}), rules: catalog, engagement }
  const found = await derivePeriod(ports, { ...input, ...made, chain }, shelf)
  if (!found.ok) return found
  const { derived, lost, atHand } = found.value
  const { period, tables, unrecorded, frameworks } = derived
  const [unfit] = ports.validator.problems('period', period)
  if (unfit !== undefined) return fail('input.refused', `the run chain does not allow a period report: ${unfit}`)
  const bags = await bagsOf(shelf, atHand, period.samples)
  if (!bags.ok) return bags
  const payload = periodPayload(period, { tables, log: chainFiles(chain), bags: bags.value })
  const packName = packNameOf(name)
  const report = await periodReport(ports, catalog, { ...input, derived, payload })
  payload.set(PATHS.report, report.pdf)
  const statement = (manifest: ManifestDigests): unknown =>
    periodStatement(period, { manifest, digests: subjectDigests(payload) })
  const { demo } = period
  const about = { producer: PRODUCER, identifier: name, asOf, demo, statement, nodes: NODES_OF_RUNS }
  const bag = { payload, signer, packName, ...about }
  const { pack, files: tagFiles, stamp } = await sealedPack(ports, bag, report.authority, stamping)
  const content = new Map<string, PackContent>([...payload, ...tagFiles])
  const entry = periodEntry(period, pack.toSeal, signer.fingerprint)
  const written = await enter({ path: `${folder}/${packName}`, content }, { entry, signature: null })
  if (!written.ok) return written
  const sealed = { report: report.pdf, help: pack.help, packName, evidenceDigest: pack.evidenceDigest, signer }
  const files = await writeDerived(ports, folder, packName, derivedPeriodFiles(ports, sealed, derived, catalog))
  if (!files.ok) return files
  return ok({
    period,
    unrecorded,
    frameworks,
    files: files.value,
    level: report.level,
    stamped: stamp?.ok === true,
    lost,
    shortfalls: sealShortfalls(report, stamp),
  })
}

/** The enclosed parts of the runs' packs. */
async function bagsOf(
  shelf: PackShelf,
  atHand: ReadonlyMap<string, string>,
  samples: readonly PeriodSample[],
): Promise<Outcome<ReadonlyMap<string, PackContent>>> {
  const wanted = sampledNodes(samples)
  const bags = new Map<string, PackContent>()
  for (const [run, path] of atHand) {
    const pack = await shelf.open(path)
    if (!pack.ok) return pack
    for (const [file, content] of enclosedFiles(shelf, run, { path, pack: pack.value }, wanted.get(run) ?? []))
      bags.set(file, content)
  }
  return ok(bags)
}
