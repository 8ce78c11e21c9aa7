import type { CallFailure, HostKeyRow } from '../../../../schemas/ipc-views.ts'
import type { Fleet, HostKey } from '../../../../schemas/types.ts'
import type { ScannedKey } from '../../../core/all-ports.ts'
import type { Outcome } from '../../../core/base/failure.ts'
import { planFleet } from '../../../core/fleet/fleet.ts'
import type { ConnectTarget } from '../../../core/ports/ports.ts'

/** The key that a node showed last, and its status; the key is null where none could be obtained. */
export interface ShownKey {
  /** The address and jumps used: a name in the fleet can later belong to another machine. */
  readonly way: string
  readonly key: ScannedKey | null
  readonly row: HostKeyRow
}

interface Reached {
  readonly address: string
  readonly port?: number
}

const way = (steps: readonly Reached[]): string =>
  steps.map(({ address, port = 22 }) => `${address} ${port}`).join(', ')

/** The way to a node: the addresses and ports of every jump host, then its own. */
export const wayTo = ({ node, jumps }: ConnectTarget): string => way([...jumps.map((jump) => jump.node), node])

/** The way to every node of a fleet, by name. */
export function waysIn(fleet: Fleet): ReadonlyMap<string, string> {
  const known = ways.get(fleet)
  if (known !== undefined) return known
  const planned = planFleet(fleet)
  const found = new Map(
    (planned.ok ? planned.value : []).map(({ declared, jumps }) => [declared.name, way([...jumps, declared])]),
  )
  ways.set(fleet, found)
  return found
}
// Computed once per node: a fleet may have thousands.
const ways = new WeakMap<Fleet, ReadonlyMap<string, string>>()

/** A node that was not queried yet. */
export const notAsked = (node: string): HostKeyRow => ({
  node,
  state: 'not-asked',
  keyType: null,
  fingerprint: null,
  onRecord: null,
  confirmedBy: null,
  byDecision: false,
  matched: null,
  failure: null,
})

export const unreachable = (target: ConnectTarget, failure: CallFailure): ShownKey => ({
  way: wayTo(target),
  key: null,
  row: { ...notAsked(target.node.name), state: 'unreachable', failure },
})

const STATES: Readonly<Record<string, HostKeyRow['state']>> = {
  'ssh.host-key-changed': 'changed',
  'ssh.host-key-revoked': 'revoked',
  'ssh.host-key-unknown': 'unknown',
}

/** A key that a node showed, with the recorded decision about it. */
export function shownKey(target: ConnectTarget, key: ScannedKey, judged: Outcome<HostKey>): ShownKey {
  const by = { way: wayTo(target), key }
  const shown = { ...notAsked(target.node.name), keyType: key.type, fingerprint: key.fingerprint }
  if (judged.ok) {
    const { trust } = judged.value
    const confirmation = { confirmedBy: confirmedBy(trust), byDecision: trust.how === 'decision' }
    return { ...by, row: { ...shown, state: 'confirmed', ...confirmation } }
  }
  const { code, detail } = judged.error
  return {
    ...by,
    row: {
      ...shown,
      state: STATES[code] ?? 'unknown',
      onRecord: code === 'ssh.host-key-changed' ? onRecord(detail, key.fingerprint) : null,
      failure: judged.error,
    },
  }
}

function confirmedBy({ how, detail }: HostKey['trust']): string {
  if (how !== 'decision') return `${HOW[how]}: ${detail}`
  const [, day, words] = /^.* line \d+: (\d{4}-\d{2}-\d{2}) (.*)$/s.exec(detail) ?? []
  return day === undefined ? `your decision: ${detail}` : `your decision: ${words} (${day})`
}

const HOW: Readonly<Record<Exclude<HostKey['trust']['how'], 'decision'>, string>> = {
  'known-hosts': 'known_hosts',
  fingerprint: 'fleet file',
  'host-ca': 'host certificate',
  list: 'compared with a list',
  demo: 'demo',
}

/** The fingerprints on record, or the whole sentence where it contains none. */
function onRecord(detail: string, shown: string): string {
  const others = (detail.match(/SHA256:[A-Za-z0-9+/]{43}/g) ?? []).filter((one) => one !== shown)
  return others.length === 0 ? detail : [...new Set(others)].join(', ')
}
