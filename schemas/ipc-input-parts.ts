import { SOURCES } from './ipc-views.ts'

/** Parts that the input schemas of methods are made of: JSON Schema 2020-12. */

export const nothing = { type: 'null' } as const
export const name = { type: 'string', minLength: 1, maxLength: 253 } as const
export const text = (maxLength: number, minLength = 1): object => ({ type: 'string', minLength, maxLength })
export const list = (items: object, maxItems: number): object => ({
  type: 'array',
  items,
  maxItems,
  uniqueItems: true,
})
export const exactly = (properties: Readonly<Record<string, object>>): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
export const orNull = (schema: object): object => ({ anyOf: [{ type: 'null' }, schema] })
export const framework = { type: 'string', pattern: '^[a-z0-9][a-z0-9.-]{0,39}$' } as const
export const checkId = { type: 'string', pattern: '^[a-z0-9][a-z0-9.-]{0,99}$' } as const
/** The name of a stored run. */
export const run = { type: 'string', pattern: '^[a-z0-9][a-z0-9._-]{0,99}$' } as const
export const nodes = list(name, 20_000)
/** Which of the results that are shown a method reads. */
export const source = { enum: SOURCES } as const
/** A calendar day, YYYY-MM-DD. */
export const day = { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' } as const
/** The name of a signing identity; null: the only one. */
export const identity = orNull(text(64))
/** An identifier of a stored entry. */
export const handle = { type: 'string', pattern: '^[0-9a-f]{32}$' } as const
