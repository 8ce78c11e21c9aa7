import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import type { LogTarget } from '../forwarding.ts'
import { foundLines, grepIsComplete } from '../read-text.ts'

export interface LogForwarding {
  /** Lines that send messages to another host, as found. */
  readonly targets: readonly string[]
  readonly overTls: boolean
  /** The receiver's certificate is checked by name or fingerprint (StreamDriverAuthMode other than anon). */
  readonly authenticated: boolean
  /** TCP ports of the targets, where named in the same line. */
  readonly ports: readonly number[]
  /** The same, one by one. */
  readonly each: readonly LogTarget[]
}

const FORWARDING =
  '^[[:space:]]*[^#[:space:]].*(@|omfwd|omrelp|[Ss]tream[Dd]river|[Dd]efault[Nn]etstream|[Tt]arget=|[Pp]rotocol=|tls[.=])'

/**
 * rsyslog.conf(5): `@host` is UDP and `@@host` TCP, both in clear text unless $ActionSendStreamDriverMode 1 stands before a TCP one;
 * action(type="omfwd" …) and omrelp carry their own settings, over several lines.
 */
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
    const each = statements(found).flatMap((statement) => targetIn(statement, found.join('\n')) ?? [])
    return known<LogForwarding>({
      targets: each.map(({ text }) => text),
      overTls: each.length > 0 && each.every(({ encrypted }) => encrypted),
      authenticated: each.length > 0 && each.every(({ authenticated }) => authenticated === true),
      ports: each.flatMap(({ port }) => port ?? []),
      each,
    })
  },
})

/** Lines of one action(…) together; a line that belongs to none stands alone. */
function statements(found: readonly string[]): readonly string[] {
  return found.reduce<string[]>((all, line) => {
    const last = all.at(-1)
    const continues =
      last !== undefined && /\baction\s*\(/i.test(last) && !/\)\s*$/.test(last) && !/\baction\s*\(/i.test(line)
    if (continues) all[all.length - 1] = `${last} ${line}`
    else all.push(line)
    return all
  }, [])
}

// The action of an old-style line: after the selector, or after "&" for the messages of the line before.
const OLD_STYLE =
  /(?:^|\s)&?\s*(@@?)(?:\([a-z0-9,]{1,20}\))?(\[[0-9A-Fa-f:.]{2,45}\]|[^\s;:@"]{1,255})(?::(\d{1,5}))?(?=$|[\s;])/

function targetIn(statement: string, all: string): LogTarget | null {
  if (/type="?(omfwd|omrelp)"?/i.test(statement) || /\btarget=/i.test(statement)) {
    const port = /\bport="?(\d{1,5})/i.exec(statement)?.[1]
    const host = /\btarget="?([^\s"]{1,255})/i.exec(statement)?.[1] ?? statement.slice(0, 255)
    return {
      text: port === undefined ? host : `${host}:${port}`,
      encrypted: /StreamDriverMode="?1"?/i.test(statement) || /\btls="?on"?/i.test(statement),
      authenticated:
        /StreamDriverAuthMode="?x509\/(name|fingerprint|certvalid)/i.test(statement) ||
        /tls\.authmode="?(name|fingerprint|certvalid)/i.test(statement),
      port: port === undefined ? null : Number(port),
    }
  }
  const [, signs, host = '', port] = OLD_STYLE.exec(statement) ?? []
  if (signs === undefined) return null
  return {
    text: `${signs}${host}${port === undefined ? '' : `:${port}`}`,
    encrypted: signs === '@@' && /\$ActionSendStreamDriverMode\s+1\b/i.test(all),
    authenticated: /\$ActionSendStreamDriverAuthMode\s+x509\/(name|fingerprint|certvalid)/i.test(all),
    port: port === undefined ? null : Number(port),
  }
}
