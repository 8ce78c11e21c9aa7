import type { RowState } from '../../schemas/conclusion-words.ts'
import type { Method } from '../../schemas/ipc.ts'
import type { FrameworkName, Source } from '../../schemas/ipc-views.ts'
import type { Property } from '../../schemas/words.ts'
import type { Filter, FindingFilter } from './filters.ts'
import { may, signedIn } from './team.ts'

/** The current screen. Every screen is a member, so that a screen without a title does not compile. */
export type Route =
  | { readonly screen: 'first-run' }
  /** `part` is the tab shown first. `edit` opens the dialog of that node. */
  | { readonly screen: 'nodes'; readonly part?: NodesPart; readonly edit?: string }
  /** `nodes` are selected on the tab of nodes. */
  | { readonly screen: 'declarations'; readonly part?: DeclarationsPart; readonly nodes?: readonly string[] }
  | { readonly screen: 'preview' }
  | { readonly screen: 'collecting' }
  /** The conclusions of an assessment; in a pack, its results by node and property. */
  | { readonly screen: 'overview'; readonly of: Source }
  /** `respond` opens the response to all severe findings without an owner. */
  | { readonly screen: 'findings'; readonly of: Source; readonly filter?: FindingFilter; readonly respond?: true }
  | { readonly screen: 'finding'; readonly of: Source; readonly reference: string }
  /** Nodes by property. */
  | { readonly screen: 'properties'; readonly of: Source; readonly filter?: Filter }
  | { readonly screen: 'checks'; readonly of: Source; readonly state: 'decided' | 'in-order' }
  /** Named nodes with their result of one check. */
  | { readonly screen: 'check'; readonly of: Source; readonly check: string; readonly nodes: readonly string[] }
  /** `check` is shown first. */
  | {
      readonly screen: 'why'
      readonly of: Source
      readonly node: string
      readonly property: Property
      readonly check?: string
    }
  | { readonly screen: 'node'; readonly of: Source; readonly node: string }
  | { readonly screen: 'controls'; readonly of: Source; readonly framework?: FrameworkName; readonly state?: RowState }
  | { readonly screen: 'control'; readonly of: Source; readonly framework: FrameworkName; readonly key: string }
  | { readonly screen: 'evidence'; readonly of: Source; readonly node: string; readonly capture: string | null }
  | { readonly screen: 'risk-acceptances'; readonly of: Source }
  /** `find` is the text that is searched first. */
  | { readonly screen: 'documents'; readonly of: Source; readonly find?: string }
  /** `begin` starts an empty form where there is none yet. */
  | { readonly screen: 'engagement'; readonly of: Source; readonly part?: EngagementPart; readonly begin?: true }
  /** `claim` is shown by node; without it, all claims. */
  | { readonly screen: 'claims'; readonly of: Source; readonly claim?: string }
  | { readonly screen: 'location'; readonly of: Source }
  | { readonly screen: 'packs' }
  /**
   * Only on a server: the packs shared with an auditor (`shared`), the requests, and what an officer shares
   * (`auditors`).
   */
  | { readonly screen: 'shared' }
  /** `id` is the request that is shown; without it, all. */
  | { readonly screen: 'requests'; readonly id?: string }
  | { readonly screen: 'auditors'; readonly part?: AuditorsPart }
  /** `at` is shown first; `pair` is compared first. */
  | { readonly screen: 'history'; readonly part?: HistoryPart; readonly at?: 'missed-runs'; readonly pair?: RunPair }
  | { readonly screen: 'schedules' }
  /**
   * `step` is opened first if the choices before it are complete. `run` is a stored run; without it, the run that is
   * shown.
   */
  | { readonly screen: 'export'; readonly step?: 'seal'; readonly run?: string }
  /** A signed report on a period. */
  | { readonly screen: 'period-export' }
  /** Screens of the review window only. */
  | { readonly screen: 'review'; readonly part?: ReviewPart }
  | { readonly screen: 'settings'; readonly part?: SettingsPart }

export type DeclarationsPart = 'fleet' | 'nodes' | 'file'
export type AuditorsPart = 'packs' | 'access'
export type NodesPart = 'list' | 'import' | 'keys'
export type EngagementPart = 'declared' | 'population' | 'frameworks'
export type HistoryPart = 'days' | 'compare'
export interface RunPair {
  readonly before: string
  readonly after: string
}
export type ReviewPart = 'seal' | 'evidence' | 'sampling' | 'limits'
export type SettingsPart = 'identity' | 'time-stamping' | 'trust' | 'ssh' | 'privacy' | 'appearance' | 'about'

/** The rail entry of screens that are none themselves. */
const RAIL_ENTRY: Readonly<Partial<Record<Route['screen'], Route['screen']>>> = {
  preview: 'nodes',
  collecting: 'nodes',
  finding: 'findings',
  properties: 'findings',
  checks: 'findings',
  check: 'findings',
  why: 'findings',
  node: 'findings',
  evidence: 'findings',
  control: 'controls',
  export: 'packs',
  'period-export': 'history',
  review: 'packs',
}

/** The screen whose rail entry is marked for a route. */
export const railEntryOf = ({ screen }: Route): Route['screen'] => RAIL_ENTRY[screen] ?? screen

/** Routes with the same key are the same screen: a filter or a selected check changes only its content. */
export function routeKey(route: Route): string {
  switch (route.screen) {
    case 'findings':
    case 'properties':
    case 'controls':
    case 'engagement':
      return `${route.screen} ${route.of}`
    case 'why':
      return `why ${route.of} ${route.node} ${route.property}`
    case 'nodes':
    case 'declarations':
    case 'history':
    case 'auditors':
    case 'settings':
      return route.screen
    default:
      return JSON.stringify(route)
  }
}

/** The method without which a screen, or a part of it, has no use; null for screens that every role may open. */
function needOf(route: Route): Method | null {
  if ('of' in route && route.of === 'run') return 'home.get'
  switch (route.screen) {
    case 'packs':
      return 'pack.recent'
    case 'export':
      return 'export.plan'
    case 'period-export':
      return 'period.plan'
    case 'schedules':
      return 'schedules.list'
    case 'shared':
      return 'portal.open'
    case 'requests':
      return 'portal.requests'
    case 'auditors':
      return 'portal.unshare'
    case 'nodes':
      return route.part === 'import' ? 'fleet.import-text' : 'fleet.get'
    case 'declarations':
      return route.part === 'file' ? 'fleet.open-choose' : 'declarations.get'
    case 'history':
      return 'history.get'
    case 'settings':
      return NEEDED_BY_SETTINGS[route.part ?? 'about'] ?? null
    default:
      return null
  }
}

const NEEDED_BY_SETTINGS: Readonly<Partial<Record<SettingsPart, Method>>> = {
  identity: 'identities.create',
  'time-stamping': 'home.get',
  trust: 'trust.list',
  ssh: 'home.get',
}

/** Screens that only a server has. */
const OF_SERVER: readonly Route['screen'][] = ['shared', 'auditors', 'requests']

/**
 * Whether a screen is offered: in the window always, except screens of a server; on a server, if the role may use it.
 */
export function isOffered(route: Route): boolean {
  if (signedIn() === null && OF_SERVER.includes(route.screen)) return false
  const need = needOf(route)
  return need === null || may(need)
}
