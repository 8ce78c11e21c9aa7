import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { oneLineFiles } from '../read-text.ts'

export interface TimeZone {
  /** Zone name such as America/New_York; null when the server keeps no zone, which means UTC (localtime(5)). */
  readonly zone: string | null
  readonly locale: string | null
}

/** localtime(5), locale.conf(5). */
export const timezone = defineProbe({
  id: 'timezone',
  title: 'Time zone and locale',
  why: 'A hint about the location expected when the server was set up. It decides nothing.',
  commands: {
    link: run(['readlink', '/etc/localtime']),
    files: run(['grep', '-sH', '', '/etc/timezone', '/etc/locale.conf', '/etc/default/locale']),
  },
  parse({ link, files }) {
    if (link.exitCode > 1) return unknown('the time zone could not be read')
    const values = oneLineFiles(files.text)
    const linked = /zoneinfo\/([A-Za-z0-9_+/-]{1,64})$/.exec(link.text.trim())?.[1]
    const named = /^[A-Za-z0-9_+/-]{1,64}$/.exec(values.get('/etc/timezone') ?? '')?.[0]
    const locale = /LANG="?([A-Za-z0-9_.@-]{1,40})/.exec(
      values.get('/etc/locale.conf') ?? values.get('/etc/default/locale') ?? '',
    )?.[1]
    return known<TimeZone>({ zone: linked ?? named ?? null, locale: locale ?? null })
  },
})
