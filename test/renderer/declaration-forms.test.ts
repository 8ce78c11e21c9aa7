import { describe, expect, test } from 'vitest'
import type { Field } from '../../renderer/models/declaration-fields.ts'
import { FLEET_FORMS, NODE_FORMS, NOT_ON_THIS_SCREEN } from '../../renderer/models/declaration-forms.ts'
import assessment from '../../schemas/assessment.schema.json' with { type: 'json' }
import fleet from '../../schemas/fleet.schema.json' with { type: 'json' }
import framework from '../../schemas/framework.schema.json' with { type: 'json' }
import { FLEET_SECTIONS, NODE_SECTIONS } from '../../schemas/ipc-declarations.ts'
import location from '../../schemas/location.schema.json' with { type: 'json' }
import recording from '../../schemas/recording.schema.json' with { type: 'json' }

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
}

const DOCUMENTS: Readonly<Record<string, object>> = {
  '': fleet,
  'assessment-1.json': assessment,
  'framework-1.json': framework,
  'location-1.json': location,
  'recording-1.json': recording,
}

/** The schema that a reference leads to. */
function resolved(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  const [file = '', pointer = ''] = schema.$ref.split('#')
  const found = pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], DOCUMENTS[file])
  if (found === undefined) throw new Error(`no schema ${schema.$ref}`)
  return resolved(found as Schema)
}

interface Member {
  readonly path: string
  readonly required: boolean
  readonly options: readonly string[] | null
}

/** Every member of a fleet file, with those of its parts: `nodes.location.country`. */
function membersIn(schema: Schema, above: string): readonly Member[] {
  const { properties = {}, required = [] } = resolved(schema)
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = above === '' ? name : `${above}.${name}`
    const one = resolved(member)
    const inner = one.type === 'array' && one.items !== undefined ? resolved(one.items) : one
    const own = { path, required: required.includes(name), options: one.enum ?? null }
    return [own, ...(inner.properties === undefined ? [] : membersIn(inner, path))]
  })
}

const members = membersIn(fleet as unknown as Schema, '').filter(({ path }) => path !== 'nodes')

interface FormField {
  readonly path: string
  readonly field: Field
}

const fieldsIn = (fields: readonly Field[], above: string): readonly FormField[] =>
  fields.flatMap((field) => {
    const path = `${above}${field.name}`
    const inner = field.edit.kind === 'group' || field.edit.kind === 'list' ? field.edit.fields : []
    return [{ path, field }, ...fieldsIn(inner, `${path}.`)]
  })
const fields = [
  ...Object.values(FLEET_FORMS).flatMap((form) => fieldsIn(form.fields, '')),
  ...Object.values(NODE_FORMS).flatMap((form) => fieldsIn(form.fields, 'nodes.')),
]
const fieldOf = (path: string): Field | undefined => fields.find((one) => one.path === path)?.field

describe('the forms and the schema of the fleet file', () => {
  test('there are members to compare', () => {
    expect(members.length).toBeGreaterThan(80)
    expect(members.map(({ path }) => path)).toContain('nodes.location.country')
    expect(members.map(({ path }) => path)).toContain('thresholds.reason')
  })

  test.each(members.map((member) => [member.path, member] as const))('%s has a field or a reason', (path, member) => {
    const reason = NOT_ON_THIS_SCREEN[path]
    const field = fieldOf(path)
    expect(field === undefined, path).toBe(reason !== undefined)
    if (field === undefined) {
      expect(reason?.length).toBeGreaterThan(20)
      return
    }
    // A field that may stay empty is marked so where it is text, and a required one is not.
    const { edit, isOptional = false } = field
    if (member.required) expect(isOptional, path).toBe(false)
    else if (['text', 'number', 'day', 'lines', 'corners', 'file'].includes(edit.kind))
      expect(isOptional, path).toBe(true)
    if (member.options !== null && edit.kind !== 'threshold') {
      const offered = edit.kind === 'choice' ? edit.options.map(({ id }) => id) : []
      expect(offered, path).toEqual(member.options)
    }
  })

  test.each(fields.map(({ path }) => path))('%s is a member of the fleet file', (path) => {
    expect(members.map((member) => member.path)).toContain(path)
  })

  test('no field is there twice, and no reason is left over', () => {
    expect(new Set(fields.map(({ path }) => path)).size).toBe(fields.length)
    const known = new Set(members.map(({ path }) => path))
    expect(Object.keys(NOT_ON_THIS_SCREEN).filter((path) => !known.has(path))).toEqual([])
  })

  test('a form has the members of its section', () => {
    for (const [section, { fields: own }] of Object.entries({ ...FLEET_FORMS, ...NODE_FORMS }))
      expect(own.map(({ name }) => name).sort(), section).toEqual(
        [...(({ ...FLEET_SECTIONS, ...NODE_SECTIONS } as Record<string, readonly string[]>)[section] ?? [])].sort(),
      )
  })
})
