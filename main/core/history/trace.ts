import type { Assessment, NodeAssessment, Planned, RunTrace, Scope, TracedNode } from '../../../schemas/types.ts'
import { VERSION } from '../../../schemas/version.ts'
import { verdictLetters } from '../../../schemas/words.ts'
import { canonicalJson, jsonBytes } from '../base/canonical-json.ts'
import { type Sha256, sha256 } from '../base/digest.ts'
import { type Parsed, type Probe, wasNotAsked } from '../recording/probe.ts'
import { readingsOf } from '../recording/readings.ts'
import { compare, type LoadedRecording } from '../recording/recording.ts'
import { NOTHING_SHARED } from '../recording/same-machine.ts'
import { type Catalog, catalogFor, catalogReference } from '../rules/catalog.ts'

/** Number of hexadecimal digits that identify a reading: finding a change that goes undetected takes 2^48 attempts. */
export const READING_DIGITS = 12
/** Not requested, or no part of the reading is stable between readings. */
export const NOT_COMPARED = '0'.repeat(READING_DIGITS)
/** Requested without a fact: refused, truncated, absent or in an unknown form. */
export const NO_READING = 'f'.repeat(READING_DIGITS)
/** The letter of a check without a result. */
const NO_FINDING = '-'

/** The part of a trace for one node; `loaded` is the recording that its assessment rests on. */
export function traceNode(catalog: Catalog, loaded: LoadedRecording | null, assessed: NodeAssessment): TracedNode {
  const recording = loaded?.recording ?? null
  const readings = readingsOf(catalog, loaded)
  const answered = assessed.isolation !== null
  return {
    node: assessed.node,
    status: assessed.status,
    failure: assessed.failure?.code ?? null,
    observedAt: assessed.observedAt,
    recording: assessed.recording?.digest ?? null,
    hostKey: recording?.hostKey?.fingerprint ?? null,
    address: recording?.node.address ?? null,
    declared: recording === null ? null : sha256(canonicalJson(recording.node)),
    ...(assessed.declaresEphi === true ? { declaresEphi: true as const } : {}),
    verdicts: lettersOf(catalog, assessed),
    readings: sortedProbes(catalog)
      .map((probe) => readingDigest(probe, readings.get(probe.id)))
      .join(''),
    parts: assessed.isolation?.pins ?? [],
    ...(answered ? catalog.listAccess(readings) : { accounts: null, keys: null }),
  }
}

/** The trace of a node from before nodes were compared, with the verdicts since. */
export const withVerdicts = (catalog: Catalog, traced: TracedNode, assessed: NodeAssessment | undefined): TracedNode =>
  assessed === undefined ? traced : { ...traced, verdicts: lettersOf(catalog, assessed) }

function lettersOf(catalog: Catalog, { results }: Pick<NodeAssessment, 'results'>): string {
  const verdicts = new Map(results.map(({ check, verdict }) => [check, verdictLetters[verdict]]))
  return checkIds(catalog)
    .map((check) => verdicts.get(check) ?? NO_FINDING)
    .join('')
}

/** The digest of a reading as compared between runs; see RunTrace. Undefined: there is no recording. */
export function readingDigest(probe: Probe, reading: Parsed<unknown> | undefined): string {
  if (reading === undefined || wasNotAsked(reading)) return NOT_COMPARED
  if (!reading.ok) return NO_READING
  const known = DIGESTS.get(reading)
  if (known?.probe === probe) return known.digest
  const digest = factDigest(probe, reading.fact)
  DIGESTS.set(reading, { probe, digest })
  return digest
}

/** Nodes with equal answers share one reading; see readingsOf(). */
const DIGESTS = new WeakMap<Parsed<unknown>, { readonly probe: Probe; readonly digest: string }>()

function factDigest(probe: Probe, fact: unknown): string {
  const steady = probe.ignoredInDrift === undefined ? fact : probe.ignoredInDrift.normalize(fact)
  return steady === null ? NOT_COMPARED : sha256(canonicalJson(plainJson(steady))).slice(0, READING_DIGITS)
}

/** Facts are plain data except for bytes, maps and sets, which are converted to JSON values. */
export const plainJson = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, part: unknown) =>
      part instanceof Uint8Array
        ? Buffer.from(part).toString('hex')
        : part instanceof Map || part instanceof Set
          ? [...part]
          : typeof part === 'bigint'
            ? String(part)
            : part,
    ),
  ) as unknown

interface TraceInput {
  readonly run: string
  readonly planned: Planned | null
  /** Its `nodes` are not used. */
  readonly assessment: Pick<Assessment, 'asOf' | 'scope' | 'demo' | 'shared' | 'reconciliation'>
  /** One for each declared node, in the order of the assessment. */
  readonly nodes: readonly TracedNode[]
}

export function traceOf(ours: Catalog, { run, planned, assessment, nodes }: TraceInput): RunTrace {
  const { asOf, scope, demo, shared = NOTHING_SHARED, reconciliation } = assessment
  const catalog = catalogFor(ours, scope)
  const reference = catalogReference(ours, scope)
  return {
    schema: 'barewitness.run-trace/1',
    run,
    fleet: scope.fleet,
    asOf,
    demo,
    planned,
    engine: VERSION,
    catalog: reference,
    rules: rulesDigest({ engine: VERSION, catalog: reference }, scope),
    scope: scopeDigests(scope),
    checks: [...checkIds(catalog)],
    probes: sortedProbes(catalog).map(({ id }) => id),
    nodes: [...nodes],
    ...(shared.machines.length === 0 ? {} : { sameMachines: shared.machines.map((one) => [...one.nodes]) }),
    ...(reconciliation === undefined || reconciliation.inventory === null
      ? {}
      : { unreconciled: reconciliation.unreconciled }),
  }
}

/**
 * Number of machines that were collected completely or partially in a run; several names of one machine count once.
 */
export const answeredIn = ({ nodes, sameMachines = [] }: Pick<RunTrace, 'nodes' | 'sameMachines'>): number =>
  nodes.filter(({ status }) => status === 'complete' || status === 'partial').length -
  sameMachines.reduce((sum, names) => sum + names.length - 1, 0)

/** The content of data/trace.json: canonical JSON and a newline. */
export const traceBytes = (trace: RunTrace): Uint8Array => jsonBytes(trace)

/** The digest of all that verdicts follow from besides evidence: equal where the rules were equal. */
export const rulesDigest = (
  { engine, catalog }: Pick<RunTrace, 'engine' | 'catalog'>,
  { profile }: Pick<Scope, 'profile'>,
): Sha256 => sha256(canonicalJson([engine, catalog.digest, profile ?? null]))

/**
 * Digests of the declarations part by part, so that a later run can show which part changed. Nodes are excluded,
 * since they are compared individually.
 */
export function scopeDigests({
  fleet: _,
  population: __,
  profile: ___,
  location,
  ...declared
}: Scope): RunTrace['scope'] {
  const parts: Readonly<Record<string, unknown>> = { ...declared, ...location }
  return Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .map(([part, value]) => ({ part, sha256: sha256(canonicalJson(value)) as Sha256 }))
    .sort((a, b) => compare(a.part, b.part))
}

const checkIds = ({ checks }: Catalog): readonly string[] => checks.map(({ id }) => id).sort(compare)
const sortedProbes = ({ probes }: Catalog): readonly Probe[] => [...probes].sort((a, b) => compare(a.id, b.id))
