import { type DeclarationMethods, SECTION_NAMES } from './ipc-declarations.ts'
import { exactly, nodes, nothing, orNull } from './ipc-input-parts.ts'

const km = { type: 'number', exclusiveMinimum: 0, maximum: 20_038 } as const
const point = {
  latitude: { type: 'number', minimum: -90, maximum: 90 },
  longitude: { type: 'number', minimum: -180, maximum: 180 },
} as const
const view = exactly({ middle: orNull(exactly(point)), km })

/** JSON Schemas of what the methods about declarations take; see INPUT_SCHEMAS. The engine checks a section against the fleet schema. */
export const DECLARATION_INPUTS: Readonly<Record<keyof DeclarationMethods, object>> = {
  'declarations.get': nothing,
  'declarations.set': exactly({
    section: { enum: SECTION_NAMES },
    nodes,
    value: { type: 'object', maxProperties: 20 },
  }),
  'declarations.choose-file': nothing,
  'declarations.place-map': exactly({ view, place: orNull(exactly({ ...point, radiusKm: km })) }),
  'declarations.place-at': exactly({ view, x: { type: 'number' }, y: { type: 'number' } }),
  'fleet.open-choose': nothing,
  'fleet.open-accept': exactly({ handle: { type: 'string', pattern: '^[0-9a-f]{32}$' } }),
  'fleet.save-file': nothing,
}
