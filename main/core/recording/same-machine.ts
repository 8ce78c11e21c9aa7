import type {
  Machine,
  MachineIdentity,
  MachineMark,
  SharedHostKey,
  SharedIdentities,
  SharedMachine,
} from '../../../schemas/types.ts'

import { plain, quote } from '../base/plain-text.ts'
import { compare } from './recording.ts'

/** No comparison was made, as in packs from before nodes were compared. */
export const NOTHING_SHARED: SharedIdentities = { compared: 0, machines: [], hostKeys: [] }

interface Named {
  readonly node: string
  readonly identity: MachineIdentity
}

/**
 * What nodes of one population have in common, from what each states about itself. Names are one machine where they
 * state the same boot id (random(4): generated at each start of a kernel, and shared by containers of one kernel), or
 * where they state the same serial number of system or board, or the same system UUID, and no other value of that
 * kind differs: nodes of one chassis can share the serial number of the system, but never that of the board. Two
 * boots that certainly ran at the same time are two machines. A node that states nothing about itself is not
 * compared. The order of nodes has no influence.
 */
export function sharedAmong(nodes: readonly { readonly node: string; readonly machine?: Machine }[]): SharedIdentities {
  const named = nodes
    .flatMap(({ node, machine }): readonly Named[] =>
      machine?.identity === undefined ? [] : [{ node, identity: machine.identity }],
    )
    .sort((a, b) => compare(a.node, b.node))
  const machines = machinesOf(named)
  return {
    compared: named.filter(({ identity }) => identity.hostKey !== null).length,
    machines: machines.filter((names) => names.length > 1).map(sharedMachine),
    hostKeys: sharedHostKeys(machines),
  }
}

/** Of several names of one machine, all but one. */
export const surplusNames = ({ machines }: Pick<SharedIdentities, 'machines'>): number =>
  machines.reduce((sum, { nodes }) => sum + nodes.length - 1, 0)

function relationOf({ identity: a }: Named, { identity: b }: Named): 'same' | 'different' | 'unknown' {
  if (a.boot !== null && a.boot === b.boot) return 'same'
  const other = new Map(b.marks.map(({ part, value }) => [part, value]))
  const both = a.marks.filter(({ part }) => other.has(part))
  if (both.some(({ part, value }) => other.get(part) !== value)) return 'different'
  if (a.boot !== null && b.boot !== null && ranTogether(a, b)) return 'different'
  return both.length > 0 ? 'same' : 'unknown'
}

/** Times are rounded and measured over a network, so that boots must overlap by more than this. */
const CLEARLY_MS = 60_000

const ranTogether = ({ ran: a }: MachineIdentity, { ran: b }: MachineIdentity): boolean =>
  a !== null &&
  b !== null &&
  Math.min(Date.parse(a.to), Date.parse(b.to)) - Math.max(Date.parse(a.from), Date.parse(b.from)) > CLEARLY_MS

/** The names of each machine, in the order of their first names. Only names with a common value are compared. */
function machinesOf(named: readonly Named[]): readonly (readonly Named[])[] {
  const machineOf = new Map(named.map((one) => [one, [one]]))
  const join = (one: Named, other: Named): void => {
    const [own = [], theirs = []] = [machineOf.get(one), machineOf.get(other)]
    if (own === theirs) return
    for (const name of theirs) machineOf.set(name, own)
    own.push(...theirs)
  }
  const byMark = new Map<string, Named[]>()
  for (const one of named)
    for (const { part, value } of marksOf(one)) {
      const leaders = byMark.get(`${part} ${value}`) ?? []
      byMark.set(`${part} ${value}`, leaders)
      const same = leaders.find((leader) => relationOf(leader, one) === 'same')
      if (same === undefined) leaders.push(one)
      else join(same, one)
    }
  return [...new Set(machineOf.values())].map((names) => names.sort((a, b) => compare(a.node, b.node)))
}

const marksOf = ({ identity: { boot, marks } }: Named): readonly MachineMark[] =>
  boot === null ? marks : [{ part: 'boot', value: boot }, ...marks]

function sharedMachine(names: readonly Named[]): SharedMachine {
  const seen = new Map<string, { readonly mark: MachineMark; count: number }>()
  for (const mark of names.flatMap(marksOf)) {
    const key = `${mark.part} ${mark.value}`
    const known = seen.get(key)
    if (known === undefined) seen.set(key, { mark, count: 1 })
    else known.count += 1
  }
  return {
    nodes: names.map(({ node }) => node),
    by: [...seen.values()]
      .filter(({ count }) => count > 1)
      .map(({ mark }) => mark)
      .sort((a, b) => compare(a.part, b.part) || compare(a.value, b.value)),
    container: names.some(({ identity }) => identity.container),
  }
}

