import ts from 'typescript'

/** One small change of a module's source. */
export interface Mutant {
  readonly line: number
  /** What was there, and what stands there instead. */
  readonly was: string
  readonly is: string
  readonly source: string
}

const OPERATORS: Readonly<Partial<Record<ts.SyntaxKind, string>>> = {
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [ts.SyntaxKind.LessThanToken]: '<=',
  [ts.SyntaxKind.LessThanEqualsToken]: '<',
  [ts.SyntaxKind.GreaterThanToken]: '>=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '>',
  [ts.SyntaxKind.AmpersandAmpersandToken]: '||',
  [ts.SyntaxKind.BarBarToken]: '&&',
  [ts.SyntaxKind.PlusToken]: '-',
  [ts.SyntaxKind.MinusToken]: '+',
}
const METHODS: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
])

/**
 * Every mutant of a module: comparisons, logical and arithmetic operators, conditions made true and false, negations left out, booleans and
 * numbers changed, `some` and `every` exchanged, calls and `continue` left out. Words and how much of them is shown are not changed: tests assert codes. The same source
 * gives the same list. With `only`, no more than the functions of these names.
 */
export function mutantsOf(path: string, source: string, only: readonly string[] | null = null): readonly Mutant[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.ES2022, true)
  const found: Mutant[] = []
  const replace = (node: ts.Node, is: string): void => {
    const [from, to] = [node.getStart(file), node.getEnd()]
    const was = source.slice(from, to)
    if (was === is) return
    found.push({
      line: file.getLineAndCharacterOfPosition(from).line + 1,
      was: short(was),
      is: short(is),
      source: source.slice(0, from) + is + source.slice(to),
    })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return
    if (ts.isImportDeclaration(node)) return
    if (ts.isBinaryExpression(node)) {
      const other = OPERATORS[node.operatorToken.kind]
      if (other !== undefined && !isText(node)) replace(node.operatorToken, other)
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      replace(node, node.operand.getText(file))
    if (ts.isConditionalExpression(node) && !isWording(node))
      for (const is of ['true', 'false']) replace(node.condition, is)
    if (ts.isIfStatement(node)) for (const is of ['true', 'false']) replace(node.expression, is)
    if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, 'false')
    if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, 'true')
    if (ts.isNumericLiteral(node) && !isLengthOfText(node)) replace(node, `${Number(node.text) + 1}`)
    if (ts.isPropertyAccessExpression(node)) replace(node.name, METHODS.get(node.name.text) ?? node.name.text)
    if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) replace(node, ';')
    if (ts.isContinueStatement(node)) replace(node, ';')
    ts.forEachChild(node, visit)
  }
  for (const statement of file.statements)
    if (only === null || namesIn(statement).some((name) => only.includes(name))) visit(statement)
  return found
}

/** What a statement at the top of a module declares. */
const namesIn = (statement: ts.Statement): readonly string[] =>
  ts.isFunctionDeclaration(statement)
    ? [statement.name?.text ?? '']
    : ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.map(({ name }) => name.getText())
      : []

/** A choice between two wordings. */
const isWording = ({ whenTrue, whenFalse }: ts.ConditionalExpression): boolean =>
  [whenTrue, whenFalse].every((side) => ts.isStringLiteral(side) || ts.isTemplateExpression(side))

/** `+` that joins text. */
const isText = ({ left, right }: ts.BinaryExpression): boolean =>
  [left, right].some(
    (side) => ts.isStringLiteral(side) || ts.isTemplateExpression(side) || side.getText().includes('.join('),
  )

/** How much of a word of the node is shown, as in quote(name, 40). */
const isLengthOfText = ({ parent }: ts.NumericLiteral): boolean =>
  ts.isCallExpression(parent) && ['plain', 'quote'].includes(parent.expression.getText())

const short = (text: string): string => {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 57)}...` : line
}
