import { parseAst } from 'vite'

/** A node of the syntax tree (ESTree), as far as it is looked at. */
interface Syntax {
  readonly type: string
  readonly name?: string
  readonly computed?: boolean
  readonly [part: string]: unknown
}

/** Parts of these that are names of something's own, and refer to nothing. */
const OWN_NAMES: Readonly<Record<string, readonly string[]>> = {
  MemberExpression: ['property'],
  Property: ['key'],
  MethodDefinition: ['key'],
  PropertyDefinition: ['key'],
  LabeledStatement: ['label'],
  BreakStatement: ['label'],
  ContinueStatement: ['label'],
  ImportSpecifier: ['imported'],
  ExportSpecifier: ['local', 'exported'],
  MetaProperty: ['meta', 'property'],
}

/** Parts of these in which names are bound. */
const BINDING: Readonly<Record<string, readonly string[]>> = {
  VariableDeclarator: ['id'],
  FunctionDeclaration: ['id', 'params'],
  FunctionExpression: ['id', 'params'],
  ArrowFunctionExpression: ['params'],
  ClassDeclaration: ['id'],
  ClassExpression: ['id'],
  CatchClause: ['param'],
  ImportSpecifier: ['local'],
  ImportDefaultSpecifier: ['local'],
  ImportNamespaceSpecifier: ['local'],
}

const isSyntax = (value: unknown): value is Syntax =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Syntax>).type === 'string'
const parts = (value: unknown): readonly Syntax[] => [value].flat().filter(isSyntax)

/**
 * The names that a module takes from outside itself, sorted: used somewhere and bound nowhere in it, but for those whose being there it asks
 * with `typeof`. What one function binds counts for all, so that a name can be missed; the module that was built has each name once.
 */
export function freeNames(source: string): readonly string[] {
  const [used, bound, asked] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const bind = (pattern: Syntax): void => {
    if (pattern.type === 'Identifier') bound.add(pattern.name ?? '')
    else if (pattern.type === 'ObjectPattern')
      for (const one of parts(pattern.properties)) for (const value of parts(one.value ?? one.argument)) bind(value)
    else for (const one of [pattern.elements, pattern.left, pattern.argument].flatMap(parts)) bind(one)
  }
  const walk = (node: Syntax): void => {
    if (node.type === 'Identifier') used.add(node.name ?? '')
    if (node.type === 'UnaryExpression' && node.operator === 'typeof')
      for (const one of parts(node.argument)) asked.add(one.name ?? '')
    for (const name of BINDING[node.type] ?? []) for (const one of parts(node[name])) bind(one)
    for (const [name, value] of Object.entries(node)) {
      const isOwnName = OWN_NAMES[node.type]?.includes(name) === true && node.computed !== true
      if (name !== 'parent' && !isOwnName) for (const one of parts(value)) walk(one)
    }
  }
  walk(parseAst(source) as unknown as Syntax)
  return [...used].filter((name) => !bound.has(name) && !asked.has(name)).sort()
}
