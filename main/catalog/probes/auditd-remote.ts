import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import type { LogTarget } from '../forwarding.ts'
import { foundLines, grepIsComplete } from '../read-text.ts'

export interface AuditRemote {
  readonly each: readonly LogTarget[]
}

/** audisp-remote.conf(5): transport tcp is clear text, krb5 is encrypted and authenticated. The plugin works where active = yes. */
export const auditdRemote = defineProbe({
  id: 'auditd.remote',
  title: 'Audit record forwarding',
  why: 'Shows whether audit records leave the server for another host, and whether that transport is encrypted.',
  commands: {
    lines: runAsRoot([
      'grep',
      '-s',
      '-H',
      '-i',
      '-E',
      '^[[:space:]]{0,}(active|remote_server|port|transport|enable_krb5)[[:space:]]{0,}=',
      '/etc/audit/plugins.d/au-remote.conf',
      '/etc/audit/audisp-remote.conf',
      '/etc/audisp/plugins.d/au-remote.conf',
      '/etc/audisp/audisp-remote.conf',
    ]),
  },
  parse(answers) {
    const { exitCode } = answers.lines
    if (!grepIsComplete(answers.lines) && !(exitCode === 2 && answers.lines.errorText === ''))
      return unknown('the settings of the audit service’s remote logging could not be read')
    const values = new Map<string, string>()
    for (const { path, line } of foundLines(answers.lines.text)) {
      const [name = '', value = ''] = line.split('=').map((part) => part.trim().toLowerCase())
      values.set(`${/au-remote\.conf$/.test(path) ? 'plugin' : 'remote'}.${name}`, value)
    }
    const server = values.get('remote.remote_server') ?? ''
    if (values.get('plugin.active') !== 'yes' || server === '') return known<AuditRemote>({ each: [] })
    const encrypted = values.get('remote.transport') === 'krb5' || values.get('remote.enable_krb5') === 'yes'
    const port = /^\d{1,5}$/.exec(values.get('remote.port') ?? '')?.[0]
    return known<AuditRemote>({
      each: [{ text: server, encrypted, authenticated: encrypted, port: port === undefined ? null : Number(port) }],
    })
  },
})
