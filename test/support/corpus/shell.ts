import { ALWAYS_FILE } from '../../../main/catalog/base/read-text.ts'
import type { RunCommand } from '../../../main/core/recording/probe.ts'
import { dd } from './shell-dd.ts'
import { grep } from './shell-grep.ts'
import { ls } from './shell-ls.ts'
import { type Printed, printed, type VirtualNode } from './virtual-node.ts'

/** Paths that a command names, with what is known of each. Patterns are expanded as a shell does: one without a match stays as it is. */
export interface Operand {
  readonly path: string
  readonly isKnown: boolean
  readonly exists: boolean
}

type Tool = (
  node: VirtualNode,
  argv: readonly string[],
  operands: readonly Operand[],
  control?: string,
) => Printed | null

const TOOLS: Readonly<Record<string, Tool>> = { cat, head, grep, ls, readlink, dd, sed }

/**
 * Answers one command of a probe from what was captured, as the tool of that name would have; null where the capture does not hold
 * what is asked. Of a command over many files one suffices: the others count as files that this system does not have.
 */
export function answer(node: VirtualNode, { argv, control }: Pick<RunCommand, 'argv' | 'control'>): Printed | null {
  const plain = argv.map((part) => (typeof part === 'string' ? part : part.glob))
  const isPinned = plain[0] === 'taskset'
  const words = isPinned ? plain.slice(3) : plain
  const captured = node.run(words)
  if (captured !== null) return captured
  const tool = TOOLS[words[0] ?? '']
  if (tool === undefined) return null
  const parts = argv.slice(isPinned ? 4 : 1)
  const operands = parts.flatMap((part): readonly Operand[] =>
    typeof part === 'string' ? (part.startsWith('/') ? [operand(node, part)] : []) : expanded(node, part.glob),
  )
  return tool(node, words, operands, control)
}

const operand = (node: VirtualNode, path: string): Operand => {
  const known = node.lookup(path)
  return { path, isKnown: known !== 'unknown', exists: typeof known !== 'string' }
}

function expanded(node: VirtualNode, pattern: string): readonly Operand[] {
  const paths = node.expand(pattern)
  return typeof paths === 'string'
    ? [{ path: pattern, isKnown: paths === 'absent', exists: false }]
    : paths.map((path) => ({ path, isKnown: true, exists: true }))
}

/** Whether files that exist, or the knowledge that none does, answer a question about these; what every system has answers nothing. */
export function canAnswer(operands: readonly Operand[]): boolean {
  const asked = operands.filter(({ path }) => path !== ALWAYS_FILE)
  return asked.length > 0 && (asked.some(({ exists }) => exists) || asked.every(({ isKnown }) => isKnown))
}

export const absentLine = (tool: string, path: string): string =>
  tool === 'ls'
    ? `ls: cannot access '${path}': No such file or directory\n`
    : `${tool}: ${path}: No such file or directory\n`

export function fileBytes(node: VirtualNode, path: string): { bytes: Uint8Array; isWhole: boolean } | null {
  const known = node.lookup(path)
  return typeof known !== 'string' && known.kind === 'file' ? known : null
}

function cat(node: VirtualNode, _: readonly string[], operands: readonly Operand[]): Printed | null {
  if (!canAnswer(operands)) return null
  const read = operands.map(({ path }) => ({ path, file: fileBytes(node, path) }))
  if (read.some(({ file }) => file !== null && !file.isWhole)) return null
  const missing = read.filter(({ file }) => file === null)
  return printed(
    Buffer.concat(read.flatMap(({ file }) => file?.bytes ?? [])),
    missing.length > 0 ? 1 : 0,
    missing.map(({ path }) => absentLine('cat', path)).join(''),
  )
}

/** One substitution of a whole file: a basic expression, whose parentheses and braces mean something only behind a backslash. */
function sed(node: VirtualNode, argv: readonly string[], operands: readonly Operand[]): Printed | null {
  const [, option, script = ''] = argv
  const [kind, pattern = '', replacement = '', flags] = script.split(script.charAt(1))
  const read = cat(node, argv, operands)
  if (option !== '-e' || kind !== 's' || (flags !== '' && flags !== 'g') || read === null) return null
  const turned = pattern.replace(/(\\?)([(){}])/g, (_, slash: string, sign: string) =>
    slash === '' ? `\\${sign}` : sign,
  )
  const expression = new RegExp(turned, `m${flags}`)
  const lines = Buffer.from(read.stdout).toString('latin1').split('\n')
  const changed = lines.map((line) => line.replace(expression, replacement.replaceAll(/\\(\d)/g, '$$$1')))
  return printed(
    Buffer.from(changed.join('\n'), 'latin1'),
    read.exitCode,
    read.stderr.replaceAll('cat:', "sed: can't read"),
  )
}

function head(node: VirtualNode, argv: readonly string[], operands: readonly Operand[]): Printed | null {
  if (!canAnswer(operands)) return null
  const option = (name: string): number | null => {
    const at = argv.indexOf(name)
    return at < 0 ? null : Number(argv[at + 1])
  }
  const [bytes, lines] = [option('-c'), option('-n') ?? 10]
  const read = operands.map(({ path }) => ({ path, file: fileBytes(node, path) }))
  const parts = read.flatMap(({ path, file }) =>
    file === null
      ? []
      : [{ path, part: bytes === null ? firstLines(file.bytes, lines) : file.bytes.subarray(0, bytes) }],
  )
  const isNamed = argv.includes('-v') || operands.length > 1
  const contents = parts.flatMap(({ path, part }, index) =>
    isNamed ? [Buffer.from(`${index === 0 ? '' : '\n'}==> ${path} <==\n`), part] : [part],
  )
  const missing = read.filter(({ file }) => file === null)
  const complaints = missing.map(({ path }) => `head: cannot open '${path}' for reading: No such file or directory\n`)
  return printed(Buffer.concat(contents), missing.length > 0 ? 1 : 0, complaints.join(''))
}

function firstLines(bytes: Uint8Array, count: number): Uint8Array {
  let end = 0
  for (let line = 0; line < count && end < bytes.length; line += 1) {
    const newline = bytes.indexOf(10, end)
    end = newline < 0 ? bytes.length : newline + 1
  }
  return bytes.subarray(0, end)
}

function readlink(node: VirtualNode, argv: readonly string[], operands: readonly Operand[]): Printed | null {
  const path = operands[0]?.path
  if (path === undefined || argv.some((word) => /^-.*[fe]/.test(word))) return null
  const known = node.lookup(path, false)
  if (known === 'unknown') return null
  return typeof known !== 'string' && known.kind === 'link' ? printed(`${known.target}\n`) : printed('', 1)
}
