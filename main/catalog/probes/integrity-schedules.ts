import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { foundLines, grepIsComplete } from '../read-text.ts'

export interface IntegritySchedules {
  /** Tools that a table or script of cron names: tool → the files that name it. */
  readonly tools: ReadonlyMap<string, readonly string[]>
}

// \K leaves out what stands before the name, and -o what follows: no other word of a line comes along.
const PATTERN = '^[^#]*?\\K(?<![\\w.-])(aide|dailyaidecheck|tripwire|samhain|clamscan|clamdscan|lynis|oscap)(?![\\w-])'

/** crontab(5) and run-parts(8): tables of the system and of users, and scripts that run daily or weekly. */
export const integritySchedules = defineProbe({
  id: 'integrity.schedules',
  title: 'Integrity and malware checks that cron starts',
  why: 'Shows whether file checks and scans run by schedule. Only the names of known tools are read from the tables.',
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
      const tool = line.trim() === 'dailyaidecheck' ? 'aide' : line.trim()
      if (/^[a-z]{1,20}$/.test(tool)) tools.set(tool, (tools.get(tool) ?? new Set()).add(path))
    }
    return known<IntegritySchedules>({ tools: new Map([...tools].map(([tool, paths]) => [tool, [...paths]])) })
  },
})
