import type { Consistency, Inclusion } from '../digest.ts'

/** inclusion.txt: one fact a line, then the path, nearest the leaf first. */
export const inclusionText = ({ index, size, leaf, root, path }: Inclusion): string =>
  [`index ${index}`, `size ${size}`, `leaf ${leaf}`, `root ${root}`, ...path.map(step), ''].join('\n')

/** consistency.txt: the two heads, then the path. */
export const consistencyText = ({ oldSize, oldRoot, newSize, newRoot, path }: Consistency): string =>
  [
    `old-size ${oldSize}`,
    `old-root ${oldRoot}`,
    `new-size ${newSize}`,
    `new-root ${newRoot}`,
    ...path.map(step),
    '',
  ].join('\n')

const step = (hash: string): string => `path ${hash}`

const COUNT = '(0|[1-9][0-9]{0,8})'
const HASH = '([0-9a-f]{64})'
// A path is never longer than the number of bits in a count.
const PATH = '((?:path [0-9a-f]{64}\\n){0,64})'
const INCLUSION = new RegExp(`^index ${COUNT}\\nsize ${COUNT}\\nleaf ${HASH}\\nroot ${HASH}\\n${PATH}$`)
const CONSISTENCY = new RegExp(
  `^old-size ${COUNT}\\nold-root ${HASH}\\nnew-size ${COUNT}\\nnew-root ${HASH}\\n${PATH}$`,
)

/** The inverse of inclusionText(); null for any other text. */
export function parseInclusion(text: string): Inclusion | null {
  const [, index, size, leaf = '', root = '', path = ''] = INCLUSION.exec(text) ?? []
  return index === undefined ? null : { index: Number(index), size: Number(size), leaf, root, path: hashesIn(path) }
}

/** The inverse of consistencyText(); null for any other text. */
export function parseConsistency(text: string): Consistency | null {
  const [, oldSize, oldRoot = '', newSize, newRoot = '', path = ''] = CONSISTENCY.exec(text) ?? []
  if (oldSize === undefined) return null
  return { oldSize: Number(oldSize), oldRoot, newSize: Number(newSize), newRoot, path: hashesIn(path) }
}

const hashesIn = (path: string): readonly string[] => path.match(/[0-9a-f]{64}/g) ?? []
