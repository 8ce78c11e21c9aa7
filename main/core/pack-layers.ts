import type { PackContent, PackFiles } from './pack-files.ts'

/** The files of one node, made when they are asked for. */
export interface NodeFiles {
  /** `data/nodes/NAME`, which every path begins with. */
  readonly folder: string
  readonly size: number
  readonly files: () => PackFiles
}

/**
 * The files of many nodes as one map, of which those of one node are here at a time: of a thousand nodes, names and places alone take more
 * memory than all the rest.
 */
export function filesOfNodes(nodes: readonly NodeFiles[]): PackFiles {
  const byFolder = new Map(nodes.map((node) => [node.folder, node]))
  let [last, files]: [NodeFiles | undefined, PackFiles] = [undefined, new Map()]
  const of = (path: string): PackFiles => {
    const node = byFolder.get(path.split('/', 3).join('/'))
    if (node !== last) [last, files] = [node, node?.files() ?? new Map()]
    return files
  }
  return viewOf(
    nodes.reduce((sum, { size }) => sum + size, 0),
    (path) => of(path).get(path),
    function* () {
      for (const node of nodes) yield* node.files()
    },
  )
}

/** Maps that have no path in common as one, which sees what is added to any of them later. */
export const layered = (...layers: readonly PackFiles[]): PackFiles => ({
  ...viewOf(
    0,
    (path) => layers.find((layer) => layer.has(path))?.get(path),
    function* () {
      for (const layer of layers) yield* layer
    },
  ),
  get size() {
    return layers.reduce((sum, { size }) => sum + size, 0)
  },
})

const viewOf = (
  size: number,
  get: (path: string) => PackContent | undefined,
  entries: () => Iterator<readonly [string, PackContent]>,
): PackFiles => ({
  size,
  get,
  has: (path) => get(path) !== undefined,
  keys: function* () {
    for (const [path] of { [Symbol.iterator]: entries }) yield path
  },
  values: function* () {
    for (const [, content] of { [Symbol.iterator]: entries }) yield content
  },
  [Symbol.iterator]: entries,
})
