import { Ajv2020, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import assessment from '../../schemas/assessment.schema.json' with { type: 'json' }
import collector from '../../schemas/collector.schema.json' with { type: 'json' }
import engagement from '../../schemas/engagement.schema.json' with { type: 'json' }
import fleet from '../../schemas/fleet.schema.json' with { type: 'json' }
import framework from '../../schemas/framework.schema.json' with { type: 'json' }
import hardware from '../../schemas/hardware.schema.json' with { type: 'json' }
import location from '../../schemas/location.schema.json' with { type: 'json' }
import mapping from '../../schemas/mapping.schema.json' with { type: 'json' }
import pack from '../../schemas/pack.schema.json' with { type: 'json' }
import period from '../../schemas/period.schema.json' with { type: 'json' }
import provider from '../../schemas/provider.schema.json' with { type: 'json' }
import recording from '../../schemas/recording.schema.json' with { type: 'json' }
import register from '../../schemas/register.schema.json' with { type: 'json' }
import schedule from '../../schemas/schedule.schema.json' with { type: 'json' }
import sealer from '../../schemas/sealer.schema.json' with { type: 'json' }
import team from '../../schemas/team.schema.json' with { type: 'json' }
import trace from '../../schemas/trace.schema.json' with { type: 'json' }
import vantage from '../../schemas/vantage.schema.json' with { type: 'json' }
import { plain, quote } from '../core/plain-text.ts'
import type { SchemaValidator } from '../core/ports.ts'

interface SchemaDocument {
  readonly $id: string
  readonly $schema?: string
  readonly $defs?: object
}

const DOCUMENTS: readonly SchemaDocument[] = [
  ...[recording, fleet, hardware, assessment, pack, register, framework, engagement],
  ...[provider, mapping, location, vantage, trace, period, schedule, team, collector, sealer],
]

/** A problem and its position; `text` follows the name of the position. */
export interface PlacedProblem {
  readonly path: readonly (string | number)[]
  readonly text: string
  /** The member that is required and absent; `path` is that of its container. */
  readonly missing?: string
}

const IDS = {
  recording: recording.$id,
  capture: `${recording.$id}#/$defs/Capture`,
  assessment: assessment.$id,
  'assessment-index': `${assessment.$id}#/$defs/AssessmentIndex`,
  'node-assessment': `${assessment.$id}#/$defs/NodeAssessment`,
  fleet: fleet.$id,
  hardware: hardware.$id,
  statement: pack.$id,
  register: register.$id,
  mapping: framework.$id,
  'mapping-file': mapping.$id,
  engagement: engagement.$id,
  'engagement-in-file': `${engagement.$id}#/$defs/EngagementInFile`,
  'inventory-in-file': `${engagement.$id}#/$defs/InventoryInFile`,
  provider: provider.$id,
  vantage: vantage.$id,
  'vantage-measurement': `${location.$id}#/$defs/VantageMeasurement`,
  'echo-timing': `${location.$id}#/$defs/EchoTiming`,
  scope: `${assessment.$id}#/$defs/Scope`,
  trace: trace.$id,
  period: period.$id,
  'earlier-runs': `${period.$id}#/$defs/EarlierRuns`,
  schedules: schedule.$id,
  team: team.$id,
  collector: collector.$id,
  'collector-job': `${collector.$id}#/$defs/CollectorJob`,
  'collector-lease': `${collector.$id}#/$defs/CollectorLease`,
  'collector-ask': `${collector.$id}#/$defs/CollectorAsk`,
  'collector-renewal': `${collector.$id}#/$defs/CollectorRenewal`,
  'collector-offer': `${collector.$id}#/$defs/CollectorOffer`,
  'collector-delivery': `${collector.$id}#/$defs/CollectorDelivery`,
  'collector-refusal': `${collector.$id}#/$defs/CollectorRefusal`,
  sealer: sealer.$id,
  'sealer-ask': `${sealer.$id}#/$defs/SealerAsk`,
  'sealer-head': `${sealer.$id}#/$defs/SealerHead`,
  'sealer-head-ask': `${sealer.$id}#/$defs/SealerHeadAsk`,
  'sealer-head-answer': `${sealer.$id}#/$defs/SealerHeadAnswer`,
  'sealing-request': `${sealer.$id}#/$defs/SealingRequest`,
  'sealer-answer': `${sealer.$id}#/$defs/SealerAnswer`,
  'sealer-refusal': `${sealer.$id}#/$defs/SealerRefusal`,
} as const
export type SchemaName = keyof typeof IDS

/** More problems than these do not help. */
const MOST = 50
/** Each is compared with those before it. */
const MOST_LOOKED_AT = 1000

/** Whether validation ends with the first problem, or reports all of them. */
type Extent = 'first' | 'all'

const ready = new Map<Extent, Ajv2020>()
/** One per process, however many worlds it creates: compiling takes longer than most uses of the schemas. */
function schemas(extent: Extent): Ajv2020 {
  const known = ready.get(extent)
  if (known !== undefined) return known
  const ajv = new Ajv2020({
    strict: true,
    allErrors: extent === 'all',
    verbose: true,
    allowUnionTypes: true,
    // Both take most of the compile time and change no result: a test checks the schemas against their own schema.
    validateSchema: false,
    code: { optimize: false },
  })
  formats.default(ajv)
  ready.set(extent, ajv)
  return ajv
}

/** A document or one of its definitions, as it is written there. `base` is what its references are relative to. */
interface Written {
  readonly base: string
  readonly schema: object
}

/**
 * Documents and their definitions as schemas of their own, by id. ajv compiles the whole document that a reference leads to: of a fleet
 * file, that would be all of an assessment and of a recording, six times what it uses.
 */
const WRITTEN: ReadonlyMap<string, Written> = new Map(
  DOCUMENTS.flatMap(({ $id: base, $schema, $defs, ...whole }) => [
    [ownId(base), { base, schema: whole }] as const,
    ...Object.entries($defs ?? {}).map(
      ([name, schema]) => [ownId(`${base}#/$defs/${name}`), { base, schema: schema as object }] as const,
    ),
  ]),
)

/** Adds the schema of an id, and those that it refers to: adding all of them takes as long as compiling a fleet file's. */
function addWithReferences(ajv: Ajv2020, id: string): void {
  const waiting = [id]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const written = WRITTEN.get(next)
    if (written === undefined || ajv.schemas[next] !== undefined) continue
    const { schema, references } = apart(written)
    ajv.addSchema(schema, next)
    waiting.push(...references)
  }
}

