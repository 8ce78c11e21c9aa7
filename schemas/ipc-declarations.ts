import type { Figure } from './figure.ts'
import type { FleetView, SavedFile } from './ipc-views.ts'
import type { Fleet, FleetNode } from './types.ts'

/** Declarations of a fleet file, and opening, editing by section and saving the file. */
export interface DeclarationMethods {
  /** Null where there is no fleet. */
  'declarations.get': { in: null; out: DeclarationsView | null }
  /** Replaces one section of the fleet or of the named nodes. Where a problem is reported, nothing is stored. */
  'declarations.set': { in: SectionDraft; out: SectionReply }
  /** Opens a file dialog. Sections may name only files that were chosen here and files that the fleet already names. */
  'declarations.choose-file': { in: null; out: ChosenFile | null }
  /** The map for choosing the coordinates of a place, with the current entries. */
  'declarations.place-map': {
    in: { readonly view: PlaceView; readonly place: (PlacePoint & { readonly radiusKm: number }) | null }
    out: Figure
  }
  /** The coordinates at a point of that map, given in points of the figure; null outside of the Earth. */
  'declarations.place-at': {
    in: { readonly view: PlaceView; readonly x: number; readonly y: number }
    out: PlacePoint | null
  }
  /** Opens a file dialog and previews the changes by the chosen fleet file. Stores nothing. */
  'fleet.open-choose': { in: null; out: FleetFilePreview | null }
  /** Replaces the fleet with the file of a preview that has no problem. A copy of the current one is kept. */
  'fleet.open-accept': { in: { readonly handle: string }; out: FleetView }
  /** Opens a dialog and saves the fleet as YAML, or as JSON where the file name ends in .json. */
  'fleet.save-file': { in: null; out: SavedFleet | null }
}

export interface PlacePoint {
  readonly latitude: number
  readonly longitude: number
}

/** The part of the Earth that a map shows: a number of kilometers around its center, or the whole Earth. */
export interface PlaceView {
  readonly middle: PlacePoint | null
  readonly km: number
}

/** Sections of the fleet: members that are edited and stored together. They cover every member of a fleet file except its nodes. */
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

/** Sections of a node. */
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
/** `path` starts at the section: `['accounts', 2, 'until']`. Empty where the problem concerns no single field. */
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
  /** The value in each profile, for display. */
  readonly values: Readonly<Record<string, string>>
}

/** A file as the declarations will reference it. */
interface ChosenFile {
  readonly file: string
}

export interface FleetFilePreview {
  /** Null where the file has a problem and cannot be used. */
  readonly handle: string | null
  readonly file: string
  readonly name: string | null
  readonly nodes: number
  readonly problems: readonly FileProblem[]
  readonly changes: readonly FleetChange[]
  /** Other declarations that the file names, and that replace those of this window. */
  readonly includes: readonly DeclaredPart[]
  /** Declarations of this window that the file does not name. They are removed, so that window and command line read the same. */
  readonly removes: readonly DeclaredPart[]
}

/** Declarations in separate files that a fleet file names. */
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
