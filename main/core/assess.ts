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
} from '../../schemas/types.ts'
import { VERSION } from '../../schemas/version.ts'
import { type Catalog, catalogFor, catalogReference, type ReportedIdentity } from './catalog.ts'
import { type Check, type Conclusion, type Context, conclude as concludeCheck, type DraftObservation } from './check.ts'
import { answerClaims, unansweredClaims } from './claim.ts'
import { concludeControls } from './conclusion/conclude.ts'
import type { NodeVerdicts } from './conclusion/documents.ts'
import { coverageOf } from './engagement/coverage.ts'
import { withMappedPaths } from './engagement/ephi.ts'
import type { Parsed } from './probe.ts'
import { thresholdValues } from './profile.ts'
import { capturesByKey, readingsOf } from './readings.ts'
import {
  type CapturedAnswer,
  compare,
  type LoadedRecording,
  type RecordingOutline,
  recordingDigest,
} from './recording.ts'
import { EMPTY_REGISTER } from './register.ts'
import { amongNodes, sharedAmong, surplusNames } from './same-machine.ts'

export interface AssessInput {
  readonly catalog: Catalog
  readonly scope: Scope
  readonly recordings: readonly LoadedRecording[]
  /** The moment of evaluation: UTC, ISO 8601. Nothing here reads a clock. */
  readonly asOf: string
  /** The register, as far as it concerns this scope. It changes no verdict, only states of controls. */
  readonly register?: Register
}

/** Evidence older than this supports nothing (state and config facts; crosswalk result model). */
export const FRESH_DAYS = 30

const DAY_MS = 86_400_000
const daysBefore = (asOf: string, observedAt: string): number =>
  Math.floor((Date.parse(asOf) - Date.parse(observedAt)) / DAY_MS)

/** Whether evidence is too old at a moment, or dated after it. */
export function isStale(observedAt: string, asOf: string): boolean {
  const days = daysBefore(asOf, observedAt)
  return !(days >= 0 && days <= FRESH_DAYS)
}

/**
 * The only way a verdict comes to exist: recordings, the declared scope and a moment, to an assessment. Pure and deterministic:
 * the same input gives the same bytes of canonical JSON, whatever the order of recordings and captures, the time zone or the locale.
 * A declared node without a usable recording gets a not-tested finding for every check.
 */
export function assess({ catalog, scope, recordings, asOf, register = EMPTY_REGISTER }: AssessInput): Assessment {
  const rested = populationOf(scope).map((node) => ({ node, loaded: latest(recordings, node) }))
  const terms = termsOf({ ...scope, asOf })
  const alone = rested.map(({ node, loaded }) => assessNode(catalog, node, loaded, terms))
  const nodes = compareNodes(catalog, alone, asOf)
  const demo = rested.some(({ loaded }) => loaded?.recording.demo === true)
  return { schema: 'barewitness.assessment/1', ...conclude(catalog, { scope, asOf, demo, register }, nodes), nodes }
}

/** The declared nodes, each once, in the one order. */
export const populationOf = ({ population }: Pick<Scope, 'population'>): readonly string[] =>
  [...new Set(population)].sort(compare)

/**
 * What an assessment states in addition to its nodes: the last part of assess(), for readers that take one node at a time and keep only the
 * verdicts, and what each states of its machine. `demo`: whether any node rests on demonstration data. The catalog is widened by the scope's own frameworks.
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
    }),
  }
}

/** An assessment with control states as a register makes them: for one that was changed since. Verdicts stay what they are. */
export function withRegister(catalog: Catalog, assessment: Assessment, register: Register): Assessment {
  const { scope, asOf, demo, nodes, schema } = assessment
  return { schema, ...conclude(catalog, { scope, asOf, demo, register }, nodes), nodes }
}

/** Of several recordings of a node, the one that ended last; the digest breaks a tie, so that order carries no meaning. */
export function latest<T extends RecordingOutline>(recordings: readonly T[], node: string): T | null {
  const own = recordings.filter(({ recording }) => recording.node.name === node)
  const keyed = own.map((loaded) => ({ loaded, key: `${loaded.recording.endedAt} ${recordingDigest(loaded)}` }))
  return keyed.sort((a, b) => compare(b.key, a.key))[0]?.loaded ?? null
}

