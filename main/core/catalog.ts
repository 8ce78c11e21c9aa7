import type { RiskArea, Severity } from '../../schemas/conclusion-words.ts'
import type {
  Anomaly,
  CatalogReference,
  Isolation,
  Location,
  LocationSignal,
  MachineIdentity,
  ProviderProfile,
  Scope,
  TracedNode,
} from '../../schemas/types.ts'
import { canonicalJson } from './canonical-json.ts'
import type { Check, Context, DraftObservation } from './check.ts'
import type { ClaimTest } from './claim.ts'
import type { EvidenceRequest, OffNodeCheck } from './conclusion/requests.ts'
import { type Sha256, sha256 } from './digest.ts'
import type { Control, Framework } from './framework.ts'
import type { Parsed, Probe } from './probe.ts'
import type { Threshold } from './profile.ts'

/** What distinguishes a machine from others, before it is known when the recording was taken. */
export type ReportedIdentity = Omit<MachineIdentity, 'ran' | 'container'> & {
  /** Seconds since the kernel started; null where that was not read. */
  readonly uptimeSeconds: number | null
}

/** The four isolation answers before their observations and anomalies cite captures. */
export type IsolationArgument = Omit<Isolation, 'observations' | 'anomalies'> & {
  readonly observations: readonly DraftObservation[]
  readonly anomalies: readonly (Omit<Anomaly, 'text' | 'probe' | 'captures'> & {
    readonly step: DraftObservation
  })[]
}

/** Where a node is, before its signals cite captures. */
export type LocationArgument = Omit<Location, 'signals'> & {
  readonly signals: readonly (Omit<LocationSignal, 'captures'> & { readonly commands?: readonly string[] })[]
}

/** What the catalog states of one signal of isolation, without the code that reads it. */
export interface SignalNote {
  readonly id: string
  readonly family: Anomaly['family']
  readonly title: string
  readonly onMetal: string
  readonly onGuest: string
  /** What it costs to fake: S0 a setting, S1 rebuilt firmware, S2 a patched hypervisor kernel, S3 the physical part or a private key. */
  readonly spoofingEffort: 'S0' | 'S1' | 'S2' | 'S3'
  readonly pitfalls: readonly string[]
  readonly source: string
  readonly probes: readonly string[]
  /** Machines of known truth that read “virtual”, out of those read: honest guests, guests dressed up as hardware, hardware. */
  readonly counts: {
    readonly vm: readonly [number, number]
    readonly dressed: readonly [number, number]
    readonly metal: readonly [number, number]
  } | null
}

/** Of the checks mapped to a control, those that no node can answer. */
export function offNodeChecksOf(
  { offNodeChecks }: Pick<Catalog, 'offNodeChecks'>,
  { mappings }: Pick<Control, 'mappings'>,
): readonly OffNodeCheck[] {
  const mapped = new Set(mappings.map(({ check }) => check))
  return offNodeChecks.filter(({ id }) => mapped.has(id))
}

/** What conclusions read from the catalog in addition to roles. */
export interface ConclusionSettings {
  /** Built checks that only a series of runs answers: they decide in period engagements alone. */
  readonly periodChecks: readonly string[]
  /** Checks that cannot apply to a node which the inspected data map leaves out. */
  readonly ephiChecks: readonly string[]
  /** The request for the inventory of ePHI and other sensitive data. */
  readonly dataMap: string
}

/** What lowers a severity: a result observed on the same node, or an evidence request that an inspected supporting document answers. */
export type LoweringFact = `satisfied ${string}` | `inspected ER-${string}`

/**
 * What raises one: these, a declared ePHI path or residency commitment, a public IP address, a deviation on the same node, or a claim of the
 * provider that the check tests.
 */
export type SeverityFact =
  | LoweringFact
  | 'ephi'
  | 'public-address'
  | 'residency'
  | `not-satisfied ${string}`
  | `claimed ${string}`

/** A condition that raises or lowers the severity of a deviation on one node. */
export interface SeverityCondition<Fact extends SeverityFact = SeverityFact> {
  readonly text: string
  /** The condition applies where all of them hold on the node. None: the evidence cannot show it, and a person decides. */
  readonly facts: readonly Fact[]
}

/** How severe a deviation from a check is, and why; verdicts and conclusions never depend on it. */
export interface CheckSeverity {
  readonly check: string
  readonly riskArea: RiskArea
  readonly severity: Severity
  readonly why: string
  /** Both lists are empty for a check that only records or supports: it never deviates. */
  readonly raisesWhen: readonly SeverityCondition[]
  readonly lowersWhen: readonly SeverityCondition<LoweringFact>[]
  /** The condition found, as the title of a finding. */
  readonly finding: string
  /** The expected condition, as a title. */
  readonly satisfied: string
  /** The test performed, as one sentence of a table of tests and results (SOC 2 report, section IV). */
  readonly procedure: string
  readonly source: string
  /** Who can remedy it. */
  readonly remedy: 'tenant can fix' | 'provider must fix' | 'both'
}

/** The condition found, as the title of a finding; where the catalog has no text for it, the expected condition marked as not satisfied. */
export const conditionFound = (
  { severities }: Pick<Catalog, 'severities'>,
  { id, expected }: Pick<Check, 'id' | 'expected'>,
): string => severities.find(({ check }) => check === id)?.finding ?? `Not satisfied: ${expected}`

