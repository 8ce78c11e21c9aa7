import type {
  Assessment,
  CheckResult,
  ChosenProfile,
  ClaimResult,
  DeclaredLocation,
  EphiMap,
  Isolation,
  Location,
  MachineIdentity,
  NodeAssessment,
  Observation,
  ProviderProfile,
  Register,
  Scope,
  SharedIdentities,
} from '../../../schemas/types.ts'
import { VERSION } from '../../../schemas/version.ts'
import { coverageOf } from '../engagement/coverage.ts'
import { withMappedPaths } from '../engagement/ephi.ts'
import type { Parsed } from '../recording/probe.ts'
import { capturesByKey, readingsOf } from '../recording/readings.ts'
import {
  type CapturedAnswer,
  compare,
  type LoadedRecording,
  observedAtOf,
  type RecordingOutline,
  recordingDigest,
} from '../recording/recording.ts'
import { amongNodes, sharedAmong, surplusNames } from '../recording/same-machine.ts'
import type { NodeVerdicts } from '../register/documents.ts'
import { EMPTY_REGISTER } from '../register/register.ts'
import { type Catalog, catalogFor, catalogReference, type ReportedIdentity } from '../rules/catalog.ts'
import {
  type Check,
  type Conclusion,
  type Context,
  conclude as concludeCheck,
  type DraftObservation,
} from '../rules/check.ts'
import { answerClaims, unansweredClaims } from '../rules/claim.ts'
import { thresholdValues } from '../rules/profile.ts'
import { concludeControls } from './conclude.ts'

interface AssessInput {
  readonly catalog: Catalog
  readonly scope: Scope
  readonly recordings: readonly LoadedRecording[]
  /** The time of evaluation: UTC, ISO 8601. No clock is read here. */
  readonly asOf: string
  /** The register, as far as it concerns this scope. It changes no verdict, only conclusions on controls. */
  readonly register?: Register
}

/** What assess() needs besides recordings: the content of data/scope.json. */
export interface PackScope extends Scope {
  readonly asOf: string
}

/** Evidence of state and configuration older than this supports nothing (conclusion model). */
export const FRESH_DAYS = 30

const DAY_MS = 86_400_000
const daysBefore = (asOf: string, observedAt: string): number =>
  Math.floor((Date.parse(asOf) - Date.parse(observedAt)) / DAY_MS)

/** Whether evidence is too old at a given time, or dated after it. */
export function isStale(observedAt: string, asOf: string): boolean {
  const days = daysBefore(asOf, observedAt)
  return !(days >= 0 && days <= FRESH_DAYS)
}

/**
 * The only source of verdicts: evaluates recordings and the declared scope as of a given time. Pure and deterministic: equal input gives equal
 * bytes of canonical JSON, whatever the order of recordings and captures, the time zone or the locale. A declared node without a usable recording
 * gets the verdict not-tested for every check.
 */
export function assess({ catalog, scope, recordings, asOf, register = EMPTY_REGISTER }: AssessInput): Assessment {
  const rested = populationOf(scope).map((node) => ({ node, loaded: latest(recordings, node) }))
  const terms = termsOf({ ...scope, asOf })
  const alone = rested.map(({ node, loaded }) => assessNode(catalog, node, loaded, terms))
  const nodes = compareNodes(catalog, alone, asOf)
  const demo = rested.some(({ loaded }) => loaded?.recording.demo === true)
  return { schema: 'barewitness.assessment/1', ...conclude(catalog, { scope, asOf, demo, register }, nodes), nodes }
}

/** The declared nodes, each once, in the order used everywhere. */
export const populationOf = ({ population }: Pick<Scope, 'population'>): readonly string[] =>
  [...new Set(population)].sort(compare)

/**
 * Everything that an assessment states besides its nodes: the last part of assess(), for callers that process one node at a time and keep only its
 * verdicts and identity. `demo`: whether any node rests on demonstration data. The scope’s own frameworks are added to the catalog.
 */
