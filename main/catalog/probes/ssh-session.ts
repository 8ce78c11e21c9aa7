import { defineProbe, known, unknown } from '../../core/probe.ts'
import { asRecord, asText, readJson } from '../read-text.ts'

export interface SshSession {
  readonly keyType: string
  readonly fingerprint: string
  /** How the host key came to be trusted: known-hosts, fingerprint, host-ca, decision, demo. */
  readonly trust: string
  readonly trustDetail: string
  readonly serverVersion: string
  readonly keyExchange: string
  readonly authMethod: string
  readonly transport: string
}

/** What the collector saw of the SSH session itself (RFC 4253, RFC 4252). */
export const sshSession = defineProbe({
  id: 'ssh.session',
  title: 'The SSH session of this collection',
  why: 'Records which host key was verified before login and how we logged in. Observed by the collector; nothing is asked.',
  volatile: {
    why: 'How the key came to be trusted is told in the collector’s own words, with places in its own files.',
    steady: ({ trustDetail: _, ...session }: SshSession) => session,
  },
  commands: { session: { kind: 'measure', measure: 'ssh-session' } },
  parse({ session }) {
    const json = readJson(session.text, 'the collector')
    if (!json.ok) return json
    const record = asRecord(json.fact)
    const key = asRecord(record.hostKey)
    const trust = asRecord(key.trust)
    const fingerprint = asText(key.fingerprint)
    const how = asText(trust.how)
    if (fingerprint === null || !/^SHA256:[A-Za-z0-9+/]{43}$/.test(fingerprint) || how === null)
      return unknown('the collector recorded no verified host key')
    return known<SshSession>({
      keyType: asText(key.type) ?? '',
      fingerprint,
      trust: how,
      trustDetail: asText(trust.detail) ?? '',
      serverVersion: asText(record.serverVersion) ?? '',
      keyExchange: asText(asRecord(record.algorithms).kex) ?? '',
      authMethod: asText(record.authMethod) ?? '',
      transport: asText(record.transport) ?? '',
    })
  },
})
