import fc, { type Arbitrary } from 'fast-check'

interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly minimum?: number
  readonly maximum?: number
}

const HOSTILE = ['../../etc/passwd', '\0', '<script>', '__proto__', '$(id)', "' OR 1=1 --", '\u202e', '%s%n']

/**
 * Values that mostly fit a schema of an input, so that they reach what is behind its validation. Some texts are longer than allowed, hostile or
 * do not match their pattern.
 */
export function valuesOf(schema: Schema): Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if ('const' in schema) return fc.constant(schema.const)
  const either = schema.anyOf ?? schema.oneOf
  if (either !== undefined) return fc.oneof(...either.map(valuesOf))
  switch (schema.type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000_000 })
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true })
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 3 })
    case 'object':
      return schema.properties === undefined
        ? fc.dictionary(fc.string({ maxLength: 12 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
        : fc.record(Object.fromEntries(Object.entries(schema.properties).map(([name, own]) => [name, valuesOf(own)])))
    case 'string':
      return textsOf(schema)
    default:
      return fc.jsonValue({ maxDepth: 3 })
  }
}

function textsOf({ pattern, minLength = 0, maxLength = 40 }: Schema): Arbitrary<string> {
  const any = fc.string({ minLength, maxLength: Math.min(maxLength, 40), unit: 'grapheme' })
  const others = [any, fc.constantFrom(...HOSTILE), fc.constant('x'.repeat(maxLength + 1))] as const
  if (pattern === undefined) return fc.oneof({ weight: 6, arbitrary: any }, ...others)
  return fc.oneof({ weight: 6, arbitrary: fc.stringMatching(new RegExp(pattern)) }, ...others)
}