/** A dated list that checks or mappings rest on. */
export interface ReferenceList {
  readonly id: string
  readonly title: string
  /** YYYY-MM-DD: when it was last compared with its sources. */
  readonly asOf: string
  /** Over its canonical JSON. */
  readonly sha256: Sha256
}

/** Everything we ask, conclude and map, as one value that assess() and verify() take. */
export interface Catalog {
  readonly version: string
  /** SHA-256 of the module that the rules of this version are built into. */
  readonly module: Sha256
  readonly probes: readonly Probe<unknown>[]
  readonly checks: readonly Check[]
  readonly frameworks: readonly Framework[]
  readonly signals: readonly SignalNote[]
  /** The numbers that checks compare against, by profile. */
  readonly thresholds: readonly Threshold[]
  /** Documents that auditors ask for, each once. */
  readonly requests: readonly EvidenceRequest[]
  readonly conclusions: ConclusionSettings
  readonly severities: readonly CheckSeverity[]
  /** Mapped checks that are not built because no node can answer them. */
  readonly offNodeChecks: readonly OffNodeCheck[]
  /** Readings other than checks that a provider's promise can be compared with. */
  readonly claimTests: readonly ClaimTest[]
  /** Providers' public statements that ship with us. */
  readonly providers: readonly ProviderProfile[]
  /** Lists of others' facts that checks compare against, each as of a day. */
  readonly references?: readonly ReferenceList[]
  readonly assessIsolation: (readings: ReadonlyMap<string, Parsed<unknown>>, context: Context) => IsolationArgument
  readonly assessLocation: (readings: ReadonlyMap<string, Parsed<unknown>>, context: Context) => LocationArgument
  /** What a node states of the machine that it is: to detect whether several names are one machine. */
  readonly identity: {
    readonly probes: readonly Probe<unknown>[]
    readonly read: (readings: ReadonlyMap<string, Parsed<unknown>>) => ReportedIdentity
  }
  /** Who can log in to a node, as far as its captures show: for lists of whole populations, never for a verdict. */
  readonly listAccess: (readings: ReadonlyMap<string, Parsed<unknown>>) => Pick<TracedNode, 'accounts' | 'keys'>
}

/**
 * The catalog as one scope uses it: with the customer's own frameworks behind ours, which none of them can replace. The same value where
 * there are none; applied twice it is as applied once.
 */
export function catalogFor(catalog: Catalog, { mappings = [] }: Pick<Scope, 'mappings'>): Catalog {
  const known = new Set(catalog.frameworks.map(({ id }) => id))
  const own = mappings.filter(({ id }) => !known.has(id))
  return own.length === 0 ? catalog : { ...catalog, frameworks: [...catalog.frameworks, ...own] }
}

/** The catalog without its functions: what a pack carries so that a reader sees what was asked and claimed. */
export function catalogSnapshot(catalog: Catalog): unknown {
  return {
    version: catalog.version,
    probes: catalog.probes.map(({ id, title, why, live, optIn, ignoredInDrift, commands }) => ({
      id,
      title,
      why,
      ...(live === true ? { live } : {}),
      ...(optIn === undefined ? {} : { optIn }),
      ...(ignoredInDrift === undefined ? {} : { ignoredInDrift: ignoredInDrift.why }),
      commands,
    })),
    checks: catalog.checks.map(
      ({ id, property, expected, limitations, ends, requires, optional, thresholds, amongNodes }) => ({
        id,
        property,
        expected,
        limitations,
        ...(ends === undefined ? {} : { ends }),
        requires: Object.values(requires).map((probe) => probe.id),
        optional: Object.values(optional ?? {}).map((probe) => probe.id),
        ...(thresholds === undefined ? {} : { thresholds }),
        ...(amongNodes === undefined ? {} : { comparesNodes: true }),
      }),
    ),
    frameworks: catalog.frameworks,
    signals: catalog.signals,
    thresholds: catalog.thresholds,
    offNodeChecks: catalog.offNodeChecks,
    requests: catalog.requests,
    conclusions: catalog.conclusions,
    severities: catalog.severities,
    claimTests: catalog.claimTests.map(({ id, title, takes, limitations }) => ({ id, title, takes, limitations })),
    providers: catalog.providers,
    ...(catalog.references === undefined ? {} : { references: catalog.references }),
  }
}

/** SHA-256 of the snapshot in canonical JSON. A catalog is never changed once it is made, and its digest is asked for at every assessment. */
export function catalogDigest(catalog: Catalog): Sha256 {
  const known = DIGESTS.get(catalog)
  if (known !== undefined) return known
  const digest = sha256(canonicalJson(catalogSnapshot(catalog)))
  DIGESTS.set(catalog, digest)
  return digest
}

/** What an assessment names its rules by: their version and module, and the catalog with the scope's own frameworks. */
export function catalogReference(ours: Catalog, scope: Pick<Scope, 'mappings'>): CatalogReference {
  const catalog = catalogFor(ours, scope)
  return { version: catalog.version, digest: catalogDigest(catalog), module: catalog.module }
}

const DIGESTS = new WeakMap<Catalog, Sha256>()
