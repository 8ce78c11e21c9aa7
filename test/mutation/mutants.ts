import { parseAst } from 'vite'

/** One small change of a module's source. */
export interface Mutant {
  readonly line: number
  /** What was there, and what stands there instead. */
  readonly was: string
  readonly is: string
  readonly source: string
}

/** A node of the syntax tree (ESTree), as far as it is looked at. */
interface Syntax {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [part: string]: unknown
}

/** How a mutant is named in lists: its line, and what is changed there. */
export const mutantName = (source: string, { line, was, is }: Mutant): string =>
  `${(source.split('\n')[line - 1] ?? '').trim()}: ${was} -> ${is}`

const OPERATORS: ReadonlyMap<unknown, string> = new Map([
  ['===', '!=='],
  ['!==', '==='],
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['&&', '||'],
  ['||', '&&'],
  ['+', '-'],
  ['-', '+'],
])
const METHODS: ReadonlyMap<unknown, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
])

const isSyntax = (value: unknown): value is Syntax =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Syntax>).type === 'string'
const part = (of: Syntax, name: string): Syntax => of[name] as Syntax
const partsOf = (of: Syntax): readonly Syntax[] =>
  Object.entries(of).flatMap(([name, value]) => (name === 'parent' ? [] : [value].flat().filter(isSyntax)))

/**
 * Every mutant of a module: comparisons, logical and arithmetic operators, conditions made true and false, negations left out, booleans and
 * numbers changed, `some` and `every` exchanged, calls and `continue` left out, and each alternative of a regular expression left out. Words
 * and how much of them is shown are not changed: tests assert codes. The same source gives the same list. With `only`, no more than what is
 * declared under these names; with `patterns`, texts with alternatives count as parts of regular expressions.
 */
export function mutantsOf(
  source: string,
  { only = null, patterns = false }: { readonly only?: readonly string[] | null; readonly patterns?: boolean } = {},
): readonly Mutant[] {
  const found: Mutant[] = []
  const replaceAt = (from: number, to: number, is: string): void => {
    const was = source.slice(from, to)
    if (was === is) return
    found.push({
      line: source.slice(0, from).split('\n').length,
      was: short(was),
      is: short(is),
      source: source.slice(0, from) + is + source.slice(to),
    })
  }
  const replace = ({ start, end }: Syntax, is: string): void => replaceAt(start, end, is)
  const leaveOutAlternatives = ({ start, end }: Syntax): void => {
    for (const [from, to] of alternativesIn(source.slice(start, end))) replaceAt(start + from, start + to, '')
  }
  const visit = (node: Syntax, parent: Syntax | null): void => {
    if (node.type.startsWith('TS') && node.type !== 'TSAsExpression') return
    switch (node.type) {
      case 'ImportDeclaration':
        return
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const other = OPERATORS.get(node.operator)
        const [left, right] = [part(node, 'left'), part(node, 'right')]
        if (other === undefined || (other === '-' && [left, right].some((side) => isText(side, source)))) break
        const at = source.indexOf(String(node.operator), left.end)
        replaceAt(at, at + String(node.operator).length, other)
        break
      }
      case 'UnaryExpression':
        if (node.operator === '!') replace(node, source.slice(part(node, 'argument').start, part(node, 'argument').end))
        break
      case 'ConditionalExpression':
        if (![part(node, 'consequent'), part(node, 'alternate')].every((side) => isText(side, source)))
          for (const is of ['true', 'false']) replace(part(node, 'test'), is)
        break
      case 'IfStatement':
        for (const is of ['true', 'false']) replace(part(node, 'test'), is)
        break
      case 'Literal':
        if (isSyntaxOfPattern(node, patterns)) leaveOutAlternatives(node)
        if (typeof node.value === 'boolean') replace(node, String(!node.value))
        if (typeof node.value === 'number' && !isLengthOfText(parent)) replace(node, `${node.value + 1}`)
        break
      case 'TemplateElement':
        if (patterns) leaveOutAlternatives(node)
        break
      case 'MemberExpression': {
        const other = METHODS.get(part(node, 'property').name)
        if (other !== undefined) replace(part(node, 'property'), other)
        break
      }
      case 'ExpressionStatement':
        if (part(node, 'expression').type === 'CallExpression') replace(node, ';')
        break
      case 'ContinueStatement':
        replace(node, ';')
    }
    for (const one of partsOf(node)) visit(one, node)
  }
  for (const statement of (parseAst(source, { lang: 'ts' }) as unknown as { readonly body: readonly Syntax[] }).body)
    if (only === null || namesIn(statement).some((name) => only.includes(name))) visit(statement, null)
  return found
}

const isSyntaxOfPattern = ({ regex, value }: Syntax, patterns: boolean): boolean =>
  regex !== undefined || (patterns && typeof value === 'string')

/**
 * Where the alternatives of each group of a regular expression stand, with the bar that goes with each, so that any can be left out. A text in
 * quotation marks, which goes into a pattern, is a group too.
 */
function alternativesIn(pattern: string): readonly (readonly [from: number, to: number])[] {
  const found: (readonly [number, number])[] = []
  const quoted = /^['"]/.test(pattern) ? [{ begin: 1, bars: [] as number[] }] : []
  const open: { readonly begin: number; readonly bars: number[] }[] = [...quoted]
  let inClass = false
  for (let at = 0; at < pattern.length; at += 1) {
    const one = pattern[at]
    if (one === '\\') at += 1
    else if (inClass) inClass = one !== ']'
    else if (one === '[') inClass = true
    else if (one === '(')
      open.push({ begin: at + (/^\((?:\?(?:<?[=!]|:|<\w+>))?/.exec(pattern.slice(at))?.[0].length ?? 1), bars: [] })
    else if (one === '|') open.at(-1)?.bars.push(at)
    else if (one === ')' || (at === pattern.length - 1 && quoted.length > 0)) {
      const { begin = 0, bars = [] } = open.pop() ?? {}
      // The first goes with the bar behind it, each other one with the bar before it.
      for (const [index, bar] of bars.entries()) {
        if (index === 0) found.push([begin, bar + 1])
        found.push([bar, bars[index + 1] ?? at])
      }
    }
  }
  return found
}

/** What a statement at the top of a module declares. */
function namesIn(statement: Syntax): readonly string[] {
  const declared = isSyntax(statement.declaration) ? statement.declaration : statement
  const all = declared.type === 'VariableDeclaration' ? (declared.declarations as readonly Syntax[]) : [declared]
  return all.flatMap(({ id }) => (isSyntax(id) ? [String(id.name)] : []))
}

/** A wording, or texts put together to one. */
const isText = (side: Syntax, source: string): boolean =>
  (side.type === 'Literal' && typeof side.value === 'string' && side.value.includes(' ')) ||
  side.type === 'TemplateLiteral' ||
  (side.type === 'Literal' && side.value === '') ||
  source.slice(side.start, side.end).includes('.join(')

/** How much of a word of the node is shown, as in quote(name, 40). */
const isLengthOfText = (parent: Syntax | null): boolean =>
  parent?.type === 'CallExpression' && ['plain', 'quote'].includes(String(part(parent, 'callee').name))

const short = (text: string): string => {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 57)}...` : line
}