/** A schema whose references name schemas of their own, and their ids. */
function apart({ base, schema }: Written): {
  readonly schema: AnySchemaObject
  readonly references: readonly string[]
} {
  const references: string[] = []
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => {
        if (key !== '$ref' || typeof part !== 'string') return [key, moved(part)]
        const id = ownId(new URL(part, base).href)
        references.push(id)
        return [key, id]
      }),
    )
  }
  return { schema: moved(schema) as AnySchemaObject, references }
}

/** The id of a definition as a schema of its own: without a fragment, which would lead into its document. */
function ownId(id: string): string {
  return id.replace('#/$defs/', '/').replace(/#$/, '')
}

const compiled: Readonly<Record<Extent, Map<SchemaName, ValidateFunction>>> = { first: new Map(), all: new Map() }
function validatorOf(name: SchemaName, extent: Extent): ValidateFunction {
  const known = compiled[extent].get(name)
  if (known !== undefined) return known
  const [ajv, id] = [schemas(extent), ownId(IDS[name])]
  addWithReferences(ajv, id)
  const found = ajv.getSchema(id)
  if (found === undefined) throw new Error(`no schema ${name}`)
  compiled[extent].set(name, found as ValidateFunction)
  return found as ValidateFunction
}

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
 * JSON Schemas (2020-12), compiled strictly by ajv. Compiling needs `new Function`: not for a page with a content
 * security policy.
 */
export function createSchemaValidator(): SchemaValidator & {
  readonly placed: (schema: SchemaName, value: unknown) => readonly PlacedProblem[]
} {
  const placed = (name: SchemaName, value: unknown): readonly PlacedProblem[] => {
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
  return {
    placed,
    problems: (name, value) => placed(name, value).map(({ path, text }) => `${placeName(path)} ${text}`),
  }
}

/** `nodes[1].port`; `the document` for the whole. */
export function placeName(path: readonly (string | number)[]): string {
  const name = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${plain(part, 60)}`)).join('')
  return name === '' ? 'the document' : name.replace(/^\./, '')
}

function sentence(problem: ErrorObject): PlacedProblem {
  const path = pointer(problem.instancePath)
  const { params } = problem
  const shown = (): string =>
    typeof problem.data === 'string' ? quote(problem.data, 60) : plain(jsonOf(problem.data), 60)
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
