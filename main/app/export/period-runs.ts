import { PRODUCER } from '../../../schemas/version.ts'
import { HIPAA_VIEWS } from '../../catalog/definition/frameworks/views.ts'
import type { OpenPack, Ports } from '../../core/all-ports.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { dayOf, daysWithin, MOST_DAYS } from '../../core/base/days.ts'
import type { Sha256 } from '../../core/base/digest.ts'
import { type Failure, fail, type Outcome, ok } from '../../core/base/failure.ts'
import { chainStart, fileNamed, filePrefix, packNameOf, packOfRun } from '../../core/base/layout.ts'
import { plain } from '../../core/base/plain-text.ts'
import { evidenceDigestOver, type PackContent } from '../../core/pack/pack-files.ts'
import { type CalendarReading, calendarOf } from '../../core/period/calendar.ts'
import type { RunEvidence } from '../../core/period/conclusions.ts'
import { onlyPaths, partialPaths, periodName, runFolder } from '../../core/period/pack.ts'
import type { DerivedPeriod } from '../../core/period/period.ts'
import type { EnteredRun } from '../../core/period/seen.ts'
import type { Signer } from '../../core/ports/ports.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import { isDay } from '../../core/run-chain/entry.ts'
import {
  buildPeriodReport,
  calendarRows,
  controlRows,
  deviationRows,
  practiceRows,
} from '../../present/period-report.ts'
import { periodRecipientNote, README, VERIFY } from '../../present/recipient.ts'
import { readBag } from '../../verify/steps/bag.ts'
import { enclosedProblems } from '../../verify/steps/enclosed.ts'
import type { SealedPeriodPages } from '../../verify/steps/pages.ts'
import { NO_TRUST } from '../../verify/steps/trust.ts'
import { firstOpen, type PackShelf } from '../common/pack-shelf.ts'
import { type Stamping, stampReport } from '../common/seal-file.ts'
import { type ChainBelow, chainsBelow, factsOf, listedRuns } from '../history/rebuild-history.ts'
import { readChain, withRunChain } from '../history/run-chain.ts'
import { type Content, complementaryTable } from './output-files.ts'

/** Where packs of runs may be stored below a folder: at the path in the history, and at the default path. */
type PackPlaces = (run: EnteredRun) => readonly string[]

/** The pack of a run that was found and is the one that the chain names. */
interface RunAtHand {
  readonly evidence: RunEvidence
  readonly path: string
  readonly pack: OpenPack
}

/** Locations from the history; without a history only the default ones. */
export async function packPlaces(ports: Pick<Ports, 'openHistory'>, root: string): Promise<PackPlaces> {
  const kept = new Map<string, string>()
  const heads = await listedRuns(ports, root)
  for (const { sealed } of heads.ok ? heads.value : []) if (sealed !== null) kept.set(sealed.tagManifest, sealed.pack)
  return ({ entry: { run, tagManifest } }) => {
    const keptPath = kept.get(tagManifest)
    return [
      ...(keptPath === undefined ? [] : [keptPath.startsWith('/') ? keptPath : `${root}/${keptPath}`]),
      packOfRun(root, run),
    ]
  }
}

/**
 * Opens the pack of a run and checks it before a period uses any of its bytes: its lists, its seal, and that the chain
 * names it after `head`, see headsBefore(). A failure states why the run is not available.
 */
