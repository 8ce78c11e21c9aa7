import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { foundLines, grepIsComplete } from '../read-text.ts'

export interface LogForwarding {
  /** Lines that send messages to another host, as found. */
  readonly targets: readonly string[]
  readonly overTls: boolean
  /** The receiver's certificate is checked by name or fingerprint (StreamDriverAuthMode other than anon). */
  readonly authenticated: boolean
  /** TCP ports of the targets, where named in the same line. */
  readonly ports: readonly number[]
}

const FORWARDING =
  '^[[:space:]]*[^#[:space:]].*(@|omfwd|omrelp|[Ss]tream[Dd]river|[Dd]efault[Nn]etstream|[Tt]arget=|[Pp]rotocol=|tls[.=])'

/** rsyslog.conf(5): `@host` is UDP and `@@host` TCP, both in clear text; omfwd and omrelp can use TLS. */
export const rsyslogForwarding = defineProbe({
  id: 'rsyslog.forwarding',
  title: 'Where system logs are sent',
  why: 'Shows whether log messages leave the server for another host, and whether that transport is encrypted and authenticated.',
  commands: { lines: run(['grep', '-r', '-H', '-E', FORWARDING, '/etc/rsyslog.conf', '/etc/rsyslog.d']) },
  parse(answers) {
    if (!grepIsComplete(answers.lines)) return unknown('not every configuration file of rsyslog could be read')
    const found = foundLines(answers.lines.text)
      .map(({ line }) => line.replace(/(^|\s)#.*$/, '').trim())
      .filter((line) => line !== '')
    const all = found.join('\n')
    const targets = found.filter((line) => /(?:^|\s|;)@@?[^@\s]|type="?(omfwd|omrelp)"?|target=/i.test(line))
    return known<LogForwarding>({
      targets,
      overTls: /StreamDriverMode\s*=?\s*"?1"?/i.test(all) || /\btls="?on"?/i.test(all),
      authenticated:
        /StreamDriverAuthMode\s*=?\s*"?x509\/(name|fingerprint|certvalid)/i.test(all) ||
        /tls\.authmode="?(name|fingerprint)/i.test(all),
      ports: [...all.matchAll(/(?:\bport="?|@@?[^\s:@]{1,255}:)(\d{1,5})/gi)].map(([, port]) => Number(port)),
    })
  },
})
