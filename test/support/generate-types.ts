import { readFileSync, writeFileSync } from 'node:fs'
import { compile } from 'json-schema-to-typescript'

const folder = new URL('../../schemas/', import.meta.url)
const names = [
  'recording',
  'fleet',
  'hardware',
  'assessment',
  'pack',
  'register',
  'framework',
  'engagement',
  'provider',
  'mapping',
  'location',
  'vantage',
  'trace',
  'period',
  'schedule',
  'remediation',
  'team',
  'collector',
  'sealer',
  'integrations',
] as const

/** Documents that stand whole in another one, by the type they give. */
const WHOLE: Readonly<Record<string, string>> = {
  engagement: 'Engagement',
  provider: 'ProviderProfile',
  framework: 'Mapping',
  vantage: 'VantageRecord',
}

type Schema = { $id: string; $defs?: Record<string, { title?: string }>; title: string }

/**
 * TypeScript types of every JSON Schema in schemas/, as one file. `npm run types` writes it; test/schemas.test.ts fails when it is stale.
 * The schemas are joined into one document first, so that a shape used by several has one type.
 */
export async function generateTypes(): Promise<string> {
  const definitions: Record<string, unknown> = {}
  const roots: string[] = []
  for (const name of names) {
    const text = readFileSync(new URL(`${name}.schema.json`, folder), 'utf8')
      .replaceAll(/"[a-z]+-1\.json#\/\$defs\//g, '"#/$defs/')
      .replaceAll(/"([a-z]+)-1\.json#"/g, (_, document: string) => `"#/$defs/${WHOLE[document]}"`)
    const { $defs, $id: _id, ...root } = JSON.parse(text) as Schema & Record<string, unknown>
    Object.assign(definitions, $defs)
    definitions[root.title] = root
    roots.push(root.title)
    delete (definitions[root.title] as Record<string, unknown>).$schema
  }
  const document = {
    title: 'Schemas',
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(Object.keys(definitions).map((name) => [name, { $ref: `#/$defs/${name}` }])),
    $defs: definitions,
  }
  const banner = '// Generated from the JSON Schemas beside this file by `npm run types`. Do not edit.\n'
  const text = await compile(document as never, 'Schemas', {
    bannerComment: banner,
    additionalProperties: false,
    format: true,
    style: { semi: false, singleQuote: true, printWidth: 120 },
    maxItems: 0,
    enableConstEnums: false,
  })
  return text
    .replace(/\nexport interface Schemas \{[\s\S]*?\n\}\n/, '\n')
    .replace(/^( +)(?=[A-Za-z_"'][^\n]*: )/gm, '$1readonly ')
    .replace(/: \(([^()\n]+)\)\[\]/g, ': readonly ($1)[]')
    .replace(/: ([A-Za-z]+)\[\]/g, ': readonly $1[]')
    .replace(/: \{$/gm, ': {')
}

if (process.argv[1]?.endsWith('generate-types.ts') === true)
  writeFileSync(new URL('types.ts', folder), await generateTypes())
