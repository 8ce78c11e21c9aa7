import { absentLine, canAnswer, fileBytes, type Operand } from './shell.ts'
import { type Printed, printed, type VirtualNode } from './virtual-node.ts'

interface Wanted {
  readonly pattern: RegExp
  readonly flags: ReadonlySet<string>
  readonly most: number
}

/** grep(1) with the options that probes use. */
export function grep(
  node: VirtualNode,
  argv: readonly string[],
  operands: readonly Operand[],
  control = '',
): Printed | null {
  const wanted = wantedBy(argv)
  if (wanted === null || !canAnswer(operands)) return null
  const isNamed = wanted.flags.has('H') || (operands.length > 1 && !wanted.flags.has('h'))
  const files = operands.map(({ path }) => ({ path, file: fileBytes(node, path) }))
  const found = files.map(({ path, file }) => (file === null ? [] : matches(file.bytes, wanted, isNamed ? path : null)))
  // What a part of a file does not hold may stand in the rest of it.
  const holds = (rows: readonly string[] = []): boolean =>
    rows.some((row) => control === '' || !row.trimStart().startsWith(control))
  if (files.some(({ file }, index) => file !== null && !file.isWhole && !holds(found[index]))) return null
  const missing = files.filter(({ path, file }) => file === null && typeof node.lookup(path) === 'string')
  const lines = found.flat()
  const complaints = wanted.flags.has('s') ? '' : missing.map(({ path }) => absentLine('grep', path)).join('')
  return printed(lines.join(''), missing.length > 0 ? 2 : lines.length > 0 ? 0 : 1, complaints)
}

function matches(bytes: Uint8Array, { pattern, flags, most }: Wanted, path: string | null): readonly string[] {
  const text = Buffer.from(bytes).toString('latin1')
  const prefix = path === null ? '' : `${path}${flags.has('Z') ? '\0' : ':'}`
  const rows = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  const hits = rows.filter((row) => row.search(pattern) >= 0 !== flags.has('v')).slice(0, most)
  if (!flags.has('o')) return hits.map((row) => `${prefix}${row}\n`)
  const all = new RegExp(pattern.source, `${pattern.flags}g`)
  return hits.flatMap((row) => [...row.matchAll(all)].flatMap(([word]) => (word === '' ? [] : [`${prefix}${word}\n`])))
}

function wantedBy(argv: readonly string[]): Wanted | null {
  const flags = new Set<string>()
  let most = Number.POSITIVE_INFINITY
  let source: string | null = null
  for (let index = 1; index < argv.length && source === null; index += 1) {
    const word = argv[index] ?? ''
    if (word === '-m') most = Number(argv[++index])
    else if (word === '-e') source = argv[++index] ?? ''
    else if (/^-m\d+$/.test(word)) most = Number(word.slice(2))
    else if (/^-[a-zA-Z]+$/.test(word)) for (const letter of word.slice(1)) flags.add(letter)
    else source = word
  }
  // Folders are not searched here, and other options are not understood.
  if (source === null || [...flags].some((flag) => !'EFHhsaovxwiZ'.includes(flag))) return null
  const plain = flags.has('F') ? source.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : expression(source, flags.has('E'))
  const bound = flags.has('x') ? `^(?:${plain})$` : flags.has('w') ? `\\b(?:${plain})\\b` : plain
  return { pattern: new RegExp(bound, flags.has('i') ? 'i' : ''), flags, most }
}

/** A POSIX expression in the words of this language. In basic ones the operators are plain characters. */
const expression = (source: string, isExtended: boolean): string =>
  (isExtended ? source : source.replace(/[+?(){}|]/g, '\\$&'))
    .replace(/\[\[:space:\]\]/g, '\\s')
    .replace(/\[:space:\]/g, '\\s')
    .replace(/\[:digit:\]/g, '0-9')
    .replace(/\[:alpha:\]/g, 'A-Za-z')
    .replace(/\[:alnum:\]/g, 'A-Za-z0-9')