export function conclude(
  ours: Catalog,
  {
    scope,
    asOf,
    demo,
    register,
  }: { readonly scope: Scope; readonly asOf: string; readonly demo: boolean; readonly register: Register },
  nodes: readonly NodeVerdicts[],
): Omit<Assessment, 'nodes' | 'schema'> {
  const catalog = catalogFor(ours, scope)
  const frameworks = [...new Set(scope.frameworks)].sort(compare)
  const shared = sharedAmong(nodes)
  const surplus = surplusNames(shared)
  const reconciliation = coverageOf(
    scope,
    nodes.map(({ node, results, machine }) => ({
      node,
      answered: results.some(({ verdict }) => verdict !== 'not-tested'),
      machine: machine ?? null,
    })),
    shared,
  )
  return {
    asOf,
    engine: VERSION,
    catalog: catalogReference(ours, scope),
    scope: {
      ...scope,
      population: [...populationOf(scope)],
      frameworks,
    },
    demo,
    ...(reconciliation === undefined ? {} : { reconciliation }),
    shared,
    controls: concludeControls(catalog, frameworks, nodes, {
      register,
      asOf,
      engagement: scope.engagement,
      uncovered: reconciliation?.unreconciled ?? 0,
      surplus,
      machines: shared.machines.map((machine) => machine.nodes),
    }),
  }
}

/** Concludes an assessment again with another register, one that changed since. Verdicts stay the same. */
export function withRegister(catalog: Catalog, assessment: Assessment, register: Register): Assessment {
  const { scope, asOf, demo, nodes, schema } = assessment
  return { schema, ...conclude(catalog, { scope, asOf, demo, register }, nodes), nodes }
}

/**
 * Of several recordings of a node, the one that ended last; the digest decides between equal times, so that the order of the list has no influence.
 */
export function latest<T extends RecordingOutline>(recordings: readonly T[], node: string): T | null {
  const own = recordings.filter(({ recording }) => recording.node.name === node)
  const keyed = own.map((loaded) => ({ loaded, key: `${loaded.recording.endedAt} ${recordingDigest(loaded)}` }))
  return keyed.sort((a, b) => compare(b.key, a.key))[0]?.loaded ?? null
}

/** What results depend on besides the evidence: evaluation date, thresholds, provider claims, location data and ePHI map. */
export interface AssessmentTerms {
  /** UTC, ISO 8601. */
  readonly asOf: string
  readonly profile: ChosenProfile | undefined
  readonly provider?: ProviderProfile | undefined
  readonly location?: DeclaredLocation | undefined
  /** Where ePHI is stored, as the engagement declares it. */
  readonly ephi?: EphiMap | undefined
}

type Declared = Pick<Scope, 'profile' | 'provider' | 'location' | 'engagement'>

export const termsOf = ({ asOf, ...scope }: Declared & { readonly asOf: string }): AssessmentTerms => ({
  asOf,
  ...declaredTerms(scope),
})

/** The parts of a scope that results depend on, without the evaluation date. */
export const declaredTerms = ({
  profile,
  provider,
  location,
  engagement,
}: Declared): Omit<AssessmentTerms, 'asOf'> => ({
  profile,
  provider,
  location,
  ephi: engagement?.ephi,
})

/** Decides the checks that compare all nodes, and returns the nodes as an assessment states them. */
export function compareNodes(catalog: Catalog, alone: readonly NodeAssessment[], asOf: string): NodeAssessment[] {
  const compared = withNodesCompared(catalog, sharedAmong(alone), asOf)
  return alone.map(compared)
}

/**
 * The middle part of assess(), for callers that process one node at a time: the result of assessNode() with the verdicts of checks that compare
 * nodes. A caller that obtained `shared` elsewhere must compare it with the result of conclude().
 */
export function withNodesCompared(
  { checks }: Pick<Catalog, 'checks'>,
  shared: SharedIdentities,
  asOf: string,
): (alone: NodeAssessment) => NodeAssessment {
  const comparing = new Map(
    checks.flatMap((check) => (check.amongNodes === undefined ? [] : [[check.id, check.amongNodes]])),
  )
  const amongOf = amongNodes(shared)
  return (alone) => ({
    ...alone,
    results: alone.results.map((found): CheckResult => {
      const compareWith = comparing.get(found.check)
      if (compareWith === undefined || found.verdict === 'not-tested') return found
      const { verdict, observations } = compareWith(found.verdict, amongOf(alone.node))
      const all = [...found.observations, ...observations.map((step) => citeAgain(step, found.observations))]
      const bare: CheckResult = { ...found, verdict, observations: all }
      return alone.stale ? onStaleEvidence(bare, alone.observedAt ?? '', asOf) : bare
    }),
  })
}

/** Cites the captures that other observations of the same result cite for the same probe. */
const citeAgain = ({ direction, text, probe }: DraftObservation, reasons: readonly Observation[]): Observation => ({
  direction,
  text,
  probe,
  captures: reasons.find((reason) => reason.probe === probe && probe !== null)?.captures ?? [],
})

