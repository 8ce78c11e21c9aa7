import { defineProbe, known, unknown } from '../../core/probe.ts'
import { asRecord, asText, readJson } from '../read-text.ts'

export interface SshSession {
  readonly keyType: string
  readonly fingerprint: string
  /** How the host key came to be trusted: known-hosts, fingerprint, host-ca, list, decision, demo. */
  readonly trust: string
  readonly trustDetail: string
  /** The list that it was compared with, by its digest, and the line that holds it; null where it was not. */
  readonly list: { readonly sha256: string; readonly line: number } | null
  readonly serverVersion: string
  readonly keyExchange: string
  readonly authMethod: string
  readonly transport: string
}

/** What the collector saw of the SSH session itself (RFC 4253, RFC 4252). */
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
