import { readdirSync, readFileSync } from 'node:fs'
import { parseSync } from 'vite'

/** One row of a table in docs/format: the members that it describes, and what its other cells name in code font. */
export interface MemberRow {
  readonly names: readonly string[]
  readonly named: readonly string[]
}

/** A table, or a part of one, that describes the members of one object. */
export interface MemberTable {
  readonly object: string
  readonly rows: readonly MemberRow[]
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9]*$/
const inCode = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
const identifiers = (cell: string): readonly string[] => inCode(cell).filter((text) => IDENTIFIER.test(text))
/** Members of a member are in parentheses behind it. */
const outside = (cell: string): string => cell.replaceAll(/\([^()]*\)/g, '')
const inside = (cell: string): string => [...cell.matchAll(/\([^()]*\)/g)].map(([text]) => text).join(' ')

/** Tables of a page with a column of members, by heading and object; a table of entries has one object in each row. */
export function memberTables(markdown: string): readonly MemberTable[] {
  let heading = ''
  let header: readonly string[] = []
  let object = ''
  const tables = new Map<string, MemberRow[]>()
  const add = (name: string, row: MemberRow): void => {
    const key = `${heading}: ${name}`
    tables.set(key, [...(tables.get(key) ?? []), row])
  }
  for (const line of markdown.split('\n')) {
    if (line.startsWith('#')) heading = line.replace(/^#+ /, '')
    if (!line.startsWith('|')) {
      header = []
      continue
    }
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    if (header.length === 0) header = cells
    else if (!/^-+$/.test(cells[0] ?? '')) {
      const [first = '', second = '', ...others] = cells
      const [column = '', next = ''] = header
      if (/^Member\b/.test(column))
        add(column, { names: inCode(first), named: identifiers([second, ...others].join(' ')) })
      if (column === 'Object' && next === 'Member') {
        object = first === '' ? object : first
        add(object, { names: inCode(second), named: identifiers(others.join(' ')) })
      }
      if (next.startsWith('Members'))
        add(first, {
          names: [...inCode(outside(second)).filter((text) => IDENTIFIER.test(text)), ...inCode(next)],
          named: identifiers(inside(second)),
        })
    }
  }
  return [...tables].map(([name, rows]) => ({ object: name, rows }))
}

export type Schema = { readonly [key: string]: unknown }

const FOLDER = new URL('../../schemas/', import.meta.url)
const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
const SCHEMAS: ReadonlyMap<string, Schema> = new Map(
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.schema.json'))
    .map((name) => {
      const schema = JSON.parse(read(`schemas/${name}`)) as Schema & { readonly $id: string }
      return [schema.$id.replace(/^.*\//, ''), schema] as const
    }),
)

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The schema at `recording-1.json#/$defs/Capture`. Throws where there is none. */
export function schemaAt(reference: string): Schema {
  const [id = '', pointer = ''] = reference.split('#')
  let found: unknown = SCHEMAS.get(id)
  for (const step of pointer.split('/').slice(1)) found = isObject(found) ? found[step] : undefined
  if (!isObject(found)) throw new Error(`there is no schema ${reference}`)
  return found
}

/** Names and values below a schema, without those of the definitions in `stops`. */
export interface Names {
  readonly members: ReadonlySet<string>
  readonly values: ReadonlySet<string>
}

export function namesBelow(reference: string, schema: unknown, stops: ReadonlySet<string>): Names {
  const members = new Set<string>()
  const values = new Set<string>()
  const seen = new Set<string>()
  const visit = (value: unknown, file: string): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, file)
    if (!isObject(value)) return
    if (typeof value.$ref === 'string') {
      const target = value.$ref.startsWith('#') ? `${file}${value.$ref}` : value.$ref
      if (!stops.has(target) && !seen.has(target)) {
        seen.add(target)
        visit(schemaAt(target), target.replace(/#.*/, ''))
      }
    }
    for (const one of [value.const, ...(Array.isArray(value.enum) ? value.enum : [])])
      if (typeof one === 'string') values.add(one)
    for (const [key, one] of Object.entries(value)) {
      if (key === 'properties') for (const name of Object.keys(one as object)) members.add(name)
      if (key === 'properties') visit(Object.values(one as object), file)
      else if (!['$defs', 'required', 'enum', 'const'].includes(key)) visit(one, file)
    }
  }
  visit(schema, reference.replace(/#.*/, ''))
  return { members, values }
}

/** Names of the members of an interface in a source file. Throws where there is none of this name. */
export function membersOfInterface(file: string, name: string): readonly string[] {
  interface Node {
    readonly type: string
    readonly [member: string]: unknown
  }
  const { program } = parseSync(file, read(file))
  for (const statement of program.body as unknown as readonly Node[]) {
    const declared = (statement.declaration ?? statement) as Node
    if (declared.type !== 'TSInterfaceDeclaration' || (declared.id as { name: string }).name !== name) continue
    return (declared.body as { body: readonly { key: { name: string } }[] }).body.map(({ key }) => key.name)
  }
  throw new Error(`${file} has no interface ${name}`)
}
