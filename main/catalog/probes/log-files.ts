import { type Answer, defineProbe, glob, known, type Parsed, run, runAsRoot, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'
import { kindsOf, withoutRotation } from '../steady.ts'

/** A file or folder by its entry alone; nothing in it is read. */
export interface LogEntry {
  readonly path: string
  /** Permission bits, stat(1) %a. */
  readonly mode: number
  readonly owner: string
  readonly group: string
  readonly isFolder: boolean
  /** Seconds since 1970 of the last change of its content: of a rotated file, when its last line was written. */
  readonly changedAt: number
}
export interface LogFiles {
  readonly entries: readonly LogEntry[]
  /** Whether a folder or file could not be examined for lack of rights, so that some may be missing here. */
  readonly isPartial: boolean
  /** When this system was set up, by its machine-id(5); null where there is none. */
  readonly setUpAt: number | null
}

// Without a blank, since sudo-rs cannot grant a word that holds one.
const FORMAT = '%Y:%a:%U:%G:%F|%n'

/** stat(1) over the log files that Linux distributions keep, with their rotated ones. Names, owners, modes and times; no content. */
export const logFiles = defineProbe({
  id: 'log.files',
  title: 'Log files and their permissions',
  why: 'Shows who can write to the log files, and how far back the rotated ones reach. Their content is not read.',
  ignoredInDrift: {
    why: 'Logs are written and rotated. Not detected: removal of older copies, or emptying of a log.',
    normalize: ({ entries, ...rest }: LogFiles) => ({
      ...rest,
      entries: kindsOf(entries.map(({ changedAt: _, path, ...entry }) => ({ ...entry, path: withoutRotation(path) }))),
    }),
  },
  commands: {
    files: run([
      'stat',
      '-c',
      FORMAT,
      '/etc/machine-id',
      '/var/log',
      '/var/log/journal',
      '/var/log/audit',
      '/var/log/wtmp',
      '/var/log/btmp',
      '/var/log/lastlog',
      glob('/var/log/syslog*'),
      glob('/var/log/messages*'),
      glob('/var/log/auth.log*'),
      glob('/var/log/secure*'),
      glob('/var/log/kern.log*'),
      glob('/var/log/sudo*.log*'),
      glob('/var/log/journal/*/*.journal'),
    ]),
  },
  parse({ files }) {
    const all = entriesIn(files)
    if (!all.ok) return all
    if (!all.fact.some(({ path }) => path === '/var/log'))
      return unknown('the folder of log files could not be looked at')
    return known<LogFiles>({
      entries: all.fact.filter(({ path }) => path !== '/etc/machine-id'),
      isPartial: /: Permission denied$/m.test(files.errorText),
      setUpAt: all.fact.find(({ path }) => path === '/etc/machine-id')?.changedAt ?? null,
    })
  },
})

/** auditd.conf(5), log_file and num_logs: the files of the audit service, in a folder that only root may enter. */
export const auditFiles = defineProbe({
  id: 'log.audit-files',
  title: 'Audit service files and their permissions',
  why: 'Shows who can write to the audit records, and how far back they reach. No record is read.',
  ignoredInDrift: {
    why: 'Logs are written and rotated. Not detected: removal of older copies, or emptying of a log.',
    normalize: ({ entries, ...rest }: Pick<LogFiles, 'entries'>) => ({
      ...rest,
      entries: kindsOf(entries.map(({ changedAt: _, path, ...entry }) => ({ ...entry, path: withoutRotation(path) }))),
    }),
  },
  commands: {
    files: runAsRoot([
      'stat',
      '-c',
      FORMAT,
      '/var/log/audit',
      '/var/log/audit/audit.log',
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 50, 99].map((number) => `/var/log/audit/audit.log.${number}`),
    ]),
  },
  parse({ files }) {
    const all = entriesIn(files)
    return all.ok ? known<Pick<LogFiles, 'entries'>>({ entries: all.fact }) : all
  },
})

/** Rows of stat(1). Files that do not exist are left out; any other complaint, or a row of another form, makes it unread. */
function entriesIn({ text, errorText, exitCode }: Answer): Parsed<readonly LogEntry[]> {
  const complaints = lines(errorText).filter((said) => !/No such file or directory$|: Permission denied$/.test(said))
  const hidden = /: Permission denied$/m.test(errorText)
  const rows = lines(text).map(readEntry)
  if (rows.includes(null) || complaints.length > 0 || exitCode > 1)
    return unknown('the entries of the log files have an unexpected format')
  if (hidden && rows.length === 0) return unknown('the log files could not be looked at')
  return known<readonly LogEntry[]>(rows.filter((row) => row !== null))
}

function readEntry(line: string): LogEntry | null {
  const [, changedAt, mode, owner, group, kind, path] =
    /^(\d{1,11}):([0-7]{1,5}):([^:]{1,64}):([^:]{1,64}):([a-z ]{3,40})\|(\/.{1,4096})$/.exec(line) ?? []
  if (mode === undefined || path === undefined) return null
  return {
    path,
    mode: Number.parseInt(mode, 8),
    owner: owner ?? '',
    group: group ?? '',
    isFolder: kind === 'directory',
    changedAt: Number(changedAt),
  }
}
