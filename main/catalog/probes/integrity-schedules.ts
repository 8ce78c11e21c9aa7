import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { foundLines, grepIsComplete } from '../read-text.ts'

export interface IntegritySchedules {
  /** Tools that a table or script of cron names: tool → the files that name it. */
  readonly tools: ReadonlyMap<string, readonly string[]>
}

// \K leaves out what is before the name, and -o what follows but one character that is of no word: no other word of a line comes along. A
// folder such as /var/lib/aide is no program. No asterisk and no question mark, which sudo-rs could not grant; where a line names several
// tools, the last of them counts.
const PATTERN =
  '^([^#]{0,}([\\s;&|(\\x22\\x27]|bin/)|)\\K(aide|dailyaidecheck|tripwire|samhain|clamscan|clamdscan|lynis|oscap)([^\\w/-]|$)'

// run-parts(8) and cron(8): neither reads what packages and editors put aside.
const NOT_READ = /(~|\.(bak|old|orig|save|disabled|swp|placeholder|dpkg-[a-z]{1,9}|rpm(save|new|orig)))$/

/** crontab(5) and run-parts(8): tables of the system and of users, and scripts that run daily or weekly. */
export const integritySchedules = defineProbe({
  id: 'integrity.schedules',
  title: 'Integrity and malware checks started by cron',
  why: 'Shows whether file checks and scans run on a schedule. Only the names of known tools are read from the tables.',
  commands: {
    cron: runAsRoot([
      'grep',
      '-rHoP',
      PATTERN,
      '/etc/crontab',
      '/etc/cron.d',
      '/etc/cron.daily',
      '/etc/cron.weekly',
      '/var/spool/cron',
    ]),
  },
  parse({ cron }) {
    if (!grepIsComplete(cron)) return unknown('the tables of cron could not be read')
    const tools = new Map<string, Set<string>>()
    for (const { path, line } of foundLines(cron.text)) {
      if (NOT_READ.test(path)) continue
      const [, name] = /^([a-z]{1,20})[^\w-]?$/.exec(line) ?? []
      const tool = name === 'dailyaidecheck' ? 'aide' : name
      if (tool !== undefined) tools.set(tool, (tools.get(tool) ?? new Set()).add(path))
    }
    return known<IntegritySchedules>({ tools: new Map([...tools].map(([tool, paths]) => [tool, [...paths]])) })
  },
})