export async function runAtHand(
  { sealing, validator }: Pick<Ports, 'sealing' | 'validator'>,
  shelf: PackShelf,
  run: EnteredRun,
  {
    places,
    head,
    rules,
  }: {
    readonly places: PackPlaces
    /** Head of the chain before the run: headsBefore(). */
    readonly head: string
    readonly rules: Catalog
  },
): Promise<Outcome<RunAtHand>> {
  const opened = await firstOpen(shelf, places(run))
  const lost = (code: Failure['code'], detail: string) => fail(code, `run ${run.entry.run}: ${detail}`)
  if (!opened.ok) return lost(opened.error.code, opened.error.detail)
  const { path, pack } = opened.value
  const part = onlyPaths(pack, partialPaths(pack.paths, []))
  const readers = { seal: sealing.reader, validator, trust: NO_TRUST, catalog: rules }
  const bag = await readBag(part, readers)
  const [wrong] = [...bag.problems, ...(await enclosedProblems(part, bag, readers))]
  if (wrong !== undefined) return lost('pack.altered', wrong)
  if (bag.own === null || canonicalJson(bag.own) !== canonicalJson(run.entry))
    return lost('pack.altered', `${path} is not the pack that the chain names`)
  if (bag.head === null || canonicalJson(bag.head) !== head)
    return lost('pack.altered', `${path} states another chain before it than this one`)
  if (bag.evidence === null) return lost('pack.unreadable', 'its pack is older than run traces')
  return ok({ evidence: bag.evidence, path, pack })
}

/** The files of a run's pack that a period encloses, by path in the pack of the period; `nodes` complete. */
export const enclosedFiles = (
  shelf: PackShelf,
  run: string,
  { path, pack }: Pick<RunAtHand, 'path' | 'pack'>,
  nodes: readonly string[],
): readonly (readonly [string, PackContent])[] =>
  partialPaths(pack.paths, nodes).map((file) => [`${runFolder(run)}/${file}`, shelf.content(path, pack, file)])

interface FleetBelow {
  readonly fleet: string
  readonly chainFolder: string
  /** The UTC day of its first run; null without one. */
  readonly firstDay: string | null
}

/**
 * The fleet with this name whose chain is below a folder; without a name, the only one; or the fleet of a chain
 * stored elsewhere. Fails with input.refused where there is none, or where the choice is ambiguous; otherwise as a
 * chain does.
 */
export async function fleetBelow(
  ports: Pick<Ports, 'files' | 'openRunChain'>,
  root: string,
  { fleet: name, chain: elsewhere }: { readonly fleet?: string | undefined; readonly chain?: string | undefined } = {},
): Promise<Outcome<FleetBelow>> {
  const chains = elsewhere === undefined ? await chainsBelow(ports, root) : await chainAt(ports, elsewhere)
  if (!chains.ok) return chains
  const fitting = chains.value.filter(({ chain }) => name === undefined || chain.fleet === name)
  const [only, ...others] = fitting
  if (only === undefined)
    return fail(
      'input.refused',
      `there is no run chain below ${root}${name === undefined ? '' : ` for the fleet ${plain(name, 100)}`}`,
    )
  if (others.length > 0)
    return fail(
      'input.refused',
      plain(
        `${root} contains several fleets; choose one with --fleet: ${fitting.map(({ chain }) => chain.fleet).join(', ')}`,
        600,
      ),
    )
  const first = only.chain.entries.find(({ entry }) => entry.kind === 'run')
  return ok({
    fleet: only.chain.fleet,
    chainFolder: only.folder,
    firstDay: first === undefined ? null : dayOf(first.entry.at),
  })
}

async function chainAt(
  ports: Pick<Ports, 'files' | 'openRunChain'>,
  folder: string,
): Promise<Outcome<readonly ChainBelow[]>> {
  const chain = await readChain(ports, folder)
  return chain.ok ? ok([{ folder, chain: chain.value }]) : chain
}

interface ReadCalendarInput {
  readonly root: string
  readonly chainFolder: string
  readonly fleet: string
  readonly from: string
  readonly to: string
  readonly asOf: string
}

/**
 * The calendar of a fleet’s runs from its chain and the history, unsealed. Fails with input.refused, and as chain and
 * history do.
 */
