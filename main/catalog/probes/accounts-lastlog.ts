import { type Answer, defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { type LoginTrace, readMoment } from '../login-traces.ts'
import { lines } from '../read-text.ts'

/** lastlog(8): the last login of each account in /var/log/lastlog, which never rotates. */
export const accountsLastlog = defineProbe({
  id: 'accounts.lastlog',
  title: 'Last login of each account (lastlog)',
  why: 'Shows when each account last logged in. Newer distributions keep this in another place, which is read as well.',
  ignoredInDrift: {
    why: 'Logins are recorded and old records are removed. Not detected: who logged in.',
    normalize: () => null,
  },
  commands: { accounts: run(['lastlog']) },
  parse: ({ accounts }) => readLastlog(accounts),
})

/** lastlog2(8), the successor on Debian 13, SUSE 16 and Fedora: a small database that holds those who logged in, and no others. */
export const accountsLastlog2 = defineProbe({
  id: 'accounts.lastlog2',
  title: 'Last login of each account (lastlog2)',
  why: 'Shows when each account last logged in, where the distribution keeps it in a database.',
  ignoredInDrift: {
    why: 'Logins are recorded and old records are removed. Not detected: who logged in.',
    normalize: () => null,
  },
  commands: { accounts: run(['lastlog2']) },
  parse: ({ accounts }) => readLastlog(accounts),
})

const NEVER = '**Never logged in**'

function readLastlog({ exitCode, text }: Answer): Parsed<LoginTrace> {
  if (exitCode !== 0) return unknown('the record of last logins could not be read')
  const [heading = '', ...rows] = lines(text)
  if (!/^Username\s+Port\s+From\s+Latest\b/.test(heading)) return unknown('there is no record of last logins')
  const last = new Map<string, number | null>()
  for (const row of rows) {
    const [name = ''] = row.split(/\s/, 1)
    const moment = row.endsWith(NEVER) ? null : readMoment(row.slice(-30))
    if (name === '' || (moment === null && !row.endsWith(NEVER)))
      return unknown('a line of the record of last logins has an unexpected format')
    last.set(name, moment)
  }
  return known({ last, since: null })
}
