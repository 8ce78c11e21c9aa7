import type { RiskArea, Severity } from '../../../schemas/conclusion-words.ts'
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
} from '../../../schemas/types.ts'
import { canonicalJson } from '../base/canonical-json.ts'
import { type Sha256, sha256 } from '../base/digest.ts'
import type { Parsed, Probe } from '../recording/probe.ts'
import type { Check, Context, DraftObservation } from './check.ts'
import type { ClaimTest } from './claim.ts'
import type { Control, Framework } from './framework.ts'
import type { Threshold } from './profile.ts'
import type { EvidenceRequest, OffNodeCheck } from './requests.ts'

/** What identifies a machine, before the time of its recording is known. */
export type ReportedIdentity = Omit<MachineIdentity, 'ran' | 'container'> & {
  /** Seconds since the kernel started; null where unknown. */
  readonly uptimeSeconds: number | null
}

/** The four isolation results before their observations and anomalies cite captures. */
export type IsolationArgument = Omit<Isolation, 'observations' | 'anomalies'> & {
  readonly observations: readonly DraftObservation[]
  readonly anomalies: readonly (Omit<Anomaly, 'text' | 'probe' | 'captures'> & {
    readonly step: DraftObservation
  })[]
}

/** The location of a node before its signals cite captures. */
export type LocationArgument = Omit<Location, 'signals'> & {
  readonly signals: readonly (Omit<LocationSignal, 'captures'> & { readonly commands?: readonly string[] })[]
}

/** The description of one isolation signal, without the code that evaluates it. */
export interface SignalNote {
  readonly id: string
  readonly family: Anomaly['family']
  readonly title: string
  readonly onMetal: string
  readonly onGuest: string
  /**
   * Effort to fake it: S0 a setting, S1 modified firmware, S2 a patched hypervisor kernel, S3 the physical component
   * or a private key.
   */
  readonly spoofingEffort: 'S0' | 'S1' | 'S2' | 'S3'
  readonly pitfalls: readonly string[]
  readonly source: string
  readonly probes: readonly string[]
  /**
   * Machines of known nature for which the signal indicated “virtual”, out of those evaluated: ordinary guests,
   * guests disguised as hardware, hardware.
   */
  readonly counts: {
    readonly vm: readonly [number, number]
    readonly dressed: readonly [number, number]
    readonly metal: readonly [number, number]
  } | null
}

/** The checks mapped to a control that no node can answer. */
export function offNodeChecksOf(
  { offNodeChecks }: Pick<Catalog, 'offNodeChecks'>,
  { mappings }: Pick<Control, 'mappings'>,
): readonly OffNodeCheck[] {
  const mapped = new Set(mappings.map(({ check }) => check))
  return offNodeChecks.filter(({ id }) => mapped.has(id))
}

/** Catalog data that conclusions use besides roles. */
export interface ConclusionSettings {
  /** Implemented checks that only a series of runs answers; they decide only in engagements over a period. */
  readonly periodChecks: readonly string[]
  /** Checks that cannot apply to a node outside the inspected data map. */
  readonly ephiChecks: readonly string[]
  /** The evidence request for the inventory of ePHI and other sensitive data. */
  readonly dataMap: string
}

/**
 * A fact that lowers a severity: a result observed on the same node, or an evidence request answered by an inspected
 * supporting document.
 */
type LoweringFact = `satisfied ${string}` | `inspected ER-${string}`

/**
 * A fact that raises a severity: one of these, a declared ePHI path or residency commitment, a public IP address, a
 * deviation on the same node, or a provider claim that the check tests.
 */
type SeverityFact =
  | LoweringFact
  | 'ephi'
  | 'public-address'
  | 'residency'
  | `not-satisfied ${string}`
  | `claimed ${string}`

/** A condition that raises or lowers the severity of a deviation on one node. */
export interface SeverityCondition<Fact extends SeverityFact = SeverityFact> {
  readonly text: string
  /**
   * The condition applies where all facts hold on the node. An empty list: the evidence cannot show it, and a person
   * decides.
   */
  readonly facts: readonly Fact[]
}

