import type { CallFailure } from '../../../schemas/ipc.ts'
import type { HostKeyRow } from '../../../schemas/ipc-views.ts'
import type { HostKey } from '../../../schemas/types.ts'
import type { Outcome } from '../../core/failure.ts'
import type { ScannedKey } from '../../core/world.ts'

/** What a node showed when it was asked last, and what is said of it; the key is null where it could not be asked. */
export interface ShownKey {
  readonly key: ScannedKey | null
  readonly row: HostKeyRow
}

/** A node that was not asked yet. */
export const notAsked = (node: string): HostKeyRow => ({
  node,
  state: 'not-asked',
  keyType: null,
  fingerprint: null,
  onRecord: null,
  confirmedBy: null,
  matched: null,
  failure: null,
})

export const unreachable = (node: string, failure: CallFailure): ShownKey => ({
  key: null,
  row: { ...notAsked(node), state: 'unreachable', failure },
})

const STATES: Readonly<Record<string, HostKeyRow['state']>> = {
  'ssh.host-key-changed': 'changed',
  'ssh.host-key-revoked': 'revoked',
  'ssh.host-key-unknown': 'unknown',
}

/** A key that was shown, with what is on record for it. */
export function shownKey(node: string, key: ScannedKey, judged: Outcome<HostKey>): ShownKey {
  const shown = { ...notAsked(node), keyType: key.type, fingerprint: key.fingerprint }
  if (judged.ok) return { key, row: { ...shown, state: 'confirmed', confirmedBy: confirmedBy(judged.value.trust) } }
  const { code, detail } = judged.error
  return {
    key,
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
  demo: 'demo',
}

/** The fingerprints that are on record, or the whole sentence where it names none. */
function onRecord(detail: string, shown: string): string {
  const others = (detail.match(/SHA256:[A-Za-z0-9+/]{43}/g) ?? []).filter((one) => one !== shown)
  return others.length === 0 ? detail : [...new Set(others)].join(', ')
}
