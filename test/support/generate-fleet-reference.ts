import { readFileSync, writeFileSync } from 'node:fs'

const schemas = new URL('../../schemas/', import.meta.url)
const PLACE = new URL('../../docs/fleet-file.md', import.meta.url)

interface Schema {
  readonly title?: string
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly $ref?: string
  readonly items?: Schema | false
  readonly prefixItems?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly [keyword: string]: unknown
}

const schemaOf = (name: string): Schema => JSON.parse(readFileSync(new URL(`${name}.schema.json`, schemas), 'utf8'))

/** What a reference names: `#/$defs/X` of the fleet file, or `NAME-1.json#/$defs/X` of another schema. */
function resolved(schema: Schema): Schema {
  const [, file = 'fleet', name = ''] = /^(?:([a-z]+)-1\.json)?#\/\$defs\/(\w+)$/.exec(schema.$ref ?? '') ?? []
  if (schema.$ref === undefined) return schema
  const found = schemaOf(file).$defs?.[name]
  if (found === undefined) throw new Error(`no schema ${schema.$ref}`)
  return { ...found, ...(schema.description === undefined ? {} : { description: schema.description }) }
}

const LIMITS: readonly (readonly [keyword: string, text: (value: unknown) => string])[] = [
  ['minLength', (value) => (value === 1 ? 'not empty' : `at least ${value} characters`)],
  ['maxLength', (value) => `at most ${count(value)} characters`],
  ['minimum', (value) => `from ${count(value)}`],
  ['maximum', (value) => `to ${count(value)}`],
  ['minItems', (value) => `at least ${value}`],
  ['maxItems', (value) => `at most ${count(value)} items`],
  ['uniqueItems', () => 'no duplicates'],
]
const count = (value: unknown): string => Number(value).toLocaleString('en-US')
const code = (text: string): string => `\`${text}\``
const slug = (title: string): string => `[${title}](#${title.toLowerCase()})`
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** The type and limits of a value in words; objects are named and described in a section of their own. */
function typeOf(schema: Schema): string {
  const one = resolved(schema)
  if (one.enum !== undefined) return one.enum.map(code).join(', ')
  const limits = LIMITS.flatMap(([keyword, text]) => (one[keyword] === undefined ? [] : [text(one[keyword])]))
  const pattern = typeof one.pattern === 'string' ? [`matches ${code(one.pattern)}`] : []
  const grouped = (item: Schema): string => typeOf(item).replace(/^(.*;.*)$/, '($1)')
  const of = one.items
    ? ` of ${grouped(one.items)}`
    : (one.prefixItems?.map((item) => ` ${grouped(item)}`).join(',') ?? '')
  const base = one.properties === undefined ? `${one.type === 'array' ? 'list' : one.type}${of}` : slug(one.title ?? '')
  return [base, ...limits, ...pattern].join('; ')
}

function* objectsIn(schema: Schema, seen = new Set<string>()): Generator<Schema> {
  const one = resolved(schema)
  if (one.properties === undefined) {
    if (one.items) yield* objectsIn(one.items, seen)
    return
  }
  if (seen.has(one.title ?? '')) return
  seen.add(one.title ?? '')
  yield one
  for (const property of Object.values(one.properties)) yield* objectsIn(property, seen)
}

const table = ({ properties = {}, required = [] }: Schema): string =>
  [
    '| Member | Required | Value | Meaning |',
    '|---|---|---|---|',
    ...Object.entries(properties).map(([name, property]) => {
      const { description = '' } = resolved(property)
      return `| ${code(name)} | ${required.includes(name) ? 'yes' : 'no'} | ${cell(typeOf(property))} | ${cell(description)} |`
    }),
  ].join('\n')

const EXAMPLE = `\`\`\`yaml
name: clinic-prod
frameworks: [hipaa, soc2]
engagement: engagement.yaml
nodes:
  - name: gpu-01
    address: 203.0.113.10
    hostKey: SHA256:2yF3ThPp0XK6R7n2yqXz0v1xkq0m1oZ5yJm0Jx3bq1c
    sudo: true
\`\`\``

/** docs/fleet-file.md, of schemas/fleet.schema.json and what it refers to. The descriptions of the schemas are the text. */
export function fleetReference(): string {
  const [fleet, ...others] = [...objectsIn(schemaOf('fleet'))]
  return `${[
    '<!-- Generated from schemas/fleet.schema.json by `npx tsx test/support/generate-fleet-reference.ts`. Do not edit. -->',
    '# Fleet file',
    fleet?.description ?? '',
    EXAMPLE,
    'A member that is not listed here is refused. `barewitness fleet show FILE` validates a fleet file and prints it.',
    ...[fleet, ...others].flatMap((one) => [
      `## ${one?.title ?? ''}`,
      ...(one === fleet || one?.description === undefined ? [] : [one.description]),
      table(one ?? {}),
    ]),
  ].join('\n\n')}\n`
}

if (process.argv[1]?.endsWith('generate-fleet-reference.ts') === true) writeFileSync(PLACE, fleetReference())
