import type { EchoBurst, PathTiming } from '../../../../schemas/types.ts'
import { sha256 } from '../../../core/base/digest.ts'
import { defineProbe, known, unknown } from '../../../core/recording/probe.ts'
import { asList, asRecord, asText, type JsonValue, readJson } from '../../base/read-text.ts'

export interface SshSession {
  readonly keyType: string
  readonly fingerprint: string
  /** How the host key came to be trusted: known-hosts, fingerprint, host-ca, list, decision, demo. */
  readonly trust: string
  readonly trustDetail: string
  /**
   * The list that the key was compared with, by digest, and the line that contains it; null where there was no
   * comparison.
   */
  readonly list: { readonly sha256: string; readonly line: number } | null
  readonly serverVersion: string
  readonly keyExchange: string
  readonly authMethod: string
  readonly transport: string
}

/** Observations of the collector about its own SSH session (RFC 4253, RFC 4252). */
export const sshSession = defineProbe({
  id: 'ssh.session',
  title: 'The SSH session of this collection',
  why: 'Records which host key was verified before login and the login method. Observed by the collector; no command runs on the node.',
  ignoredInDrift: {
    why: 'How the key became trusted is stated by the collector, with locations in its own files.',
    normalize: ({ trustDetail: _, list: __, ...session }: SshSession) => session,
  },
  commands: { session: { kind: 'measure', measure: 'ssh-session' } },
  parse({ session }) {
    const json = readJson(session.text, 'the collector')
    if (!json.ok) return json
    const record = asRecord(json.fact)
    const key = asRecord(record.hostKey)
    const trust = asRecord(key.trust)
    const fingerprint = asText(key.fingerprint)
    const list = asRecord(trust.list)
    const [digest, line] = [asText(list.sha256), list.line]
    const how = asText(trust.how)
    if (fingerprint === null || !/^SHA256:[A-Za-z0-9+/]{43}$/.test(fingerprint) || how === null)
      return unknown('the collector recorded no verified host key')
    return known<SshSession>({
      keyType: asText(key.type) ?? '',
      fingerprint,
      trust: how,
      trustDetail: asText(trust.detail) ?? '',
      list: digest === null || typeof line !== 'number' ? null : { sha256: digest, line },
      serverVersion: asText(record.serverVersion) ?? '',
      keyExchange: asText(asRecord(record.algorithms).kex) ?? '',
      authMethod: asText(record.authMethod) ?? '',
      transport: asText(record.transport) ?? '',
    })
  },
})

/** A list of host keys as a person pasted it. */
export interface HostKeyList {
  readonly sha256: string
  readonly text: string
}

/** The list that the host key was compared with before the login; kept only where it was compared with one. */
export const hostKeyList = defineProbe({
  id: 'ssh.host-key-list',
  title: 'Reference list for the host key',
  why: 'Keeps the list of public host keys with which a person compared the key of this node. Stored by the collector; no command runs on the node.',
  ignoredInDrift: {
    why: 'The list covers many nodes, and an entry for another node can change. The key itself is read with the session.',
    normalize: () => null,
  },
  commands: { list: { kind: 'measure', measure: 'host-key-list' } },
  parse: ({ list }) => known<HostKeyList>({ sha256: sha256(list.bytes), text: list.text }),
})

export interface NonceEcho {
  /** Round-trip times in ms, by the collector's monotonic clock; nonces and moment are null in records of before version 2. */
  readonly bursts: readonly (Pick<EchoBurst, 'samples' | 'wallDriftMs'> & {
    readonly at: string | null
    readonly nonces: string | null
  })[]
  readonly warmup: number
  readonly mismatches: number
  /** Times of the transport on the same path; null where they were not measured. */
  readonly path: PathTiming | null
}

/**
 * Random nonces through the authenticated session and back. Only the party that holds the session keys can answer, and not before the
 * nonce came.
 */
export const nonceEcho = defineProbe({
  id: 'location.nonce-echo',
  title: 'Round-trip time through the SSH session',
  why: 'The speed of light limits the distance of a responder with this round-trip time. Timed by the collector’s own clock.',
  ignoredInDrift: {
    why: 'A measurement; no two are equal.',
    normalize: () => null,
  },
  commands: { 'nonce-echo': { kind: 'measure', measure: 'nonce-echo' } },
  parse(answers) {
    const json = readJson(answers['nonce-echo'].text, 'the collector')
    if (!json.ok) return json
    const { bursts, samples, warmup, mismatches, path } = asRecord(json.fact)
    const read = bursts === undefined ? [readBurst({ samples: samples ?? null })] : asList(bursts).map(readBurst)
    if (!read.every((burst) => burst !== null) || !isCount(warmup) || !isCount(mismatches))
      return unknown('the collector’s timing record has an unexpected format')
    return known<NonceEcho>({ bursts: read, warmup, mismatches, path: readPath(path) })
  },
})

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 0
const isTime = (value: unknown): value is number => typeof value === 'number' && value > 0 && Number.isFinite(value)

function readBurst(value: JsonValue): NonceEcho['bursts'][number] | null {
  const { at, samples, nonces, wallDriftMs } = asRecord(value)
  const times = asList(samples)
  if (!Array.isArray(samples) || !times.every(isTime)) return null
  return {
    at: typeof at === 'string' ? at : null,
    nonces: typeof nonces === 'string' ? nonces : null,
    samples: times.filter(isTime),
    wallDriftMs: typeof wallDriftMs === 'number' ? wallDriftMs : 0,
  }
}

function readPath(value: JsonValue | undefined): PathTiming | null {
  const { tcpMs, keepaliveMs, jumps, remoteAddress } = asRecord(value)
  if (!isCount(jumps)) return null
  return {
    tcpMs: isTime(tcpMs) ? tcpMs : null,
    keepaliveMs: asList(keepaliveMs).filter(isTime),
    jumps,
    remoteAddress: typeof remoteAddress === 'string' ? remoteAddress.slice(0, 100) : null,
  }
}