/** What results depend on in addition to the evidence: evaluation date, thresholds, provider claims, location data, ePHI map. */
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

/** What a scope declares that results depend on, without the moment. */
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

/** The verdicts that rest on a comparison of all nodes, and with them the nodes as an assessment states them. */
export function compareNodes(catalog: Catalog, alone: readonly NodeAssessment[], asOf: string): NodeAssessment[] {
  const compared = withNodesCompared(catalog, sharedAmong(alone), asOf)
  return alone.map(compared)
}

/**
 * The middle of assess(), for readers that take one node at a time: a node as assessNode() gives it, with the verdicts of those checks that
 * compare nodes. A caller that takes `shared` from elsewhere has to compare it with what conclude() finds.
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

/** Cites the captures that other reasons of the same finding cite for the same question. */
const citeAgain = ({ direction, text, probe }: DraftObservation, reasons: readonly Observation[]): Observation => ({
  direction,
  text,
  probe,
  captures: reasons.find((reason) => reason.probe === probe && probe !== null)?.captures ?? [],
})

/**
 * The first part of assess(): everything that is stated of one declared node by itself, from its recording or from the lack of one. Checks
 * that compare nodes are decided afterwards.
 */
export function assessNode(
  catalog: Catalog,
  node: string,
  loaded: LoadedRecording | null,
  { asOf, profile, provider, location, ephi }: AssessmentTerms,
): NodeAssessment {
  if (loaded === null) return notCollected(catalog, node, 'No recording exists for this declared node.', provider)
  const { recording, captures } = loaded
  const days = daysBefore(asOf, recording.endedAt)
  const stale = isStale(recording.endedAt, asOf)
  // A moment can have the form of one and be none (25:00): then there is no age, and nothing is supported.
  const ageDays = Number.isNaN(days) ? null : days
  const identity = {
    node,
    recording: { id: recording.id, digest: recordingDigest(loaded) },
    status: recording.outcome.status,
    failure: recording.outcome.failure,
    observedAt: recording.endedAt,
    ageDays,
    stale,
    privilege: recording.session?.privilege ?? null,
    synthetic: recording.synthetic,
  }
  const answered = captures.some(({ meta }) => meta.source === 'node' && meta.status === 'done')
  if (!answered) {
    const why =
      recording.outcome.failure === null
        ? 'The node returned no output.'
        : `The node was not collected: ${recording.outcome.failure.code}.`
    return { ...notCollected(catalog, node, why, provider), ...identity }
  }
  const byProbe = capturesByProbe(capturesByKey(captures).values())
  const readings = readingsOf(catalog, loaded)
  const context: Context = {
    node: withMappedPaths(recording.node, ephi),
    asOf,
    observedAt: recording.endedAt,
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

/** What firmware states of the whole machine; parts of it can be bought by themselves. */
const serialsIn = ({ pins }: Isolation): string[] => [
  ...new Set(pins.filter(({ kind }) => ['system', 'board', 'chassis'].includes(kind)).map(({ value }) => value)),
]

/** Since the node was asked between the two ends of the recording, its kernel ran at least from the latest start that fits to the first end. */
function identityOf(
  { uptimeSeconds, ...reported }: ReportedIdentity,
  { recording: { startedAt, endedAt } }: LoadedRecording,
  { environment }: Isolation,
): MachineIdentity {
  const from = uptimeSeconds === null ? Number.NaN : Date.parse(endedAt) - uptimeSeconds * 1000
  // Without an SSH session of ours, as in an imported transcript, the times are by the node's own clock.
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
 * Stale evidence expires both ways (conclusion model, section 7): what was satisfied, or did not apply, is inconclusive; a deviation stays one,
 * with the day on which it was last observed. A comparison of nodes may come to another verdict, and gets its reason then.
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

/** The captures of a node by the probe that asked for them. */
type CapturesByProbe = ReadonlyMap<string, readonly CapturedAnswer[]>

/** A node has hundreds of observations and of captures, so that the captures of a probe are not searched for among all of them. */
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
