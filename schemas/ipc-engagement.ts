import type { Source } from './ipc-views.ts'
import type {
  ClaimResult,
  ClaimSource,
  DeclaredPopulation,
  Engagement,
  Inventory,
  ProviderProfile,
  Reconciliation,
} from './types.ts'
import type { Property } from './words.ts'

/** Declarations before an audit, and claims of providers. */

/** The form of an engagement. Texts and days may be empty until it is complete. */
export type EngagementForm = Omit<Engagement, 'schema' | 'inventory'>

export const ENGAGEMENT_SECTIONS = [
  'who',
  'boundary',
  'responsibilities',
  'subservice',
  'user-entity',
  'ephi',
  'population',
  'sign-off',
] as const
export type EngagementSection = (typeof ENGAGEMENT_SECTIONS)[number]

/** A missing part of a form, as a sentence. */
export interface EngagementLack {
  readonly section: EngagementSection
  readonly text: string
}

export interface EngagementView {
  /** The stored form; null where there is none. */
  readonly form: EngagementForm | null
  readonly lacks: readonly EngagementLack[]
  /** Whether an engagement counts in assessments and exports. */
  readonly counts: boolean
  /** Whether the form differs from the one that counts. It takes effect once it is complete. */
  readonly waits: boolean
  readonly inventory: InventoryView | null
}

/** The provider inventory without its rows, which `coverage.get` reconciles. */
export type InventoryView = Omit<Inventory, 'rows' | 'excluded'> & { readonly rows: number; readonly excluded: number }

/** Statements about a provider inventory that is imported as a table. */
export type InventoryDraft = Pick<Inventory, 'source' | 'kind' | 'owner' | 'on'>

/** Population reconciliation; null without an engagement. */
export interface CoverageView {
  readonly coverage: Reconciliation
  readonly population: Pick<DeclaredPopulation, 'source' | 'owner' | 'on'>
  /** Whether there was any run; without one, no node was collected. */
  readonly asked: boolean
}

export interface ProviderItem {
  readonly id: string
  readonly name: string
  readonly asOf: string
  readonly claims: number
}

export interface ProviderList {
  /** Profiles that are part of this program, from public statements. */
  readonly shipped: readonly ProviderItem[]
  readonly chosen: ProviderItem | null
  /** Whether the chosen profile is from a file of the customer. */
  readonly own: boolean
}

export type ClaimWord = ClaimResult['result']
/** A test of a claim: a check of the catalog, or a reading with the claimed value. */
export interface ClaimTestView {
  readonly title: string
  readonly limitations: string
  /** The check with its property; null for a reading, and for a check that this catalog does not have. */
  readonly check: { readonly id: string; readonly property: Property } | null
}

export interface ClaimRow {
  readonly id: string
  readonly text: string
  readonly source: ClaimSource | null
  readonly tests: readonly ClaimTestView[]
  readonly why: string | null
  /** The document that would show it. */
  readonly documentRequired: string | null
  /** Number of declared nodes that the claim concerns. */
  readonly nodes: number
  readonly counts: Readonly<Record<ClaimWord, number>>
}

/** Provider claims with their results; null where no profile is chosen. */
export interface ClaimsView {
  readonly profile: Pick<ProviderProfile, 'id' | 'name' | 'asOf' | 'notes'>
  /** Null before the first run. */
  readonly evaluatedAt: string | null
  readonly claims: readonly ClaimRow[]
}

export type ClaimOnNode = Pick<ClaimResult, 'result' | 'observations'> & { readonly node: string }

/** A framework of the customer. */
export interface MappingItem {
  readonly id: string
  readonly title: string
  readonly version: string
  readonly rows: number
  /** Controls that at least one check is relevant to. */
  readonly mapped: number
}

/** Methods about engagements and provider claims, see Methods. */
export interface EngagementMethods {
  'engagement.get': { in: { readonly of: Source }; out: EngagementView }
  /** Stores the whole form. It counts once it is complete; until then the previous one counts. */
  'engagement.set': { in: EngagementForm; out: EngagementView }
  /** Opens a file dialog and replaces the declarations by the chosen file. Null where the dialog was closed. */
  'engagement.import-choose': { in: null; out: EngagementView | null }
  /**
   * Opens a file dialog and replaces the provider inventory by the chosen table (CSV). Excluded rows stay excluded where their ids still exist.
   * Refused before an engagement counts.
   */
  'inventory.import-choose': { in: InventoryDraft; out: EngagementView | null }
  /** States why a row of the provider inventory is not a node of the population; null withdraws the exclusion. */
  'inventory.leave-out': { in: { readonly id: string; readonly why: string | null }; out: EngagementView }
  'coverage.get': { in: { readonly of: Source }; out: CoverageView | null }
  'provider.list': { in: null; out: ProviderList }
  /** Chooses a profile of this program; null: none. Refused while a run is in progress. */
  'provider.choose': { in: { readonly id: string | null }; out: ProviderList }
  /** Opens a file dialog and uses the chosen profile of the customer. Null where the dialog was closed. */
  'provider.import-choose': { in: null; out: ProviderList | null }
  'mappings.list': { in: null; out: readonly MappingItem[] }
  /** Opens a file dialog and adds the chosen framework of the customer; one with the same id is replaced. Null where the dialog was closed. */
  'mappings.import-choose': { in: null; out: readonly MappingItem[] | null }
  'mappings.remove': { in: { readonly id: string }; out: readonly MappingItem[] }
  'claims.get': { in: { readonly of: Source }; out: ClaimsView | null }
  /** Results of one claim on each node concerned, contradicted first, with the reasons. */
  'claims.answers': { in: { readonly of: Source; readonly claim: string }; out: readonly ClaimOnNode[] }
}