/** Severity of a deviation from a check, with its reason; verdicts and conclusions never depend on it. */
export interface CheckSeverity {
  readonly check: string
  readonly riskArea: RiskArea
  readonly severity: Severity
  readonly why: string
  /** Both lists are empty for a check that only records or supports, since it never deviates. */
  readonly raisesWhen: readonly SeverityCondition[]
  readonly lowersWhen: readonly SeverityCondition<LoweringFact>[]
  /** The condition found, as the title of a finding. */
  readonly finding: string
  /** The expected condition, as a title. */
  readonly satisfied: string
  /** The test performed, as one sentence for a table of tests and results (SOC 2 report, section IV). */
  readonly procedure: string
  readonly source: string
  /** Who can remediate it. */
  readonly remedy: 'tenant can fix' | 'provider must fix' | 'both'
}

/** A dated list that checks or mappings are based on. */
export interface ReferenceList {
  readonly id: string
  readonly title: string
  /** Date of the last comparison with its sources, YYYY-MM-DD. */
  readonly asOf: string
  /** Over the canonical JSON of the list. */
  readonly sha256: Sha256
}

/** All probes, checks and mappings, as one value that assess() and verify() take. */
export interface Catalog {
  readonly version: string
  /** SHA-256 of the module built from the rules of this version. */
  readonly module: Sha256
  readonly probes: readonly Probe<unknown>[]
  readonly checks: readonly Check[]
  readonly frameworks: readonly Framework[]
  readonly signals: readonly SignalNote[]
  /** The thresholds of checks, by profile. */
  readonly thresholds: readonly Threshold[]
  /** Documents that auditors request, each once. */
  readonly requests: readonly EvidenceRequest[]
  readonly conclusions: ConclusionSettings
  readonly severities: readonly CheckSeverity[]
  /** Mapped checks that are not implemented because no node can answer them. */
  readonly offNodeChecks: readonly OffNodeCheck[]
  /** Tests of provider claims other than checks. */
  readonly claimTests: readonly ClaimTest[]
  /** Public statements of providers that ship with Barewitness. */
  readonly providers: readonly ProviderProfile[]
  /** Lists of facts from other sources that checks compare with, each as of a date. */
  readonly references?: readonly ReferenceList[]
  readonly assessIsolation: (readings: ReadonlyMap<string, Parsed<unknown>>, context: Context) => IsolationArgument
  readonly assessLocation: (readings: ReadonlyMap<string, Parsed<unknown>>, context: Context) => LocationArgument
  /** Reads the identity of a machine from a node, to detect several names of one machine. */
  readonly identity: {
    readonly probes: readonly Probe<unknown>[]
    readonly read: (readings: ReadonlyMap<string, Parsed<unknown>>) => ReportedIdentity
  }
  /**
   * Accounts and keys that can log in to a node, as far as its captures show; used for population lists, never for a
   * verdict.
   */
  readonly listAccess: (readings: ReadonlyMap<string, Parsed<unknown>>) => Pick<TracedNode, 'accounts' | 'keys'>
}

/**
 * The catalog for one scope, with the customer’s own frameworks added after ours, which they cannot replace. Returns
 * the same value where there are none; idempotent.
 */
export function catalogFor(catalog: Catalog, { mappings = [] }: Pick<Scope, 'mappings'>): Catalog {
  const known = new Set(catalog.frameworks.map(({ id }) => id))
  const own = mappings.filter(({ id }) => !known.has(id))
  return own.length === 0 ? catalog : { ...catalog, frameworks: [...catalog.frameworks, ...own] }
}

/**
 * The catalog without its functions: what a pack contains so that a reader sees the questions and expected
 * conditions.
 */
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

/**
 * SHA-256 of the snapshot in canonical JSON. Kept, because a catalog never changes and its digest is needed for every
 * assessment.
 */
export function catalogDigest(catalog: Catalog): Sha256 {
  const known = DIGESTS.get(catalog)
  if (known !== undefined) return known
  const digest = sha256(canonicalJson(catalogSnapshot(catalog)))
  DIGESTS.set(catalog, digest)
  return digest
}

/** How an assessment names its rules: their version and module, and the catalog with the scope’s own frameworks. */
export function catalogReference(ours: Catalog, scope: Pick<Scope, 'mappings'>): CatalogReference {
  const catalog = catalogFor(ours, scope)
  return { version: catalog.version, digest: catalogDigest(catalog), module: catalog.module }
}

const DIGESTS = new WeakMap<Catalog, Sha256>()