/**
 * The first part of assess(): everything stated about one declared node alone, from its recording or from the lack of one. Checks that compare
 * nodes are decided afterwards.
 */
export function assessNode(
  catalog: Catalog,
  node: string,
  loaded: LoadedRecording | null,
  { asOf, profile, provider, location, ephi }: AssessmentTerms,
): NodeAssessment {
  if (loaded === null) return notCollected(catalog, node, 'No recording exists for this declared node.', provider)
  const { recording, captures } = loaded
  const observedAt = observedAtOf(loaded)
  const days = daysBefore(asOf, observedAt)
  const stale = isStale(observedAt, asOf)
  // A time can be well-formed and yet invalid (25:00). It then has no age, and the evidence supports nothing.
  const ageDays = Number.isNaN(days) ? null : days
  const identity = {
    node,
    recording: { id: recording.id, digest: recordingDigest(loaded) },
    status: recording.outcome.status,
    failure: recording.outcome.failure,
    observedAt,
    ageDays,
    stale,
    privilege: recording.session?.privilege ?? null,
    synthetic: recording.synthetic,
    ...((recording.node.ephiPaths ?? []).length === 0 ? {} : { declaresEphi: true as const }),
  }
  const answered = captures.some(({ meta }) => meta.source === 'node' && meta.status === 'done')
  if (!answered) {
    const why =
      recording.outcome.failure === null
        ? 'The node returned no output.'
        : `The node was not collected: ${recording.outcome.failure.code}.`
    // A recording is begun as partial: one that was interrupted before anything was answered is not a node that was collected in part.
    return { ...notCollected(catalog, node, why, provider), ...identity, status: 'failed' }
  }
  const byProbe = capturesByProbe(capturesByKey(captures).values())
  const readings = readingsOf(catalog, loaded)
  const context: Context = {
    node: withMappedPaths(recording.node, ephi),
    asOf,
    observedAt,
    thresholds: thresholdValues(catalog.thresholds, profile),
    ...(recording.hostKey === null ? {} : { hostKey: recording.hostKey.fingerprint }),
    ...(recording.demo ? { demo: true } : {}),
    ...(location === undefined ? {} : { location }),
  }
  const results = catalog.checks
    .map((check) => finding(check, concludeCheck(check, readings, context), byProbe, stale ? context : null))
    .sort((a, b) => compare(a.check, b.check))
  const dossier = isolation(catalog, readings, context, byProbe)
  const { claimTests: tests } = catalog
  const claims = (promised: ProviderProfile): ClaimResult[] => [
    ...answerClaims(promised, {
      tests,
      results,
      readings,
      context,
      stale,
      cite: (step) => cite(step, byProbe),
    }),
  ]
  return {
    ...identity,
    machine: {
      address: recording.node.address,
      serials: serialsIn(dossier),
      identity: identityOf(catalog.identity.read(readings), loaded, dossier),
    },
    isolation: dossier,
    location: located(catalog, readings, context, byProbe),
    results,
    ...(provider === undefined ? {} : { claims: claims(provider) }),
  }
}

/** Serial numbers of the whole machine as its firmware states them. Those of parts identify no machine, since parts can be bought separately. */
const serialsIn = ({ pins }: Isolation): string[] => [
  ...new Set(pins.filter(({ kind }) => ['system', 'board', 'chassis'].includes(kind)).map(({ value }) => value)),
]

/** The node was queried between start and end of the recording, so its kernel ran at least from the latest boot time that fits until the start. */
function identityOf(
  { uptimeSeconds, ...reported }: ReportedIdentity,
  { recording: { startedAt, endedAt } }: LoadedRecording,
  { environment }: Isolation,
): MachineIdentity {
  const from = uptimeSeconds === null ? Number.NaN : Date.parse(endedAt) - uptimeSeconds * 1000
  // Without an SSH session of ours, as in an imported transcript, the times come from the node’s own clock.
  const isKnown = reported.hostKey !== null && from <= Date.parse(startedAt) && from > 0
  return {
    ...reported,
    ran: isKnown ? { from: new Date(from).toISOString(), to: new Date(Date.parse(startedAt)).toISOString() } : null,
    container: environment === 'container',
  }
}

const age = (observedAt: string, asOf: string): string =>
  observedAt > asOf
    ? `The evidence is dated ${observedAt}, after the evaluation date ${asOf}; not counted as support.`
    : `Stale evidence: collected ${observedAt}, more than ${FRESH_DAYS} days before ${asOf}; not counted as support.`

