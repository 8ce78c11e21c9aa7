import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { grepIsComplete, lines } from '../read-text.ts'

export interface TimeSources {
  readonly sources: readonly {
    readonly kind: 'server' | 'pool' | 'peer' | 'refclock'
    /** `nts`: NTS, RFC 8915. `key`: a shared key. `none`: responses are not authenticated. */
    readonly authentication: 'nts' | 'key' | 'none'
  }[]
}

/** chrony.conf(5): server, pool, peer and refclock lines. The number after `key` names a key in another file, which is not read. */
export const timeSources = defineProbe({
  id: 'time.sources',
  title: 'Time sources configured in chrony',
  why: 'Shows whether the responses of time servers are authenticated.',
  commands: {
    lines: run([
      'grep',
      '-r',
      '-s',
      '-h',
      '-o',
      '-E',
      '--include=*.conf',
      '--include=*.sources',
      '^[[:space:]]*(server|pool|peer|refclock)[[:space:]].*',
      '/etc/chrony.conf',
      '/etc/chrony.d',
      '/etc/chrony/chrony.conf',
      '/etc/chrony/conf.d',
      '/etc/chrony/sources.d',
    ]),
  },
  parse(answers) {
    if (!grepIsComplete(answers.lines) && answers.lines.exitCode !== 2)
      return unknown('the settings of chrony could not be read')
    return known<TimeSources>({
      sources: lines(answers.lines.text).flatMap((line) => {
        const [, kind, rest = ''] = /^\s*(server|pool|peer|refclock)\s(.*)$/.exec(line) ?? []
        if (kind === undefined) return []
        const authentication = /\snts(\s|$)/.test(rest) ? 'nts' : /\skey\s+\d/.test(rest) ? 'key' : 'none'
        return [{ kind: kind as 'server' | 'pool' | 'peer' | 'refclock', authentication }]
      }),
    })
  },
})
