import type { ErrorObject } from 'ajv/dist/2020.js'
import { plain, quote } from '../core/base/plain-text.ts'
import type { SchemaValidator } from '../core/ports/ports.ts'
import { type SchemaName, validatorOf } from './schema-compiler.ts'

export type { SchemaName } from './schema-compiler.ts'

/** A problem and its position; `text` follows the name of the position. */
export interface PlacedProblem {
  readonly path: readonly (string | number)[]
  readonly text: string
  /** The member that is required and absent; `path` is that of its container. */
  readonly missing?: string
}

/** More problems than these do not help. */
const MOST = 50
/** Each is compared with those before it. */
const MOST_LOOKED_AT = 1000

/**
 * For documents with more values, one problem is reported: searching for all may find one in every value, and keep
 * them.
 */
const MOST_VALUES = 50_000

/**
 * Whether a document has at most that many values. A value that occurs several times, as YAML aliases allow, counts
 * each time; a value that contains itself counts once, as it is visited once.
 */
function isSmall(document: unknown): boolean {
  const above = new Set<object>()
  const waiting: ({ readonly value: unknown } | { readonly leaves: object })[] = [{ value: document }]
  for (let seen = 0; seen <= MOST_VALUES && waiting.length <= MOST_VALUES; seen += 1) {
    const next = waiting.pop()
    if (next === undefined) return true
    if ('leaves' in next) {
      above.delete(next.leaves)
      continue
    }
    const { value } = next
    if (typeof value !== 'object' || value === null || above.has(value)) continue
    above.add(value)
    waiting.push({ leaves: value })
    for (const key in value) {
      if (waiting.push({ value: (value as Record<string, unknown>)[key] }) > MOST_VALUES) return false
    }
  }
  return false
}

/**
 * The problems of a value by its JSON Schema (2020-12), each with its position; none where the value is valid. A schema is compiled at its
 * first use: strictly by ajv, in the built program by the build.
 */
export function placedProblems(name: SchemaName, value: unknown): readonly PlacedProblem[] {
  const first = validatorOf(name, 'first')
  if (first(value) === true) return []
  const validate = isSmall(value) ? validatorOf(name, 'all') : first
  if (validate !== first) validate(value)
  const all = (validate.errors ?? [])
    .slice(0, MOST_LOOKED_AT)
    .filter(({ keyword }) => keyword !== 'oneOf' && keyword !== 'anyOf')
    .map(sentence)
  const unique = all.filter(
    ({ path, text }, at) =>
      all.findIndex((other) => other.text === text && placeName(other.path) === placeName(path)) === at,
  )
  return unique.length === 0 ? [{ path: [], text: 'does not fit its schema' }] : unique.slice(0, MOST)
}

/** The problems of a value as sentences that begin with the position: see placedProblems(). */
export const schemaProblems = (name: SchemaName, value: unknown): readonly string[] =>
  placedProblems(name, value).map(({ path, text }) => `${placeName(path)} ${text}`)

/** The validator port. */
export const createSchemaValidator = (): SchemaValidator => ({ problems: schemaProblems })

/** `nodes[1].port`; `the document` for the whole. */
export function placeName(path: readonly (string | number)[]): string {
  const name = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${plain(part, 60)}`)).join('')
  return name === '' ? 'the document' : name.replace(/^\./, '')
}

function sentence(problem: ErrorObject): PlacedProblem {
  const path = pointer(problem.instancePath)
  const { params } = problem
  const shown = (): string =>
    typeof problem.data === 'string' ? quote(withoutPassword(problem.data, path), 60) : plain(jsonOf(problem.data), 60)
  switch (problem.keyword) {
    case 'required':
      return {
        path,
        text: `lacks “${plain(String(params.missingProperty))}”`,
        missing: String(params.missingProperty),
      }
    case 'additionalProperties':
      return { path: [...path, String(params.additionalProperty)], text: 'is not a known field' }
    case 'type':
      return { path, text: `must be ${typeWords([params.type].flat())}, not ${shown()}` }
    case 'enum':
      return {
        path,
        text: `must be one of ${(params.allowedValues as readonly unknown[]).map(String).join(', ')}, not ${shown()}`,
      }
    case 'const':
      return { path, text: `must be ${JSON.stringify(params.allowedValue)}` }
    case 'pattern':
      return { path, text: `is ${shown()}, which ${patternWords(path)}` }
    case 'minLength':
      return {
        path,
        text: params.limit === 1 ? 'must not be empty' : `must be at least ${params.limit} characters long`,
      }
    case 'maxLength':
      return { path, text: `must be at most ${params.limit} characters long` }
    case 'minItems':
      return { path, text: `must have at least ${params.limit}` }
    case 'maxItems':
      return { path, text: `must have at most ${params.limit}` }
    case 'uniqueItems':
      return { path, text: 'must not have duplicate entries' }
    case 'minimum':
    case 'maximum':
      return {
        path,
        text: `must be ${params.comparison === '>=' ? 'at least' : 'at most'} ${params.limit}, not ${shown()}`,
      }
    default:
      return { path, text: plain(problem.message ?? 'does not fit its schema') }
  }
}

/**
 * A value in a wrong place may hold a password: what is before the at sign of an address, and what follows a colon in
 * the name of a user. Problems are printed and kept in logs.
 */
function withoutPassword(value: string, path: readonly (string | number)[]): string {
  if (path.at(-1) === 'user') return value.replace(/:.*$/s, ':…')
  const [, scheme = '', before, after] = /^([a-z][a-z0-9+.-]*:\/\/)?(.*)@([^@]*)$/is.exec(value) ?? []
  return before === undefined || (scheme === '' && !before.includes(':')) ? value : `${scheme}…@${after}`
}

/** YAML can name a list inside itself, which JSON cannot express. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'nothing'
  } catch {
    return 'a value that contains itself'
  }
}

function typeWords(types: readonly string[]): string {
  const words: Readonly<Record<string, string>> = {
    integer: 'a whole number',
    number: 'a number',
    string: 'text',
    boolean: 'true or false',
    array: 'a list',
    object: 'a mapping',
    null: 'nothing',
  }
  return types.map((type) => words[type] ?? type).join(' or ')
}

function patternWords(path: readonly (string | number)[]): string {
  const field = [...path].reverse().find((part) => typeof part === 'string')
  const inFleet = path[0] === 'nodes' || path[0] === 'ephiPaths'
  if (inFleet && field === 'hostKey')
    return 'is not a fingerprint such as SHA256: and 43 characters, as ssh-keygen -l prints it'
  if (inFleet && field === 'name' && path.length === 3)
    return 'must be lower-case letters, digits, dots, dashes and underscores, and start with a letter or digit'
  if (inFleet && field === 'address') return 'is not a host name or address'
  if (inFleet && field === 'user') return 'is not a user name'
  if (inFleet && field === 'ephiPaths') return 'must be an absolute path'
  if (field === 'country') return 'is not a country code of two capital letters'
  return 'is not in the expected form'
}

/** Parts of a JSON Pointer (RFC 6901); whole numbers are positions in lists. */
const pointer = (text: string): readonly (string | number)[] =>
  text
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^(0|[1-9]\d*)$/.test(part) ? Number(part) : part))
