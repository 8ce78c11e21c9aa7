import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import type { LogTarget } from '../forwarding.ts'
import { foundLines, isAbsent } from '../read-text.ts'

export interface SyslogNgForwarding {
  readonly each: readonly LogTarget[]
}

// A word after a “#” on the same line is no setting; hence the numbers of lines. Only these words are printed, so that no password of a database or of a web receiver can be among them.
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
    return known<SyslogNgForwarding>({ each: blocks.flatMap((block) => targetIn(block) ?? []) })
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

function targetIn(block: string): LogTarget | null {
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
