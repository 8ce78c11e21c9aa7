import type { RegisterView } from '../../../../schemas/ipc-register.ts'
import type {
  AssessmentView,
  EvidenceList,
  EvidencePiece,
  NodeMoment,
  NodeView,
} from '../../../../schemas/ipc-results.ts'
import type { LocationRow, LocationView, Source } from '../../../../schemas/ipc-views.ts'
import type {
  Assessment,
  ChosenProfile,
  Location,
  NodeAssessment,
  Place,
  Register,
  ResidencyPolicy,
} from '../../../../schemas/types.ts'
import { figuresOf, fleetFiguresOf } from '../../../catalog/figures/figures.ts'
import { policiesFor, policyQuestion } from '../../../catalog/location/answers.ts'
import { canonicalJson } from '../../../core/base/canonical-json.ts'
import { sha256 } from '../../../core/base/digest.ts'
import { type Failure, fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { assessNode, withRegister } from '../../../core/conclusion/assess.ts'
import { markedLines } from '../../../core/recording/evidence-lines.ts'
import { askedFor, readProbe } from '../../../core/recording/probe.ts'
import { capturesByKey } from '../../../core/recording/readings.ts'
import { byProbeAndCommand, type LoadedRecording } from '../../../core/recording/recording.ts'
import { EMPTY_REGISTER, lastMade } from '../../../core/register/register.ts'
import type { Catalog } from '../../../core/rules/catalog.ts'
import { registerInScope } from '../../common/attachments.ts'
import { assessmentView, fleetNodeView, type ViewSource, withFailure } from '../../evaluate/views.ts'
import { type EngineContext, methods } from '../context/context.ts'
import type { RunState } from '../context/run-state.ts'
import { recordingOf } from '../runs/session.ts'
import { recordingsOfNode, shelfOf } from '../runs/stored-runs.ts'
import { assessAgain } from '../runs/up-to-now.ts'
import { ownRegister, registerOf } from '../stored/register-store.ts'

const MOST_MOMENTS = 10

/** The results of the run that is shown or of the open pack, and their evidence. */
export function assessmentMethods(context: EngineContext) {
  const { catalog, session } = context
  return methods({
    'assessment.get': async ({ of }) => {
      const source = await viewSource(context, of)
      if (!source.ok) return source
      return ok(source.value === null ? null : shownView(catalog, source.value))
    },
    'node.get': ({ of, node }) => nodeView(context, of, node),
    // Separate from `node.get`: each run is read and evaluated again, and only the page of the node shows the
    // timeline.
    'node.timeline': async ({ of, node }) =>
      ok(
        of === 'pack'
          ? []
          : timelineOf(catalog, await earlier(context, node), MOST_MOMENTS, session.run?.scope.profile),
      ),
    'location.get': async ({ of }) => {
      const current = await upToNow(context, of)
      if (!current.ok) return current
      const assessment = assessmentOf(context, of)
      // A map with many places blocks this process for a second, during which no round trip of a run in progress can be
      // timed.
      const drawn = session.going === null
      const recordings = (of === 'run' ? session.run : session.pack)?.recordings ?? []
      const places = new Map(recordings.map(({ recording: { node } }) => [node.name, node.location ?? null]))
      return ok(assessment === null ? null : locationView(of, assessment, drawn, places))
    },
    'figures.get': async ({ of, node, kinds }) => {
      const current = await upToNow(context, of)
      if (!current.ok) return current
      const loaded = recordingOf(session, of, node)
      const assessment = assessmentOf(context, of)
      const assessed = assessment?.nodes.find((one) => one.node === node)
      if (loaded === undefined || assessed === undefined) return ok([])
      return ok(figuresOf(loaded, assessed, assessment?.scope, kinds))
    },
    'evidence.list': async ({ of, node }) => ok(evidenceList(recordingOf(session, of, node))),
    'evidence.get': async ({ of, node, capture, stream, offset }) =>
      evidencePiece(recordingOf(session, of, node), catalog, capture, stream, offset),
  })
}

/**
 * The evaluation of a pack is the one that it contains, so only the run is evaluated again. Fails as assessAgain()
 * does.
 */
const upToNow = async (context: EngineContext, of: Source): Promise<Outcome<null>> =>
  of === 'run' ? await assessAgain(context) : ok(null)

/**
 * Data behind the view of a source; null without a run, and where the assessment of the open pack cannot be read. Fails as assessAgain() does.
 */
export async function viewSource(
  context: EngineContext,
  of: Source,
): Promise<Outcome<(ViewSource & Pick<RunState, 'recordings'>) | null>> {
  const current = await upToNow(context, of)
  if (!current.ok) return current
  const state = of === 'run' ? context.session.run : context.session.pack
  if (state === null || state.assessment === null) return ok(null)
  const { run, recordings } = state
  const unreadable = unreadableOf(context, of)
  // A pack contains its own register, and conclusions that rest on it.
  if (of === 'pack') {
    const register = context.session.pack?.register ?? EMPTY_REGISTER
    return ok({ of, run, assessment: state.assessment, recordings, register, unreadable })
  }
  // Conclusions follow the register, which changes while a run is shown.
  const own = await ownRegister(context)
  const register = own.ok ? own.value : EMPTY_REGISTER
  const assessment = own.ok ? withPeople(context, state.assessment, register) : state.assessment
  return ok({ of, run, assessment, recordings, register, unreadable })
}

/** The view of an evaluation, composed once: every screen asks for it, and a large fleet has tens of thousands of results. */
function shownView(catalog: Catalog, source: ViewSource): AssessmentView {
  const { assessment, recordings, unreadable } = source
  const register = sha256(canonicalJson(source.register))
  const known = VIEWS.get(assessment)
  if (known?.recordings === recordings && known.unreadable === unreadable && known.register === register)
    return known.view
  const view = assessmentView(catalog, source)
  VIEWS.set(assessment, { recordings, unreadable, register, view })
  return view
}

/** The last view of each evaluation, with the inputs that it was composed from. */
const VIEWS = new WeakMap<
  Assessment,
  Pick<ViewSource, 'recordings' | 'unreadable'> & { readonly register: string; readonly view: AssessmentView }
>()

/**
 * Control conclusions with the register applied. Entries made after the run was evaluated take effect from their own
 * time, so conclusions are as of that time; verdicts are as of the run and do not change.
 */
function withPeople({ ports, catalog }: EngineContext, assessment: Assessment, whole: Register): Assessment {
  const register = registerInScope(catalog, whole, assessment.scope)
  const latest = lastMade(register, ports.clock.now())
  const asOf = latest !== null && Date.parse(latest) > Date.parse(assessment.asOf) ? latest : assessment.asOf
  // Every screen asks for this, and for a large fleet it takes a second.
  const from = `${asOf} ${sha256(canonicalJson(register))}`
  const before = CONCLUDED.get(assessment)
  if (before?.from === from) return before.assessment
  const concluded = withRegister(catalog, { ...assessment, asOf }, register)
  CONCLUDED.set(assessment, { from, assessment: concluded })
  return concluded
}

/** The last conclusions of an evaluation, with the register and the time that they rest on. */
const CONCLUDED = new WeakMap<Assessment, { readonly from: string; readonly assessment: Assessment }>()

const assessmentOf = ({ session }: EngineContext, of: Source): Assessment | null =>
  (of === 'run' ? session.run?.assessment : session.pack?.assessment) ?? null

const unreadableOf = ({ session }: EngineContext, of: Source): readonly Failure[] =>
  of === 'run' ? (session.run?.unreadable ?? []) : []

async function nodeView(context: EngineContext, of: Source, name: string): Promise<Outcome<NodeView | null>> {
  const { session } = context
  const current = await upToNow(context, of)
  if (!current.ok) return current
  const assessed = assessmentOf(context, of)?.nodes.find(({ node }) => node === name)
  if (assessed === undefined) return ok(null)
  const declared = of === 'run' ? session.fleet?.nodes.find((node) => node.name === name) : undefined
  const { riskAcceptances, explanations } = await registerFor(context, of)
  return ok({
    assessment: withFailure(assessed, unreadableOf(context, of)),
    recording: recordingOf(session, of, name)?.recording ?? null,
    declared: declared === undefined ? null : fleetNodeView(declared),
    riskAcceptances: riskAcceptances.filter(({ nodes }) => nodes.includes(name)),
    explanations: explanations.filter(({ nodes, status }) => status === 'in-force' && nodes.includes(name)),
  })
}

/** One more than is shown, so that the oldest run is compared as well. A run in progress is not included. */
async function earlier(context: EngineContext, node: string): Promise<readonly LoadedRecording[]> {
  const shelf = shelfOf(context)
  const without = context.session.going?.run ?? null
  return shelf === null ? [] : await recordingsOfNode(shelf, node, { most: MOST_MOMENTS + 1, without })
}

/**
 * Risk acceptances and explanations for a source; none where the register cannot be read, which `register.get` reports.
 */
async function registerFor(
  context: EngineContext,
  of: Source,
): Promise<Pick<RegisterView, 'riskAcceptances' | 'explanations'>> {
  const register = await registerOf(context, of)
  return register.ok ? register.value : { riskAcceptances: [], explanations: [] }
}

/**
 * Recordings of one node, newest first, as a timeline: each evaluated as of its own end, so that the same recordings
 * always give the same timeline, and compared with the one before it. The last `most` entries. Checks that compare
 * nodes are excluded: one node cannot decide them.
 */
function timelineOf(
  catalog: Catalog,
  recordings: readonly LoadedRecording[],
  most: number,
  profile: ChosenProfile | undefined,
): readonly NodeMoment[] {
  const comparing = new Set(catalog.checks.flatMap(({ id, amongNodes }) => (amongNodes === undefined ? [] : [id])))
  const judged = recordings.map((loaded) => {
    const { run, node, endedAt } = loaded.recording
    return { run, at: endedAt, assessment: assessNode(catalog, node.name, loaded, { asOf: endedAt, profile }) }
  })
  return judged.slice(0, most).map(({ run, at, assessment }, index) => {
    const before = judged[index + 1]?.assessment
    return {
      run,
      at,
      status: assessment.status,
      changed: before === undefined ? [] : changed(before, assessment, comparing),
    }
  })
}

function changed(before: NodeAssessment, after: NodeAssessment, comparing: ReadonlySet<string>): NodeMoment['changed'] {
  const then = new Map(before.results.map(({ check, verdict }) => [check, verdict]))
  return after.results.flatMap(({ check, verdict }) => {
    const earlier = then.get(check)
    return earlier === undefined || earlier === verdict || comparing.has(check)
      ? []
      : [{ check, before: earlier, after: verdict }]
  })
}

/**
 * Declared places and results of the nodes of an assessment, small enough for a thousand of them; with the map only
 * where it is drawn. `places` names where each node is declared to be, those that were not collected among them.
 */
export function locationView(
  of: Source,
  assessment: Assessment,
  drawn: boolean,
  places: ReadonlyMap<string, Place | null> = new Map(),
): LocationView {
  const { asOf, demo, nodes, scope } = assessment
  const policies = scope.location?.residency ?? []
  return {
    of,
    asOf,
    demo,
    rows: nodes.map((node) => rowOf(node, policies, places.get(node.node)?.name ?? null)),
    figures: drawn ? fleetFiguresOf({ nodes: nodes.map((node) => placed(node, places.get(node.node) ?? null)) }) : [],
  }
}

/** A node as the map counts it: one that was not collected was declared for a place all the same, with no result. */
const placed = (node: NodeAssessment, claim: Place | null): NodeAssessment =>
  node.location != null || claim === null ? node : { ...node, location: { ...NO_LOCATION_RESULT, claim } }

const NO_LOCATION_RESULT: Omit<Location, 'claim'> = {
  results: [],
  distanceBounds: [],
  reachable: null,
  frontEnd: null,
  signals: [],
  notes: [],
}

const rowOf = (
  { node, status, failure, stale, location }: NodeAssessment,
  policies: readonly ResidencyPolicy[],
  place: string | null,
): LocationRow => ({
  node,
  place: location?.claim?.name ?? place,
  status,
  failure,
  stale,
  claim: location?.claim ?? null,
  results:
    location?.results.map(({ of, title, result, text }) => ({
      of,
      title,
      result,
      why: result === 'contradicted' ? text : null,
    })) ?? [],
  withoutResult: location == null ? policiesFor(node, policies).map((policy) => policyQuestion(policy).title) : [],
  narrowest: narrowestOf(location?.distanceBounds ?? []),
})

function narrowestOf(discs: Location['distanceBounds']): LocationRow['narrowest'] {
  const bounded = discs.flatMap(({ maxDistanceKm, vantage }) =>
    maxDistanceKm === null ? [] : [{ km: maxDistanceKm, vantage: vantage.name }],
  )
  return [...bounded].sort((a, b) => a.km - b.km)[0] ?? null
}

/** The stored data of one node: its recording and the captures in canonical order, without bytes. */
const evidenceList = (loaded: LoadedRecording | undefined): EvidenceList => ({
  recording: loaded?.recording ?? null,
  captures: (loaded?.captures ?? []).map(({ meta }) => meta).sort(byProbeAndCommand),
})

const PIECE_BYTES = 1024 * 1024

/**
 * Up to 1 MiB of one stored stream, and the fact that its probe parses from the whole capture. Fails with
 * input.not-found.
 */
function evidencePiece(
  loaded: LoadedRecording | undefined,
  catalog: Catalog,
  capture: string,
  stream: 'stdout' | 'stderr',
  offset: number,
): Outcome<EvidencePiece> {
  const captures = capturesByKey(loaded?.captures ?? [])
  const found = captures.get(capture)
  if (found === undefined) return fail('input.not-found', capture)
  const bytes = stream === 'stdout' ? found.stdout : found.stderr
  const start = Math.min(bytes.length, offset)
  const end = characterEdge(bytes, Math.min(bytes.length, start + PIECE_BYTES))
  const probe = catalog.probes.find(({ id }) => id === found.meta.probe)
  const parsed =
    probe === undefined
      ? ({ ok: false, reason: 'this catalog has no such probe' } as const)
      : readProbe(probe, captures, askedFor(loaded?.recording ?? {}))
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start, end))
  return ok({
    capture: found.meta,
    stream,
    text,
    offset: start,
    nextOffset: end < bytes.length ? end : null,
    size: bytes.length,
    marked: parsed.ok ? markedLines(text, parsed.fact) : [],
    digestNow: sha256(bytes),
    reading: parsed.ok ? { ok: true, fact: JSON.stringify(parsed.fact, showable, 2) ?? 'null' } : parsed,
  })
}

// A cut in the middle of a UTF-8 sequence would show a replacement character that is not in the evidence.
function characterEdge(bytes: Uint8Array, end: number): number {
  if (end >= bytes.length) return end
  let edge = end
  while (edge > end - 4 && edge > 0 && ((bytes[edge] ?? 0) & 0xc0) === 0x80) edge -= 1
  return edge
}

const showable = (_key: string, value: unknown): unknown => {
  if (value instanceof Map) return Object.fromEntries(value)
  if (value instanceof Set) return [...value]
  if (value instanceof Uint8Array) return `${value.length} bytes`
  return typeof value === 'bigint' ? value.toString() : value
}
