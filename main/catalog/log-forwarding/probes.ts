import { defineProbe, known, run, runAsRoot, unknown } from '../../core/probe.ts'
import { foundLines, grepIsComplete, isAbsent, lines, readUnits, showUnits } from '../read-text.ts'

/** One place that logs are sent to, by the settings of a service. */
export interface LogTarget {
  /** As written in the settings, for display. */
  readonly text: string
  readonly encrypted: boolean
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
}

// An at sign is at the start of an action. Inside a word it belongs to an address, and before it there may be a password.
const FORWARDING =
  '^[[:space:]]*(@|[^#[:space:]].*([[:space:]]@|omfwd|omrelp|[Ss]tream[Dd]river|[Dd]efault[Nn]etstream|[Tt]arget=|[Pp]rotocol=|tls[.=]))'

/**
 * rsyslog.conf(5): `@host` is UDP and `@@host` TCP, both in clear text unless $ActionSendStreamDriverMode 1 is before a TCP one;
 * action(type="omfwd" …) and omrelp carry their own settings, over several lines.
 */
export const rsyslogForwarding = defineProbe({
  id: 'rsyslog.forwarding',
  title: 'System log forwarding (rsyslog)',
  why: 'Shows whether log messages leave the server for another host, and whether that transport is encrypted and authenticated.',
  commands: { lines: run(['grep', '-r', '-H', '-E', FORWARDING, '/etc/rsyslog.conf', '/etc/rsyslog.d']) },
  parse(answers) {
    if (!grepIsComplete(answers.lines)) return unknown('not every configuration file of rsyslog could be read')
    const found = foundLines(answers.lines.text)
      .filter(({ path }) => IS_READ.test(path))
      .map(({ line }) => line.replace(/(^|\s)#.*$/, '').trim())
      .filter((line) => line !== '')
    if (found.some((line) => line.length > MOST_CHARACTERS))
      return unknown('a line of rsyslog’s settings is too long to be read')
    const all = statements(found)
    const modes = oldModes(all)
    const each = all.flatMap((statement, index) => targetIn(statement, modes[index] ?? NO_MODE) ?? [])
    return known<LogForwarding>({
      targets: each.map(({ text }) => text),
      overTls: each.length > 0 && each.every(({ encrypted }) => encrypted),
      authenticated: each.length > 0 && each.every(({ authenticated }) => authenticated === true),
      ports: each.flatMap(({ port }) => port ?? []),
      each,
    })
  },
})

/** rsyslog.conf of every distribution includes *.conf of rsyslog.d: copies that editors and packages leave there are not read. */
const IS_READ = /^\/etc\/(rsyslog\.conf|rsyslog\.d\/[^/.][^/]*\.conf)$/

/** Longest line and longest statement that are read; those of real settings are far shorter. */
const MOST_CHARACTERS = 8192

/** Joins the lines of one action(…); a line outside any action is a statement of its own. */
function statements(found: readonly string[]): readonly string[] {
  let isOpen = false
  return found.reduce<string[]>((all, line) => {
    const begins = /\baction\s{0,8}\(/i.test(line)
    const last = all.at(-1) ?? ''
    if (isOpen && !begins && last.length < MOST_CHARACTERS) all[all.length - 1] = `${last} ${line}`
    else all.push(line)
    isOpen = (begins || isOpen) && !line.endsWith(')')
    return all
  }, [])
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

function targetIn(statement: string, mode: OldMode): LogTarget | null {
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
    encrypted: signs === '@@' && mode.isTls,
    authenticated: mode.isChecked,
    port: port === undefined ? null : Number(port),
  }
}

interface SyslogNgForwarding {
  readonly each: readonly LogTarget[]
}

// A word after a “#” on the same line is no setting; hence the line numbers. Only these words are printed, so that no
// password of a database or of a web receiver can be included.
const WORDS =
  '(network|syslog|tcp6?|udp6?)\\([[:space:]]*"[A-Za-z0-9.:_-]+"|transport\\([[:space:]]*"?[a-z0-9-]+|port\\([[:space:]]*"?[0-9]+|peer-verify\\([[:space:]]*"?[a-z-]+|^[[:space:]]*(source|destination|log)[[:space:]]|(^|[[:space:]])#'

/**
 * syslog-ng.conf(5): a destination with a host in quotation marks sends away; sources name none there. transport("tls") requires TLS, and
 * without peer-verify() the receiver's certificate must be valid (required-trusted is the default).
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
    const blocks = settings(found.text).reduce<string[]>((all, word) => {
      if (all.length === 0 || /^(source|destination|log)\b/.test(word) || HOST.test(word)) all.push(word)
      else all[all.length - 1] = `${all.at(-1) ?? ''} ${word}`
      return all
    }, [])
    return known<SyslogNgForwarding>({ each: blocks.flatMap((block) => syslogNgTarget(block) ?? []) })
  },
})

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

const HOST = /^(network|syslog|tcp6?|udp6?)\(\s*"/

function syslogNgTarget(block: string): LogTarget | null {
  if (!HOST.test(block)) return null
  const host = /"([^"]{1,255})"/.exec(block)?.[1] ?? ''
  const port = /\bport\(\s*"?(\d{1,5})/.exec(block)?.[1]
  const encrypted = /\btransport\(\s*"?tls/.test(block)
  return {
    text: port === undefined ? host : `${host}:${port}`,
    encrypted,
    authenticated: encrypted && !/\bpeer-verify\(\s*"?(optional|no\b|required-untrusted)/.test(block),
    port: port === undefined ? null : Number(port),
  }
}

interface JournalUpload {
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
    if (url === undefined) return known<JournalUpload>({ each: [] })
    // Without a scheme it is https; the default port is that of systemd-journal-remote.
    const encrypted = !url.startsWith('http://')
    const port = /:(\d{1,5})\/?$/.exec(url)?.[1] ?? '19532'
    return known<JournalUpload>({
      each: [{ text: url, encrypted, authenticated: encrypted && !unchecked, port: Number(port) }],
    })
  },
})

interface AuditRemote {
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