export async function readCalendar(
  ports: Pick<Ports, 'files' | 'openHistory' | 'openRunChain' | 'zones'>,
  input: ReadCalendarInput,
): Promise<Outcome<CalendarReading>> {
  const { root, chainFolder, fleet, from, to, asOf } = input
  const days = isDay(from) && isDay(to) ? daysWithin(from, to).length : 0
  if (days === 0 || days > MOST_DAYS)
    return fail(
      'input.refused',
      `enter a first and a last day, at most ${MOST_DAYS} days in total, such as 2026-10-01 and 2026-12-31`,
    )
  if (!(await ports.files.isThere(chainStart(chainFolder))))
    return fail('input.refused', `there is no run chain in ${chainFolder}`)
  const chain = await withRunChain(ports, chainFolder, { id: '0'.repeat(64), fleet }, async (open) => ok(open.chain()))
  if (!chain.ok) return chain
  const heads = await listedRuns(ports, root)
  if (!heads.ok) return heads
  const { entries } = chain.value
  return calendarOf({ entries, facts: factsOf(heads.value), zones: ports.zones, from, to, asOf })
}

/** The report of a period before it is signed: the same bytes from the same sealed parts. */
export async function periodPdf(
  ports: Pick<Ports, 'reports'>,
  catalog: Catalog,
  { period, changes, frameworks, evidenceDigest, signer: { subject, fingerprint } }: SealedPeriodPages,
): Promise<Uint8Array> {
  const document = buildPeriodReport({
    period,
    changes,
    frameworks,
    catalog,
    producer: PRODUCER,
    evidenceDigest,
    packName: packNameOf(periodName(period)),
    signer: { subject, fingerprint },
    demo: period.demo,
  })
  return await ports.reports.render(document, { attachments: [], created: period.asOf })
}

/** The signed period report, over the rest of its payload. */
export async function periodReport(
  ports: Pick<Ports, 'reports' | 'sealing' | 'timestamps'>,
  catalog: Catalog,
  {
    derived,
    payload,
    signer,
    stamping,
  }: {
    readonly signer: Signer
    readonly stamping: Stamping | null
    readonly derived: DerivedPeriod
    readonly payload: ReadonlyMap<string, PackContent>
  },
) {
  const pdf = await periodPdf(ports, catalog, { ...derived, evidenceDigest: evidenceDigestOver(payload), signer })
  return await stampReport(ports, await ports.sealing.signPdf(pdf, signer), signer, stamping)
}

/** The sealed parts that files next to the pack restate. */
interface SealedPeriod {
  readonly report: Uint8Array
  /** VERIFY.txt of the pack. */
  readonly help: Uint8Array
  readonly packName: string
  readonly evidenceDigest: Sha256
  readonly signer: Pick<Signer, 'subject' | 'fingerprint'>
}

/**
 * Outputs that people open without the pack, by name. Names begin with the organization, the first and the last day.
 */
export const derivedPeriodFiles = (
  { csvPieces }: Pick<Ports, 'csvPieces'>,
  { report, help, ...sealed }: SealedPeriod,
  { period, tables }: DerivedPeriod,
  catalog: Catalog,
): readonly (readonly [string, Content])[] => {
  const { engagement, fleet, from, to } = period
  const prefix = filePrefix({ organization: engagement?.entity ?? fleet, dates: [from, to] })
  const named = (kind: string): string => fileNamed(prefix, kind)
  const complementary = complementaryTable(period, catalog)
  return [
    [named('period-report.pdf'), report],
    [named(README), periodRecipientNote(period, { ...sealed, demo: period.demo })],
    [named(VERIFY), help],
    [named('controls.csv'), csvPieces(controlRows(period))],
    [named('calendar.csv'), csvPieces(calendarRows(period))],
    [named('deviations.csv'), csvPieces(deviationRows(period))],
    ...(complementary.length < 2 ? [] : [[named('complementary-controls.csv'), csvPieces(complementary)] as const]),
    ...(period.conclusions?.frameworks.includes('hipaa') === true
      ? [[named('recognized-security-practices.csv'), csvPieces(practiceRows(period, HIPAA_VIEWS.practices))] as const]
      : []),
    ...[...tables].map(([path, bytes]) => [path.replace(/^data\//, ''), bytes] as const),
  ]
}
