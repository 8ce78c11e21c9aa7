import type { ImportColumn } from '../../../schemas/ipc-views.ts'
import type { FleetNode } from '../../../schemas/types.ts'
import type { ImportLine } from '../../core/all-ports.ts'
import { DEFAULT_PORT } from '../../core/fleet.ts'
import { createSchemaValidator, placeName } from '../schema-validator.ts'

/** The nodes of an import, and the result of every line of the file. Nothing is contacted or written. */
export interface Preview {
  readonly nodes: readonly FleetNode[]
  readonly lines: readonly ImportLine[]
  /** As in `Importers`. */
  readonly knownHosts?: ReadonlyMap<string, readonly string[]>
  /** As in `Importers`. */
  readonly columns?: readonly ImportColumn[]
}

/** Larger files are not server lists. */
export const LARGEST_IMPORT = 8 * 1024 * 1024
const MOST_NODES = 20_000

let validator: ReturnType<typeof createSchemaValidator> | null = null

/**
 * Collects nodes and the result of each line. Lines without a result count as skipped, for the reason given at the end.
 */
export function createPreview(text: string, existing: readonly FleetNode[]) {
  const texts = text.split(/\r?\n/)
  if (texts.at(-1) === '') texts.pop()
  const nodes: FleetNode[] = []
  const told = new Map<number, Omit<ImportLine, 'line' | 'text'>>()

  const say = (line: number, outcome: ImportLine['outcome'], why: string, node?: string): void => {
    const before = told.get(line)
    const worst = before !== undefined && RANK[before.outcome] > RANK[outcome] ? before.outcome : outcome
    const reasons = [before?.why ?? '', why].filter((reason) => reason !== '')
    const name = node ?? before?.node
    told.set(line, {
      outcome: worst,
      why: [...new Set(reasons)].join('; '),
      ...(name === undefined ? {} : { node: name }),
    })
  }

  return {
    say,
    nodes: (): readonly FleetNode[] => nodes,
    /**
     * Adds a node when it fits the fleet schema and is not in the fleet yet, and notes the result on its line. True
     * when it is in the fleet afterwards.
     */
    add: (line: number, node: FleetNode, why = ''): boolean => {
      const there = [...existing, ...nodes].find((other) => other.name === node.name || sameDoor(other, node))
      if (there !== undefined) {
        say(
          line,
          'already',
          there.name === node.name && sameDoor(there, node)
            ? ''
            : `“${there.name}” has this ${there.name === node.name ? 'name' : 'address and port'}`,
          there.name,
        )
        return true
      }
      validator ??= createSchemaValidator()
      const misfit = validator.placed('fleet', { name: 'x', nodes: [node] })[0]
      if (misfit !== undefined || nodes.length >= MOST_NODES) {
        say(
          line,
          'problem',
          misfit === undefined ? `more than ${MOST_NODES} nodes` : `${placeName(misfit.path.slice(2))} ${misfit.text}`,
        )
        return false
      }
      nodes.push(node)
      say(line, 'added', why, node.name)
      return true
    },
    has: (name: string): boolean => [...existing, ...nodes].some((node) => node.name === name),
    /** `isRead` marks lines that belong to a node of another line. */
    done: (
      otherwise: (text: string, line: number) => string,
      isRead: (text: string) => boolean = () => false,
    ): Preview => ({
      nodes,
      lines: texts.map((text, index) => ({
        line: index + 1,
        text,
        ...(told.get(index + 1) ?? {
          outcome: isRead(text) ? ('read' as const) : ('skipped' as const),
          why: isBlank(text) ? '' : otherwise(text, index + 1),
        }),
      })),
    }),
    /** Everything refused for one reason. */
    refuse: (why: string): Preview => ({
      nodes: [],
      lines: texts.map((text, index) => ({
        line: index + 1,
        text,
        outcome: index === 0 ? ('problem' as const) : ('skipped' as const),
        why: index === 0 ? why : '',
      })),
    }),
  }
}

export type PreviewBuilder = ReturnType<typeof createPreview>

const RANK: Readonly<Record<ImportLine['outcome'], number>> = {
  skipped: 0,
  read: 1,
  already: 2,
  added: 3,
  problem: 4,
}

const isBlank = (text: string): boolean => /^\s*([#;].*)?$/.test(text)

const sameDoor = (a: FleetNode, b: FleetNode): boolean =>
  a.address.toLowerCase() === b.address.toLowerCase() &&
  (a.port ?? DEFAULT_PORT) === (b.port ?? DEFAULT_PORT) &&
  (a.jump ?? []).join() === (b.jump ?? []).join()

/** A host alias as a node name: lower case, other characters as dashes. Empty when nothing is left. */
export const nodeName = (alias: string): string =>
  alias
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, 63)

/** `[user@]host[:port]` of ProxyJump and -J, also with `ssh://` and IPv6 in brackets; null for anything else. */
export function parseJump(
  text: string,
): { readonly user?: string; readonly host: string; readonly port?: number } | null {
  const found = /^(?:ssh:\/\/)?(?:([^@\s]+)@)?(\[[0-9a-fA-F:.%a-z]+\]|[^:@\s[\]/]+)(?::(\d{1,5}))?\/?$/.exec(
    text.trim(),
  )
  if (found === null) return null
  const [, user, host = '', port] = found
  return { host, ...(user === undefined ? {} : { user }), ...(port === undefined ? {} : { port: Number(port) }) }
}

/**
 * Names of the nodes for a chain of jump hosts. A host that is not a node yet becomes one that is used as a jump host
 * only; `known` resolves an alias to the name of its node. Null when a part cannot be read.
 */
export function jumpNames(
  preview: PreviewBuilder,
  line: number,
  chain: string,
  known: (alias: string) => string | null,
): readonly string[] | null {
  const names: string[] = []
  for (const part of chain.split(',')) {
    const jump = parseJump(part)
    if (jump === null) return null
    const name = known(jump.host) ?? nodeName(jump.host)
    if (!preview.has(name)) {
      const { host, user, port } = jump
      const node: FleetNode = {
        name,
        address: host,
        jumpOnly: true,
        ...(user === undefined ? {} : { user }),
        ...(port === undefined ? {} : { port }),
      }
      if (!preview.add(line, node, `with jump host “${name}”`)) return null
    }
    names.push(name)
  }
  return names
}
