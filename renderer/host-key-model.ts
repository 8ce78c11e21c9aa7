import type { HostKeyRow } from '../schemas/ipc-views.ts'
import { plural } from './text.ts'

/** Nodes that presented one and the same host key, most nodes first; a key of one node is not listed. */
export function sharedKeys(
  rows: readonly Pick<HostKeyRow, 'node' | 'fingerprint'>[],
): readonly { readonly fingerprint: string; readonly nodes: readonly string[] }[] {
  const found = new Map<string, string[]>()
  for (const { node, fingerprint } of rows)
    if (fingerprint !== null) found.set(fingerprint, [...(found.get(fingerprint) ?? []), node])
  return [...found]
    .map(([fingerprint, nodes]) => ({ fingerprint, nodes }))
    .filter(({ nodes }) => nodes.length > 1)
    .sort((a, b) => b.nodes.length - a.nodes.length)
}

/** The title of the remark about shared keys. */
export const sharedLine = (shared: ReturnType<typeof sharedKeys>): string =>
  shared.length === 1
    ? `${plural(shared[0]?.nodes.length ?? 0, 'node')} presented the same host key.`
    : `${plural(shared.length, 'host key')} were presented by several nodes.`
