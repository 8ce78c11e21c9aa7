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

/** Longest line and longest statement that are read; those of real settings are far shorter. */
const MOST_CHARACTERS = 8192

/** Lines of one action(…) together; a line that belongs to none stands alone. */
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

/** What the old-style settings in front of each statement state (rsyslog.conf(5)): the last one of each kind holds for what follows it. */
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
