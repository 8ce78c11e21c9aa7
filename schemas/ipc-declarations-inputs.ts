import { type DeclarationMethods, SECTION_NAMES } from './ipc-declarations.ts'
import { exactly, nodes, nothing } from './ipc-input-parts.ts'

/** JSON Schemas of what the methods about declarations take; see INPUT_SCHEMAS. The engine checks a section against the fleet schema. */
export const DECLARATION_INPUTS: Readonly<Record<keyof DeclarationMethods, object>> = {
  'declarations.get': nothing,
  'declarations.set': exactly({
    section: { enum: SECTION_NAMES },
    nodes,
    value: { type: 'object', maxProperties: 20 },
  }),
  'declarations.choose-file': nothing,
  'fleet.open-choose': nothing,
  'fleet.open-accept': exactly({ handle: { type: 'string', pattern: '^[0-9a-f]{32}$' } }),
  'fleet.save-file': nothing,
}
