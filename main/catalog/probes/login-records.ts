import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'
import { readCtime, type Stamp } from '../stamps.ts'

export interface LoginRecords {
  readonly logins: readonly { readonly user: string; readonly from: string; readonly at: Stamp | null }[]
  /** Starts of the system, in the node's own zone. */
  readonly starts: readonly Stamp[]
  /** The oldest moment the file reaches back to, in the node's own words. */
  readonly since: string
}

const AT = /[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}/

/** last(1). The file rotates, so the first line states how far back it reaches; newer distributions have replaced the tool. */
export const loginRecords = defineProbe({
  id: 'login.records',
  title: 'Recent logins',
  why: 'Shows recent logins and their sources, as far as the server still records them.',
  ignoredInDrift: {
    why: 'Logins are recorded and old records are removed. Not detected: who logged in.',
    normalize: () => null,
  },
  commands: { logins: run(['last', '-w', '-F', '-n', '200']) },
  parse({ logins }) {
    const [, since] = /^\S+ begins (.+)$/m.exec(logins.text) ?? []
    if (logins.exitCode !== 0 || since === undefined) return unknown('there is no record of logins')
    const rows = lines(logins.text)
      .filter((line) => !/^\S+ begins /.test(line))
      .map((row) => ({ words: row.split(/\s+/), at: readCtime(AT.exec(row.slice(0, 1000))?.[0] ?? '') }))
    return known<LoginRecords>({
      since,
      logins: rows.flatMap(({ words: [user = '', terminal = '', from = ''], at }) =>
        SYSTEM_ROWS.has(user) || terminal === '' ? [] : [{ user, from, at }],
      ),
      starts: rows.flatMap(({ words: [user], at }) => (user === 'reboot' && at !== null ? [at] : [])),
    })
  },
})

const SYSTEM_ROWS: ReadonlySet<string> = new Set(['reboot', 'shutdown', 'runlevel'])
