import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import assessment from '../../schemas/assessment.schema.json' with { type: 'json' }
import collector from '../../schemas/collector.schema.json' with { type: 'json' }
import engagement from '../../schemas/engagement.schema.json' with { type: 'json' }
import fleet from '../../schemas/fleet.schema.json' with { type: 'json' }
import framework from '../../schemas/framework.schema.json' with { type: 'json' }
import hardware from '../../schemas/hardware.schema.json' with { type: 'json' }
import integrations from '../../schemas/integrations.schema.json' with { type: 'json' }
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

interface SchemaDocument {
  readonly $id: string
  readonly $schema?: string
  readonly $defs?: object
}

const DOCUMENTS: readonly SchemaDocument[] = [
  ...[recording, fleet, hardware, assessment, pack, register, framework, engagement],
  ...[provider, mapping, location, vantage, trace, period, schedule, team, collector, sealer, integrations],
]

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
  integrations: integrations.$id,
} as const
export type SchemaName = keyof typeof IDS
export const SCHEMA_NAMES = Object.keys(IDS) as readonly SchemaName[]

/** Whether validation ends with the first problem, or reports all of them. */
export type Extent = 'first' | 'all'

/**
 * A compiler without any schema. `source`: keeps the source text of compiled functions, which the build writes to a file: see
 * test/support/written-validators.ts.
 */
export function schemaCompiler(extent: Extent, source = false): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    allErrors: extent === 'all',
    verbose: true,
    allowUnionTypes: true,
    // Both take most of the compile time and change no result: a test checks the schemas against their own schema.
    validateSchema: false,
    code: { optimize: false, source },
  })
  formats.default(ajv)
  return ajv
}

/** A document or one of its definitions, unchanged. Its references are relative to `base`. */
interface Written {
  readonly base: string
  readonly schema: object
}

/**
 * Documents and their definitions as separate schemas, by id. ajv compiles the whole document that a reference leads to. For a fleet file,
 * that would include all of an assessment and of a recording: six times what it uses.
 */
const WRITTEN: ReadonlyMap<string, Written> = new Map(
  DOCUMENTS.flatMap(({ $id: base, $schema, $defs, ...whole }) => [
    [ownId(base), { base, schema: whole }] as const,
    ...Object.entries($defs ?? {}).map(
      ([name, schema]) => [ownId(`${base}#/$defs/${name}`), { base, schema: schema as object }] as const,
    ),
  ]),
)

/** Adds the schema of an id, and those that it refers to. Adding all schemas would take as long as compiling that of a fleet file. */
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

/** The schema with references to separate schemas instead, and the ids of those. */
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

/** The id of a definition as a separate schema: without a fragment, which would lead into its document. */
function ownId(id: string): string {
  return id.replace('#/$defs/', '/').replace(/#$/, '')
}

/** Adds a schema with those that it refers to. Returns its id, by which ajv compiles it at its first use. */
export function addSchema(ajv: Ajv2020, name: SchemaName): string {
  const id = ownId(IDS[name])
  addWithReferences(ajv, id)
  return id
}

/** Once per process, however many validators it creates: compiling takes longer than most uses of the schemas. */
const ready: Record<Extent, Ajv2020 | null> = { first: null, all: null }
const compiled: Readonly<Record<Extent, Map<SchemaName, ValidateFunction>>> = { first: new Map(), all: new Map() }

/** The validator of a schema, compiled at its first use. */
export function validatorOf(name: SchemaName, extent: Extent): ValidateFunction {
  const known = compiled[extent].get(name)
  if (known !== undefined) return known
  ready[extent] ??= schemaCompiler(extent)
  const found = ready[extent].getSchema(addSchema(ready[extent], name))
  if (found === undefined) throw new Error(`no schema ${name}`)
  compiled[extent].set(name, found as ValidateFunction)
  return found as ValidateFunction
}
