import { type Answer, defineProbe, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { inOrder, lines } from '../../base/read-text.ts'
import { type LoginTrace, readIsoMoment, readMoment } from './login-traces.ts'

/**
 * lslogins(1), export form: the last session of each account in /var/log/wtmp. That file rotates, so an account without a session here may
 * have had one before; since when it is kept is queried of the file itself (`accounts.login-files`).
 */
export const accountsLastLogin = defineProbe({
  id: 'accounts.last-login',
  title: 'Last session of each account',
  why: 'Shows when each account was last used, so that unused ones can be identified.',
  ignoredInDrift: {
    why: 'Logins are recorded and old records are removed. Not detected: who logged in.',
    normalize: () => null,
  },
  commands: { accounts: run(['lslogins', '--time-format=iso', '-e', '-o', 'USER,LAST-LOGIN']) },
  parse({ accounts }) {
    if (accounts.exitCode !== 0) return unknown('the record of sessions could not be read')
    const rows = lines(accounts.text).map((line) => /^USER="([^"]*)" LAST[-_]LOGIN="([^"]*)"$/.exec(line))
    if (rows.length === 0 || rows.includes(null)) return unknown('the output of lslogins has an unexpected format')
    const last = new Map(
      rows.map((row) => [row?.[1] ?? '', row?.[2] === '' ? null : readIsoMoment(row?.[2] ?? '')] as const),
    )
    if (rows.some((row) => row?.[2] !== '' && last.get(row?.[1] ?? '') === null))
      return unknown('a time in the output of lslogins has an unexpected format')
    return known<LoginTrace>({ last, since: null })
  },
})

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

/** A file that logins are written to. Moments in milliseconds since 1970 UTC. */
interface LoginFile {
  readonly bytes: number
  /** When it was made; null where the file system does not show (stat(1), %W). */
  readonly since: number | null
}

interface LoginFiles {
  readonly files: ReadonlyMap<string, LoginFile>
}

export const LASTLOG = '/var/log/lastlog'
export const LASTLOG2 = '/var/lib/lastlog/lastlog2.db'
export const WTMP = '/var/log/wtmp'

/** Since when the records of logins are kept, from the files themselves; their contents are requested elsewhere. */
export const accountsLoginFiles = defineProbe({
  id: 'accounts.login-files',
  title: 'Login record files',
  why: 'Shows since when logins are recorded: an account without one may be unused, or the record may be recent.',
  ignoredInDrift: {
    why: 'Logins are recorded and old records are removed; only which files record them is compared.',
    normalize: ({ files }: LoginFiles) => ({ files: inOrder(files.keys()) }),
  },
  commands: { files: run(['stat', '-c', '%s %W %n', LASTLOG, LASTLOG2, WTMP]) },
  parse({ files }) {
    const complaints = lines(files.errorText)
    if (!complaints.every((complaint) => /No such file or directory$/.test(complaint)) || files.exitCode > 1)
      return unknown('the files that logins are written to could not be looked at')
    const rows = lines(files.text).map((line) => /^(\d{1,15}) (\d{1,12}|\S{1,3}) (\/\S+)$/.exec(line))
    if (rows.includes(null)) return unknown('the list of login record files has an unexpected format')
    return known<LoginFiles>({
      files: new Map(
        rows.map((row) => {
          const made = Number(row?.[2])
          return [row?.[3] ?? '', { bytes: Number(row?.[1]), since: made > 0 ? made * 1000 : null }] as const
        }),
      ),
    })
  },
})

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
