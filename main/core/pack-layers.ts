import { type NodeFiles, type PackContent, type PackFiles, pathsInOrder } from './pack-files.ts'
import { compare } from './recording.ts'

/**
 * The files of many nodes as one map, of which those of one node are here at a time: of a thousand nodes, names and places alone take more
 * memory than all the rest.
 */
export function filesOfNodes(nodes: readonly NodeFiles[]): PackFiles {
  const byFolder = new Map(nodes.map((node) => [node.folder, node]))
  const ordered = [...nodes].sort((a, b) => compare(`${a.folder}/`, `${b.folder}/`))
  let [last, files]: [NodeFiles | undefined, PackFiles] = [undefined, new Map()]
  const of = (node: NodeFiles | undefined): PackFiles => {
    if (node !== last) [last, files] = [node, node?.files() ?? new Map()]
    return files
  }
  return viewOf({
    size: () => nodes.reduce((sum, { size }) => sum + size, 0),
    get: (path) => of(byFolder.get(path.split('/', 3).join('/'))).get(path),
    entries: function* () {
      for (const node of nodes) yield* of(node)
    },
    inOrder: function* () {
      for (const node of ordered) yield* pathsInOrder(of(node))
    },
  })
}

/** Maps that have no path in common as one, which sees what is added to any of them later. */
export const layered = (...layers: readonly PackFiles[]): PackFiles =>
  viewOf({
    size: () => layers.reduce((sum, { size }) => sum + size, 0),
    get: (path) => {
      for (const layer of layers) {
        const content = layer.get(path)
        if (content !== undefined) return content
      }
      return undefined
    },
    entries: function* () {
      for (const layer of layers) yield* layer
    },
    inOrder: () => merged(layers.map((layer) => pathsInOrder(layer)[Symbol.iterator]())),
  })

/** Sorted lists as one. */
function* merged(lists: readonly Iterator<string>[]): Generator<string> {
  const heads = lists.map((list) => list.next())
  for (;;) {
    let least = -1
    for (const [at, head] of heads.entries())
      if (head.done !== true && (least < 0 || head.value < (heads[least]?.value ?? ''))) least = at
    const [list, head] = [lists[least], heads[least]]
    if (list === undefined || head === undefined) return
    yield head.value as string
    heads[least] = list.next()
  }
}

const viewOf = ({
  size,
  get,
  entries,
  inOrder,
}: {
  readonly size: () => number
  readonly get: (path: string) => PackContent | undefined
  readonly entries: () => Iterator<readonly [string, PackContent]>
  readonly inOrder: () => Iterable<string>
}): PackFiles => ({
  get size() {
    return size()
  },
  get,
  has: (path) => get(path) !== undefined,
  keys: function* () {
    for (const [path] of { [Symbol.iterator]: entries }) yield path
  },
  values: function* () {
    for (const [, content] of { [Symbol.iterator]: entries }) yield content
  },
  [Symbol.iterator]: entries,
  inOrder,
})
