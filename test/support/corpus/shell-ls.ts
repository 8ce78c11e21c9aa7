import { absentLine, type Operand } from './shell.ts'
import { type Entry, type Printed, printed, type VirtualNode } from './virtual-node.ts'

/**
 * ls(1) with -1, -l and -d. What a listing does not show is absent, so it is only given where every folder asked for was listed, or is
 * known not to be there.
 */
export function ls(node: VirtualNode, argv: readonly string[], operands: readonly Operand[]): Printed | null {
  const options = argv
    .slice(1)
    .filter((word) => word.startsWith('-'))
    .join('')
  const isLong = options.includes('l')
  const isSelf = options.includes('d')
  const known = operands.map(({ path, exists }) => ({ path, entry: node.lookup(path), exists }))
  if (known.length === 0 || known.some(({ entry }) => entry === 'unknown' || (!isSelf && isUnlisted(entry))))
    return null
  const missing = known.filter(({ entry }) => entry === 'absent')
  const there = known.filter(({ entry }) => entry !== 'absent')
  const complaints = missing.map(({ path }) => absentLine('ls', path)).join('')
  const exitCode = missing.length > 0 ? 2 : 0
  const isFile = ({ entry }: { entry: ReturnType<VirtualNode['lookup']> }): boolean =>
    isSelf || (typeof entry !== 'string' && entry.kind !== 'folder')
  const files = there.filter(isFile).map(({ path }) => row(node, path, path, isLong))
  const blocks = there
    .filter((one) => !isFile(one))
    .map(({ path }) => {
      const heading = operands.length > 1 ? `${path}:\n` : ''
      const rows = node.names(path).map((name) => row(node, `${path}/${name}`, name, isLong))
      return `${heading}${isLong ? 'total 0\n' : ''}${rows.join('')}`
    })
  return printed([files.join(''), ...blocks].filter((part) => part !== '').join('\n'), exitCode, complaints)
}

const isUnlisted = (entry: ReturnType<VirtualNode['lookup']>): boolean =>
  typeof entry !== 'string' && entry.kind === 'folder' && entry.listing === 'part'

function row(node: VirtualNode, path: string, name: string, isLong: boolean): string {
  if (!isLong) return `${name}\n`
  const entry = node.lookup(path, false)
  return typeof entry === 'string' ? `${name}\n` : `${long(entry)} Nov 21 06:59 ${name}${target(entry)}\n`
}

const target = (entry: Entry): string => (entry.kind === 'link' ? ` -> ${entry.target}` : '')

function long(entry: Entry): string {
  if (entry.kind === 'link') return 'lrwxrwxrwx 1 root root 0'
  return entry.kind === 'folder' ? 'drwxr-xr-x 2 root root 0' : `-r--r--r-- 1 root root ${entry.size}`
}
