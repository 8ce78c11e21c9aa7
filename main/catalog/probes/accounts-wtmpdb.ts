import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { type LoginTrace, readMoment } from '../login-traces.ts'
import { lines } from '../read-text.ts'

const MOST = 2000

// A row: user, terminal (“system boot” is two words), perhaps a host, then ctime(3).
const ROW = /^(\S+)\s+\S.*?\s([A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})(?: |$)/

/** wtmpdb(8), the successor of last(1) on Debian 13 and SUSE 16. The last line states since when it is kept. */
export const accountsWtmpdb = defineProbe({
  id: 'accounts.wtmpdb',
  title: 'Sessions in the login database',
  why: 'Shows when each account was last used, where the distribution keeps sessions in a database.',
  ignoredInDrift: {
    why: 'Logins are recorded and old records are removed. Not detected: who logged in.',
    normalize: () => null,
  },
  commands: { sessions: run(['wtmpdb', 'last', '-w', '-F', '-n', `${MOST}`]) },
  parse({ sessions }) {
    if (sessions.exitCode !== 0) return unknown('the database of sessions could not be read')
    const rows = lines(sessions.text)
    const begins = rows.findLast((row) => / begins /.test(row.slice(0, 300)))
    const since = begins === undefined ? null : readMoment(begins.replace(/^.* begins /, ''))
    if (since === null) return unknown('the database of sessions holds none')
    const last = new Map<string, number>()
    const moments: number[] = []
    for (const row of rows) {
      if (row === begins || row.length > 1000) continue
      const [, user, time = ''] = ROW.exec(row) ?? []
      const moment = readMoment(time)
      if (user === undefined || moment === null)
        return unknown('a line of the database of sessions has an unexpected format')
      moments.push(moment)
      last.set(user, Math.max(moment, last.get(user) ?? moment))
    }
    // A list that was cut reaches back no further than its oldest row.
    const oldest = moments.reduce((earliest, moment) => Math.min(earliest, moment), Number.POSITIVE_INFINITY)
    return known<LoginTrace>({ last, since: moments.length < MOST ? since : oldest })
  },
})