/** Host keys shared by several machines, or by names that cannot be distinguished. */
function sharedHostKeys(machines: readonly (readonly Named[])[]): SharedHostKey[] {
  const byKey = new Map<string, (readonly Named[])[]>()
  for (const names of machines)
    for (const key of new Set(names.flatMap(({ identity }) => identity.hostKey ?? []))) {
      const holding = names.filter(({ identity }) => identity.hostKey === key)
      byKey.set(key, [...(byKey.get(key) ?? []), holding])
    }
  return [...byKey]
    .filter(([, holders]) => holders.length > 1)
    .map(([fingerprint, holders]) => ({ fingerprint, nodes: holdersOf(holders) }))
    .sort((a, b) => compare(a.fingerprint, b.fingerprint))
}

/** Numbers machines for as long as each is certainly distinct from all numbered ones. */
function holdersOf(machines: readonly (readonly Named[])[]): SharedHostKey['nodes'] {
  const apart: (readonly Named[])[] = []
  const holders = machines.flatMap((names) => {
    const isApart = apart.every((others) =>
      others.some((other) => names.some((name) => relationOf(other, name) === 'different')),
    )
    const machine = isApart ? apart.push(names) : null
    return names.map(({ node }) => ({ node, machine }))
  })
  return holders.sort((a, b) => compare(a.node, b.node))
}

/** The first of many names, with their count. */
export interface SomeNames {
  readonly first: readonly string[]
  readonly count: number
}

/** What the comparison of nodes found about one of them. */
export interface AmongNodes {
  /** Nodes with a known host key, including this one. */
  readonly compared: number
  /** The machine that it shares with other names; null where there are none. */
  readonly machine: { readonly others: SomeNames; readonly by: SharedMachine['by']; readonly container: boolean } | null
  /** Other machines that presented the same host key. */
  readonly sameKey: SomeNames
  /** Nodes that presented the same host key and may be this machine or another one. */
  readonly perhapsSameKey: SomeNames
}

/** This many names are enough to investigate further; the assessment lists all. */
const FIRST = 3

/** Prepares what is shared for lookups node by node, without searching all names each time. */
export function amongNodes(shared: SharedIdentities): (node: string) => AmongNodes {
  const machineOf = new Map(
    shared.machines.flatMap((one) => {
      const names = new Set(one.nodes)
      return one.nodes.map((node) => [node, { ...one, names }])
    }),
  )
  const keyOf = new Map(shared.hostKeys.flatMap((one) => one.nodes.map((holder) => [holder.node, { one, holder }])))
  return (node) => {
    const machine = machineOf.get(node)
    const key = keyOf.get(node)
    const others = (isOne: (holder: SharedHostKey['nodes'][number]) => boolean): SomeNames =>
      someOf(key?.one.nodes.filter(isOne).map((holder) => holder.node) ?? [])
    const own = key?.holder.machine ?? null
    return {
      compared: shared.compared,
      machine:
        machine === undefined
          ? null
          : {
              others: someOf(machine.nodes.filter((name) => name !== node)),
              by: machine.by,
              container: machine.container,
            },
      sameKey: others(({ machine: theirs }) => own !== null && theirs !== null && theirs !== own),
      perhapsSameKey: others(
        ({ node: name, machine: theirs }) =>
          name !== node && machine?.names.has(name) !== true && (own === null || theirs === null),
      ),
    }
  }
}

const someOf = (names: readonly string[]): SomeNames => ({ first: names.slice(0, FIRST), count: names.length })

/** Names of the kinds of marks, as displayed. */
const PARTS: Readonly<Record<MachineMark['part'], string>> = {
  boot: 'boot ID',
  'board-serial': 'board serial number',
  'system-serial': 'system serial number',
  'system-uuid': 'system UUID',
}

/** A mark in words, such as "boot id “…”". */
export const markText = ({ part, value }: MachineMark): string => `${PARTS[part]} ${quote(value, 100)}`

const MOST_NAMES = 12

/** The names of one machine and the marks that identify it, in one line. */
export const sameMachineText = ({ nodes, by, container }: SharedMachine): string =>
  `${names(nodes)} (same ${by.map(markText).join(', ')})${container ? '; at least one of them is a container of it' : ''}`

function names(all: readonly string[]): string {
  const shown = all.slice(0, MOST_NAMES).map((name) => plain(name, 64))
  const more = all.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}
