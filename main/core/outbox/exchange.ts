import type { Json } from '../base/canonical-json.ts'
import { fail, type Outcome, ok } from '../base/failure.ts'
import { plain } from '../base/plain-text.ts'

/** One file in a request of several parts (RFC 7578). */
export interface FilePart {
  readonly field: string
  readonly fileName: string
  readonly type: string
  readonly text: string
}

export type RequestBody =
  | { readonly is: 'json'; readonly value: Json }
  | { readonly is: 'parts'; readonly fields: Readonly<Record<string, string>>; readonly file: FilePart }

/** One request to a receiver. The sender adds address and authorization. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** Path below the address of the target, with query; empty where the address is complete. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: RequestBody | null
  /** The answer that a dry run assumes: the receiver has nothing with this key. */
  readonly assumed: Json
}

/** An answer of status 2xx; `value` is its JSON, or null where it has none. */
export interface Answer {
  readonly status: number
  readonly value: unknown
}

/**
 * The requests that deliver one item, each based on the previous answers. Returns the name that the receiver assigned, or null where it assigns
 * none. Fails with delivery.failed where an answer is not in the documented form.
 */
export type Exchange = Generator<Request, Outcome<string | null>, Answer>

export const json = (value: Json): RequestBody => ({ is: 'json', value })

/** Permitted names of a receiver. They become part of a path and are stored. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

/** Reads a name from an answer. Fails with delivery.failed where the value is not a name. */
export function nameIn(value: unknown, what: string): Outcome<string> {
  const text = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? String(value) : value
  return typeof text === 'string' && NAME.test(text) ? ok(text) : undocumented(what)
}

/** The member of a value at a path; undefined where it is missing. */
export const memberOf = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner) && Object.hasOwn(inner, name)
        ? (inner as Readonly<Record<string, unknown>>)[name]
        : undefined,
    value,
  )

/** The list in an answer at a path. Fails with delivery.failed where it is not a list. */
export function listIn(value: unknown, ...path: readonly string[]): Outcome<readonly unknown[]> {
  const list = memberOf(value, ...path)
  return Array.isArray(list) ? ok(list) : undocumented(path.join('.'))
}

const undocumented = (what: string): Outcome<never> =>
  fail('delivery.failed', `the answer lacks ${plain(what, 100)} in the documented form`)