function isolation(
  catalog: Catalog,
  readings: ReadonlyMap<string, Parsed<unknown>>,
  context: Context,
  byProbe: CapturesByProbe,
): Isolation {
  const { observations: because, anomalies, ...answers } = catalog.assessIsolation(readings, context)
  return {
    ...answers,
    anomalies: anomalies.map(({ step, ...rest }) => {
      const { text, probe, captures } = cite(step, byProbe)
      return { ...rest, text, probe, captures }
    }),
    observations: because.map((step) => cite(step, byProbe)),
  }
}

function located(
  catalog: Catalog,
  readings: ReadonlyMap<string, Parsed<unknown>>,
  context: Context,
  byProbe: CapturesByProbe,
): Location {
  const { signals, ...results } = catalog.assessLocation(readings, context)
  return {
    ...results,
    signals: signals.map(({ commands, ...signal }) => {
      const { captures } = cite(
        {
          direction: 'unclear',
          text: signal.text,
          probe: signal.probe,
          ...(commands === undefined ? {} : { commands }),
        },
        byProbe,
      )
      return { ...signal, captures }
    }),
  }
}

function finding(
  check: Check,
  conclusion: Conclusion,
  byProbe: CapturesByProbe,
  stale: Pick<Context, 'observedAt' | 'asOf'> | null,
): CheckResult {
  const found: CheckResult = {
    check: check.id,
    property: check.property,
    verdict: conclusion.verdict,
    observations: conclusion.observations.map((step) => cite(step, byProbe)),
  }
  return stale === null ? found : onStaleEvidence(found, stale.observedAt, stale.asOf)
}

/**
 * Stale evidence supports neither direction (conclusion model, section 7): satisfied and not-applicable become inconclusive; a deviation remains,
 * with the day on which it was last observed. A comparison of nodes may change the verdict, and adds its observation then.
 */
function onStaleEvidence(found: CheckResult, observedAt: string, asOf: string): CheckResult {
  const { verdict, observations: reasons } = found
  const because = (direction: Observation['direction'], text: string): readonly Observation[] =>
    reasons[0]?.text === text ? reasons : [{ direction, text, probe: null, captures: [] }, ...reasons]
  if (verdict === 'satisfied' || verdict === 'not-applicable')
    return { ...found, verdict: 'inconclusive', observations: because('unclear', age(observedAt, asOf)) }
  return verdict === 'not-satisfied' && observedAt <= asOf
    ? {
        ...found,
        observations: because(
          'contradicts',
          `Last observed as not satisfied on ${observedAt.slice(0, 10)}, not retested since.`,
        ),
      }
    : found
}

/** The captures of a node, by probe. */
type CapturesByProbe = ReadonlyMap<string, readonly CapturedAnswer[]>

/** A node has hundreds of observations and captures, so captures are indexed by probe instead of being searched each time. */
function capturesByProbe(captures: Iterable<CapturedAnswer>): CapturesByProbe {
  const byProbe = new Map<string, CapturedAnswer[]>()
  for (const capture of captures) {
    const { probe } = capture.meta
    const before = byProbe.get(probe)
    if (before === undefined) byProbe.set(probe, [capture])
    else before.push(capture)
  }
  return byProbe
}

function cite(step: DraftObservation, byProbe: CapturesByProbe): Observation {
  const captures = step.probe === null ? [] : (byProbe.get(step.probe) ?? [])
  const cited = captures
    .filter(({ meta }) => step.commands === undefined || step.commands.includes(meta.command))
    .map(({ meta }) => ({ command: meta.command, sha256: meta.stdout.sha256 }))
    .sort((a, b) => compare(a.command, b.command))
  return { direction: step.direction, text: step.text, probe: step.probe, captures: cited }
}

function notCollected(
  catalog: Catalog,
  node: string,
  why: string,
  provider: ProviderProfile | undefined,
): NodeAssessment {
  const reasons: Observation[] = [{ direction: 'unclear', text: why, probe: null, captures: [] }]
  const results = catalog.checks.map(
    (check): CheckResult => ({
      check: check.id,
      property: check.property,
      verdict: 'not-tested',
      observations: reasons,
    }),
  )
  return {
    node,
    recording: null,
    status: 'missing',
    failure: null,
    observedAt: null,
    ageDays: null,
    stale: false,
    privilege: null,
    synthetic: null,
    isolation: null,
    location: null,
    results: results.sort((a, b) => compare(a.check, b.check)),
    ...(provider === undefined ? {} : { claims: [...unansweredClaims(provider, node, why)] }),
  }
}
