import { defineProbe, known, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import {
  type FoundLine,
  foundLines,
  grepIsComplete,
  isAbsent,
  lines,
  readUnits,
  showUnits,
} from '../../base/read-text.ts'

/** One place that logs are sent to, by the settings of a service. */
export interface LogTarget {
  /** As written in the settings, for display. */
  readonly text: string
  readonly encrypted: boolean
  /** Present where TLS is set by a name that older releases of the service pass over. */
  readonly byNewerName?: true
  /** Whether the receiver’s certificate (or ticket) is checked; null where the settings do not state. */
  readonly authenticated: boolean | null
  /** Null where it is not named next to the target. */
  readonly port: number | null
}

interface LogForwarding {
  /** Lines that send messages to another host, as found. */
  readonly targets: readonly string[]
  readonly overTls: boolean
  /** The receiver's certificate is checked by name or fingerprint (StreamDriverAuthMode other than anon). */
  readonly authenticated: boolean
  /** TCP ports of the targets, where named in the same line. */
  readonly ports: readonly number[]
  /** The same, individually. */
  readonly each: readonly LogTarget[]
  /** Outputs of other kinds, such as omkafka, whose targets are not read; absent where there are none. */
  readonly others?: readonly string[]
}

// An at sign is at the start of an action. Inside a word it belongs to an address, and before it there may be a password. Of an action of
// another kind nothing is printed after that kind, since what follows can be a password.
const FORWARDING =
  '^[[:space:]]*((@|([^#[:space:]].*)?([[:space:]]@|omfwd|omrelp|[Ss]tream[Dd]river|[Dd]efault[Nn]etstream|[Tt]arget[[:space:]]*=|[Pp]rotocol[[:space:]]*=[[:space:]]*"?[TtUu]|tls[.=])).*|\\)|[Pp]ort[[:space:]]*=[[:space:]]*"?[0-9]+"?[[:space:]]*\\)?|(([^#[:space:]()][^()]*)?[Aa]ction[[:space:]]*\\([[:space:]]*)?type[[:space:]]*=[[:space:]]*"?om[a-z0-9]+|([^#[:space:]()][^()]*)?[Aa]ction[[:space:]]*\\()'

/**
 * rsyslog.conf(5): `@host` is UDP and `@@host` TCP, both in clear text unless $ActionSendStreamDriverMode 1 is before a TCP one;
 * action(type="omfwd" …) and omrelp carry their own settings, over several lines.
 */
export const rsyslogForwarding = defineProbe({
  id: 'rsyslog.forwarding',
  title: 'System log forwarding (rsyslog)',
  why: 'Shows whether log messages leave the server for another host, and whether that transport is encrypted and authenticated.',
  commands: { lines: run(['grep', '-r', '-Ho', '-E', FORWARDING, '/etc/rsyslog.conf', '/etc/rsyslog.d']) },
  parse(answers) {
    if (!grepIsComplete(answers.lines)) return unknown('not every configuration file of rsyslog could be read')
    const found = foundLines(answers.lines.text)
      .filter(({ path }) => IS_READ.test(path))
      .map(({ path, line }) => ({ path, line: line.replace(/(^|\s)#.*$/, '').trim() }))
      .filter(({ line }) => line !== '')
    if (found.some(({ line }) => line.length > MOST_CHARACTERS))
      return unknown('a line of rsyslog’s settings is too long to be read')
    const all = statements(found)
    const modes = oldModes(all)
    const each = all.flatMap((statement, index) => targetIn(statement, modes[index] ?? NO_MODE) ?? [])
    const others = [...new Set(all.flatMap((statement) => otherOutput(statement) ?? []))]
    return known<LogForwarding>({
      targets: each.map(({ text }) => text),
      overTls: each.length > 0 && each.every(({ encrypted }) => encrypted),
      authenticated: each.length > 0 && each.every(({ authenticated }) => authenticated === true),
      ports: each.flatMap(({ port }) => port ?? []),
      each,
      ...(others.length === 0 ? {} : { others }),
    })
  },
})

/** rsyslog.conf of every distribution includes *.conf of rsyslog.d: copies that editors and packages leave there are not read. */
const IS_READ = /^\/etc\/(rsyslog\.conf|rsyslog\.d\/[^/.][^/]*\.conf)$/

/** Longest line and longest statement that are read; those of real settings are far shorter. */
const MOST_CHARACTERS = 8192

/** Begins a statement of its own: an object, a directive of the old style, or an action of the old style. */
const BEGINS =
  /^\$|\b(action|module|input|global|template|ruleset|include)\s{0,8}\(|^(?![\w.]+\s{0,4}=\s{0,4}["[])(\S.*\s)?@@?[\w[(]/i

/** A line that grep ended after the kind of output. */
const IS_CUT = /(?<![\w.])type\s{0,4}=\s{0,4}"?om[a-z0-9]+$/i

/** Joins the lines of one action(…); a line outside any action is a statement of its own. */
function statements(found: readonly FoundLine[]): readonly string[] {
  let [open, file] = [0, '']
  return found.reduce<string[]>((all, { path, line }) => {
    const begins = path !== file || BEGINS.test(line)
    const last = all.at(-1) ?? ''
    // What follows the kind of another output on lines of its own belongs to it.
    const isMore = !begins && (open > 0 || otherOutput(last) !== null)
    if (isMore && last.length < MOST_CHARACTERS) all[all.length - 1] = `${last} ${line}`
    else all.push(line)
    const from = begins ? line.search(/\baction\s{0,8}\(/i) : 0
    const depth = from < 0 || IS_CUT.test(line) ? 0 : Math.max((begins ? 0 : open) + nesting(line.slice(from)), 0)
    // An attribute outside of an action opens none.
    open = begins || open > 0 ? depth : 0
    file = path
    return all
  }, [])
}

/** How many parentheses of a line are left open, without those in strings. */
const nesting = (text: string): number => {
  const bare = text.replace(/"[^"]*"/g, '')
  return bare.split('(').length - bare.split(')').length
}

/** Outputs that keep messages on the node or show them there, and those whose targets are read below. */
const OWN_OUTPUTS = /^om(discard|file|fwd|journal|mail|relp|ruleset|stdout|testing|usrmsg)$/

/** The kind of an action that can send messages away by settings that are not read; null for others. */
function otherOutput(statement: string): string | null {
  const kind = /(?<![\w.])type\s{0,4}=\s{0,4}"?(om[a-z0-9]{1,40})/i.exec(statement)?.[1]?.toLowerCase()
  return kind === undefined || OWN_OUTPUTS.test(kind) ? null : kind
}

interface OldMode {
  readonly isTls: boolean
  readonly isChecked: boolean
}

const NO_MODE: OldMode = { isTls: false, isChecked: false }

const WORD = /^\$ActionSendStreamDriver(Mode|AuthMode)\s{1,8}(\S{1,64})/i

/**
 * The settings of the old style that precede each statement (rsyslog.conf(5)): the last one of each kind applies to
 * what follows.
 */
function oldModes(all: readonly string[]): readonly OldMode[] {
  let [isTls, isChecked] = [false, false]
  return all.map((statement) => {
    const [, kind = '', value = ''] = WORD.exec(statement) ?? []
    if (kind.toLowerCase() === 'mode') isTls = value === '1'
    if (kind.toLowerCase() === 'authmode') isChecked = /^x509\/(name|fingerprint|certvalid)$/i.test(value)
    return { isTls, isChecked }
  })
}

// The action of an old-style line: after the selector, or after "&" for the messages of the line before.
const OLD_STYLE =
  /(?:^|\s)&?\s{0,4}(@@?)(?:\([a-z0-9,]{1,20}\))?(\[[0-9A-Fa-f:.]{2,45}\]|[^\s;:@"]{1,255})(?::(\d{1,5}))?(?=$|[\s;])/

/** The value of an attribute of an action; blanks around “=” have no meaning. */
const attribute = (statement: string, name: string): string | undefined =>
  new RegExp(`(?<![\\w.])${name}\\s{0,4}=\\s{0,4}\\[?\\s{0,4}"?([^\\s"\\]]{1,255})`, 'i').exec(statement)?.[1]

function targetIn(statement: string, mode: OldMode): LogTarget | null {
  const kind = attribute(statement, 'type')?.toLowerCase()
  if (otherOutput(statement) !== null) return null
  if (kind === 'omfwd' || kind === 'omrelp' || attribute(statement, 'target') !== undefined) {
    const port = /^\d{1,5}/.exec(attribute(statement, 'port') ?? '')?.[0]
    const host = attribute(statement, 'target') ?? statement.slice(0, 255)
    const byNewerName =
      attribute(statement, 'StreamDriverMode') === undefined && attribute(statement, 'StreamDriver\\.Mode') === '1'
    return {
      text: port === undefined ? host : `${host}:${port}`,
      encrypted:
        byNewerName ||
        attribute(statement, 'StreamDriverMode') === '1' ||
        attribute(statement, 'tls')?.toLowerCase() === 'on',
      ...(byNewerName ? { byNewerName } : {}),
      authenticated:
        ['StreamDriverAuthMode', 'StreamDriver\\.AuthMode'].some((name) =>
          /^x509\/(name|fingerprint|certvalid)/i.test(attribute(statement, name) ?? ''),
        ) || /^(name|fingerprint|certvalid)/i.test(attribute(statement, 'tls\\.authmode') ?? ''),
      port: port === undefined ? null : Number(port),
    }
  }
  // omrelp in the old style, which has no TLS.
  const [, relp, relpPort] = /:omrelp:(\[[0-9A-Fa-f:.]{2,45}\]|[^\s;:"]{1,255})(?::(\d{1,5}))?/.exec(statement) ?? []
  if (relp !== undefined)
    return {
      text: relpPort === undefined ? relp : `${relp}:${relpPort}`,
      encrypted: false,
      authenticated: false,
      port: relpPort === undefined ? null : Number(relpPort),
    }
  const [, signs, host = '', port] = OLD_STYLE.exec(statement) ?? []
  if (signs === undefined) return null
  return {
    text: `${signs}${host}${port === undefined ? '' : `:${port}`}`,
    encrypted: signs === '@@' && mode.isTls,
    authenticated: mode.isChecked,
    port: port === undefined ? null : Number(port),
  }
}

interface SyslogNgForwarding {
  readonly each: readonly LogTarget[]
  /** Destinations of other kinds, such as elasticsearch-http, and those whose host is not in the same line; absent where there are none. */
  readonly others?: readonly string[]
}

// A word after a “#” on the same line is no setting; hence the line numbers. Only these words are printed, so that no
// password of a database or of a web receiver can be included.
const WORDS =
  '(network|syslog|tcp6?|udp6?)\\([[:space:]]*(["\x27][A-Za-z0-9.:_-]+["\x27])?|(^|[[:space:];{])([a-z0-9]+-)*(http|kafka|kafka-c|loki|opentelemetry|otlp|splunk-hec-event|splunk-hec-raw|logscale|graylog2|google-pubsub|bigquery|clickhouse|s3|mongodb|redis|sql|amqp|stomp|mqtt|riemann)\\(|transport\\([[:space:]]*["\x27]?[A-Za-z0-9-]+|port\\([[:space:]]*"?[0-9]+|(^|[[:space:])])tls\\(|peer[-_]verify\\([[:space:]]*["\x27]?[A-Za-z_-]+|^[[:space:]]*(source|destination|log|filter|parser|rewrite|template|options|block)[[:space:]]|(^|[[:space:]])#'

/**
 * syslog-ng.conf(5): a destination with a host in quotation marks sends away; sources name none there. transport("tls") requires TLS, as does tls()
 * in tcp() and tcp6() (transport-mapper-inet.c), and without peer-verify() the receiver's certificate must be valid (required-trusted).
 */
export const syslogNgForwarding = defineProbe({
  id: 'syslog-ng.forwarding',
  title: 'System log forwarding (syslog-ng)',
  why: 'Shows whether log messages leave the server for another host, and whether that transport is encrypted and authenticated.',
  commands: {
    lines: run([
      'grep',
      '-r',
      '-H',
      '-n',
      '-o',
      '-E',
      '--include=*.conf',
      WORDS,
      '/etc/syslog-ng/syslog-ng.conf',
      '/etc/syslog-ng/conf.d',
    ]),
  },
  parse({ lines: found }) {
    if (isAbsent(found) && found.text === '') return known<SyslogNgForwarding>({ each: [] })
    if (found.exitCode > 1 && found.text === '') return unknown('the settings of syslog-ng could not be read')
    if (/Permission denied/.test(found.errorText))
      return unknown('not every configuration file of syslog-ng could be read')
    const blocks = settings(found.text).reduce<SyslogNgBlock[]>((all, word) => {
      const kind = /^(source|destination|log|filter|parser|rewrite|template|options|block)$/.exec(word)?.[1]
      if (kind !== undefined) all.push({ kind, text: word })
      else if (all.length === 0 || DRIVER.test(word))
        all.push({ kind: all.at(-1)?.kind ?? '', text: word.replace(/^[;{]\s*/, '') })
      else all[all.length - 1] = { kind: all.at(-1)?.kind ?? '', text: `${all.at(-1)?.text ?? ''} ${word}` }
      return all
    }, [])
    const others = [...new Set(blocks.flatMap((block) => otherDestination(block) ?? []))]
    return known<SyslogNgForwarding>({
      each: blocks.flatMap(({ text }) => syslogNgTarget(text) ?? []),
      ...(others.length === 0 ? {} : { others }),
    })
  },
})

/** One driver with its options, or the head of a block; `kind` is that of the block that it is in. */
interface SyslogNgBlock {
  readonly kind: string
  readonly text: string
}

/** Words of settings in their order, without those that are behind a “#” on their line. */
function settings(text: string): readonly string[] {
  let comment = ''
  return foundLines(text).flatMap(({ path, line }) => {
    const colon = line.indexOf(':')
    const place = `${path}:${line.slice(0, colon)}`
    const word = line.slice(colon + 1).trim()
    if (word === '#') comment = place
    return place === comment ? [] : [word]
  })
}

const UNCHECKED = /\bpeer[-_]verify\(\s*["']?(optional|no\b|none|required[-_]untrusted)/i
const HOST = /^(network|syslog|tcp6?|udp6?)\(\s*["']/
const DRIVER = /^[;{]?\s*(?!(?:transport|port|tls|peer[-_]verify)\()[a-z0-9-]+\(/

/** A driver of a destination whose target is not read; null for others. The same names in a source take messages in. */
function otherDestination({ kind, text }: SyslogNgBlock): string | null {
  const [, driver = ''] = /^([a-z0-9-]{1,40})\(/.exec(text) ?? []
  return /^(destination|log)$/.test(kind) && driver !== '' && !HOST.test(text) ? driver : null
}

function syslogNgTarget(block: string): LogTarget | null {
  if (!HOST.test(block)) return null
  const host = /["']([^"']{1,255})["']/.exec(block)?.[1] ?? ''
  const port = /\bport\(\s*"?(\d{1,5})/.exec(block)?.[1]
  const encrypted = /\btransport\(\s*["']?tls/i.test(block) || (/^tcp/.test(block) && /\btls\(/.test(block))
  return {
    text: port === undefined ? host : `${host}:${port}`,
    encrypted,
    authenticated: encrypted && !UNCHECKED.test(block),
    port: port === undefined ? null : Number(port),
  }
}

interface Targets {
  readonly each: readonly LogTarget[]
}

/** journal-upload.conf(5): URL= is the receiver. An address with a password in it does not match and is not printed. */
export const journalUpload = defineProbe({
  id: 'journal.upload',
  title: 'System journal forwarding',
  why: 'Shows whether the journal leaves the server for another host, and whether that transport is encrypted.',
  commands: {
    lines: run([
      'grep',
      '-r',
      '-s',
      '-h',
      '-o',
      '-E',
      '^(URL=(https?://)?[A-Za-z0-9._-]+(:[0-9]+)?/?$|TrustedCertificateFile=(all|-)?)',
      '/etc/systemd/journal-upload.conf',
      '/etc/systemd/journal-upload.conf.d',
    ]),
  },
  parse(answers) {
    const { exitCode } = answers.lines
    if (!grepIsComplete(answers.lines) && !(exitCode === 2 && answers.lines.errorText === ''))
      return unknown('the settings of the journal’s upload could not be read')
    const found = lines(answers.lines.text)
    const unchecked = found.some((line) => /^TrustedCertificateFile=(all|-)/.test(line))
    const url = found
      .filter((line) => line.startsWith('URL='))
      .at(-1)
      ?.slice(4)
    if (url === undefined) return known<Targets>({ each: [] })
    // Without a scheme it is https; the default port is that of systemd-journal-remote.
    const encrypted = !url.startsWith('http://')
    const port = /:(\d{1,5})\/?$/.exec(url)?.[1] ?? '19532'
    return known<Targets>({
      each: [{ text: url, encrypted, authenticated: encrypted && !unchecked, port: Number(port) }],
    })
  },
})

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
    if (values.get('plugin.active') !== 'yes' || server === '') return known<Targets>({ each: [] })
    const encrypted = values.get('remote.transport') === 'krb5' || values.get('remote.enable_krb5') === 'yes'
    const port = /^\d{1,5}$/.exec(values.get('remote.port') ?? '')?.[0]
    return known<Targets>({
      each: [{ text: server, encrypted, authenticated: encrypted, port: port === undefined ? null : Number(port) }],
    })
  },
})

const UNITS = [
  'fluentd',
  'SplunkForwarder',
  'Splunkd',
  'promtail',
  'alloy',
  'grafana-agent',
  'otelcol',
  'otelcol-contrib',
  'google-cloud-ops-agent',
  'stackdriver-agent',
  'amazon-cloudwatch-agent',
  'azuremonitoragent',
  'datadog-agent',
  'elastic-agent',
  'nxlog',
  'phc2sys',
] as const

interface LogAgents {
  /** Units that run now. */
  readonly active: readonly string[]
}

/** systemctl(1) show, as in services.state, of further programs that ship logs, and of the one that sets the clock by PTP. */
export const servicesLogAgents = defineProbe({
  id: 'services.log-agents',
  title: 'State of further log agents',
  why: 'Shows which programs that can send logs to another host are running.',
  commands: {
    units: showUnits('Id,ActiveState', UNITS),
  },
  parse({ units }) {
    const states = readUnits(units, UNITS)
    if (!states.ok) return states
    return known<LogAgents>({ active: UNITS.filter((unit) => states.fact.get(unit)?.get('ActiveState') === 'active') })
  },
})
