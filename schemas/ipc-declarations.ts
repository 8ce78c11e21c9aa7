import type { Figure } from './figure.ts'
import type { FleetView, SavedFile } from './ipc-views.ts'
import type { Fleet, FleetNode } from './types.ts'

/** Plain data about what a fleet file declares, and the file itself: opened, edited in sections, and saved. */
export interface DeclarationMethods {
  /** Null where there is no fleet. */
  'declarations.get': { in: null; out: DeclarationsView | null }
  /** Replaces one section, of the fleet or of the named nodes. Nothing is stored where a problem is reported. */
  'declarations.set': { in: SectionDraft; out: SectionReply }
  /** Main's file dialog. A file that a section names is one that was chosen here, or one that the fleet names already. */
  'declarations.choose-file': { in: null; out: ChosenFile | null }
  /** The map on which the coordinates of a place are chosen, with the place as entered so far. */
  'declarations.place-map': {
    in: { readonly view: PlaceView; readonly place: (PlacePoint & { readonly radiusKm: number }) | null }
    out: Figure
  }
  /** The coordinates at a point of that map, in points of the figure; null beside the Earth. */
  'declarations.place-at': {
    in: { readonly view: PlaceView; readonly x: number; readonly y: number }
    out: PlacePoint | null
  }
  /** Main's file dialog, then what a fleet file would change. Nothing is stored. */
  'fleet.open-choose': { in: null; out: FleetFilePreview | null }
  /** Replaces the fleet with the file of a preview that has no problem. A copy of the current one is kept. */
  'fleet.open-accept': { in: { readonly handle: string }; out: FleetView }
  /** Main's dialog, then the fleet as YAML, or as JSON where the name ends so. */
  'fleet.save-file': { in: null; out: SavedFleet | null }
}

export interface PlacePoint {
  readonly latitude: number
  readonly longitude: number
}

/** The part of the Earth that a map shows: that many kilometres around its middle, or all of it. */
export interface PlaceView {
  readonly middle: PlacePoint | null
  readonly km: number
}

/** What is edited and stored together, of the whole fleet. Every member of a fleet file but its nodes. */
export const FLEET_SECTIONS = {
  fleet: ['name', 'frameworks', 'concurrency'],
  residency: ['residency'],
  'location-sources': ['vantage', 'vantages', 'sites', 'addressDatabases', 'locationSpreadSeconds', 'askMetadata'],
  people: ['roster', 'accounts'],
  services: ['services'],
  ephi: ['ephiPaths', 'ephiFlows'],
  thresholds: ['profile', 'thresholds'],
  'host-keys': ['knownHosts'],
  'time-stamping': ['timestampAuthority'],
} as const satisfies Readonly<Record<string, readonly (keyof Fleet)[]>>
export type FleetSection = keyof typeof FLEET_SECTIONS

/** The same of one node. */
export const NODE_SECTIONS = {
  'node-place': ['location', 'role'],
  'node-people': ['roster', 'accounts'],
  'node-services': ['services'],
  'node-ephi': ['ephiPaths', 'ephiFlows'],
  'node-login': ['user', 'identityFile', 'agent', 'sudo'],
  'node-connection': ['address', 'port', 'hostKey', 'knownHosts', 'jump', 'jumpOnly', 'transport', 'zone'],
} as const satisfies Readonly<Record<string, readonly (keyof FleetNode)[]>>
export type NodeSection = keyof typeof NODE_SECTIONS

export type SectionName = FleetSection | NodeSection
export const SECTION_NAMES = [...Object.keys(FLEET_SECTIONS), ...Object.keys(NODE_SECTIONS)] as readonly SectionName[]

/** Members of a section by name; an absent one is removed. */
export type SectionValue = Readonly<Record<string, unknown>>
export interface SectionDraft {
  readonly section: SectionName
  /** The nodes that a section of nodes is for; empty for a section of the fleet. */
  readonly nodes: readonly string[]
  readonly value: SectionValue
}

export type SectionReply =
  | { readonly saved: true; readonly view: DeclarationsView }
  | { readonly saved: false; readonly problems: readonly FieldProblem[] }
/** `path` starts at the section: `['accounts', 2, 'until']`. Empty where no field is to blame. */
export interface FieldProblem {
  readonly path: readonly (string | number)[]
  readonly text: string
}

export interface DeclarationsView {
  readonly demo: boolean
  readonly fleet: Fleet
  readonly thresholds: readonly ThresholdChoice[]
  readonly frameworks: readonly { readonly id: string; readonly title: string }[]
  /** The declared places; null where none is declared. */
  readonly map: Figure | null
}

interface ThresholdChoice {
  readonly id: string
  readonly title: string
  readonly unit: string
  /** The value of each profile, for people. */
  readonly values: Readonly<Record<string, string>>
}

/** A file as it will be written into the declarations. */
interface ChosenFile {
  readonly file: string
}

export interface FleetFilePreview {
  /** Null where a problem keeps the file from being used. */
  readonly handle: string | null
  readonly file: string
  readonly name: string | null
  readonly nodes: number
  readonly problems: readonly FileProblem[]
  readonly changes: readonly FleetChange[]
  /** Other declarations that the file names, and that replace those of this window. */
  readonly includes: readonly DeclaredPart[]
  /** Declarations of this window that the file does not name: they are removed, as the command line would read none. */
  readonly removes: readonly DeclaredPart[]
}

/** Declarations that a fleet file names in files of their own. */
export type DeclaredPart = 'engagement' | 'provider' | 'mappings'

/** `line` and `column` are null for a problem in a file that the fleet file names. */
export interface FileProblem {
  readonly line: number | null
  readonly column: number | null
  readonly field: string
  readonly text: string
}

/** A difference between two fleets: a node, or a member of the fleet or of a node. */
export interface FleetChange {
  readonly node: string | null
  /** Null where the whole node is added or removed. */
  readonly member: string | null
  readonly kind: 'added' | 'removed' | 'changed'
  readonly before: string
  readonly after: string
}

export interface SavedFleet extends SavedFile {
  /** Files that it names and that were written with it, relative to its folder. */
  readonly named: readonly string[]
  /** Whether a draft of the engagement, which is not in use yet, is not in the file. */
  readonly withoutDraft: boolean
}
