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

/** Plain data about what people declare before an audit, and what a provider promised. */

/** An engagement as a person fills it in. While parts are missing, texts and days may be empty. */
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

/** What keeps a form from counting, as a sentence. */
export interface EngagementLack {
  readonly section: EngagementSection
  readonly text: string
}

export interface EngagementView {
  /** What is filled in so far; null where nothing is. */
  readonly form: EngagementForm | null
  readonly lacks: readonly EngagementLack[]
  /** Whether an engagement counts in assessments and exports. */
  readonly counts: boolean
  /** The form differs from the one that counts: it waits until nothing is missing. */
  readonly waits: boolean
  readonly inventory: InventoryView | null
}

/** The provider’s own list without its rows, which `coverage.get` compares. */
export type InventoryView = Omit<Inventory, 'rows' | 'excluded'> & { readonly rows: number; readonly excluded: number }

/** What is stated about a provider’s list that comes as a table by itself. */
export type InventoryDraft = Pick<Inventory, 'source' | 'kind' | 'owner' | 'on'>

/** The three lists against each other; null without an engagement. */
export interface CoverageView {
  readonly coverage: Reconciliation
  readonly population: Pick<DeclaredPopulation, 'source' | 'owner' | 'on'>
  /** Whether any run was made: without one, no node was asked. */
  readonly asked: boolean
}

export interface ProviderItem {
  readonly id: string
  readonly name: string
  readonly asOf: string
  readonly claims: number
}

export interface ProviderList {
  /** Profiles that ship with us, from public statements. */
  readonly shipped: readonly ProviderItem[]
  readonly chosen: ProviderItem | null
  /** The chosen one came from a file of the customer’s. */
  readonly own: boolean
}

export type ClaimWord = ClaimResult['result']
/** What is relevant to a claim: a check of the catalog, or a reading with the value that was promised. */
export interface ClaimTestView {
  readonly title: string
  readonly limitations: string
  /** Where a check argues it; null for a reading, and for a check that this catalog does not have. */
  readonly check: { readonly id: string; readonly property: Property } | null
}

export interface ClaimRow {
  readonly id: string
  readonly text: string
  readonly source: ClaimSource | null
  readonly tests: readonly ClaimTestView[]
  readonly why: string | null
  /** The record that would show it. */
  readonly documentRequired: string | null
  /** How many declared nodes the claim concerns. */
  readonly nodes: number
  readonly counts: Readonly<Record<ClaimWord, number>>
}

/** What a provider promised and how it was answered; null where no profile is chosen. */
export interface ClaimsView {
  readonly profile: Pick<ProviderProfile, 'id' | 'name' | 'asOf' | 'notes'>
  /** Null before the first run. */
  readonly evaluatedAt: string | null
  readonly claims: readonly ClaimRow[]
}

export type ClaimOnNode = Pick<ClaimResult, 'result' | 'observations'> & { readonly node: string }

/** A framework of the customer's own. */
export interface MappingItem {
  readonly id: string
  readonly title: string
  readonly version: string
  readonly rows: number
  /** Controls that at least one check is relevant to. */
  readonly mapped: number
}

/** The part of the contract about engagements and promises, see Methods. */
export interface EngagementMethods {
  'engagement.get': { in: { readonly of: Source }; out: EngagementView }
  /** Keeps the whole form. It counts from the moment that nothing is missing; until then the one before does. */
  'engagement.set': { in: EngagementForm; out: EngagementView }
  /** Main’s file dialog, then the file takes the place of what was declared. Null when the dialog was closed. */
  'engagement.import-choose': { in: null; out: EngagementView | null }
  /** Main’s file dialog, then a table (CSV) takes the place of the provider’s list; rows left out stay so where their ids still stand. Refused before an engagement counts. */
  'inventory.import-choose': { in: InventoryDraft; out: EngagementView | null }
  /** States why a row of the provider’s list is no node of the population; null takes that back. */
  'inventory.leave-out': { in: { readonly id: string; readonly why: string | null }; out: EngagementView }
  'coverage.get': { in: { readonly of: Source }; out: CoverageView | null }
  'provider.list': { in: null; out: ProviderList }
  /** A profile that ships with us; null for none. Refused while a run is going on. */
  'provider.choose': { in: { readonly id: string | null }; out: ProviderList }
  /** Main’s file dialog, then a profile of the customer’s own. Null when the dialog was closed. */
  'provider.import-choose': { in: null; out: ProviderList | null }
  'mappings.list': { in: null; out: readonly MappingItem[] }
  /** Main’s file dialog, then a framework of the customer’s own; one of the same id is replaced. Null when the dialog was closed. */
  'mappings.import-choose': { in: null; out: readonly MappingItem[] | null }
  'mappings.remove': { in: { readonly id: string }; out: readonly MappingItem[] }
  'claims.get': { in: { readonly of: Source }; out: ClaimsView | null }
  /** One claim on each node that it concerns, contradicted first, with the reasons. */
  'claims.answers': { in: { readonly of: Source; readonly claim: string }; out: readonly ClaimOnNode[] }
}
