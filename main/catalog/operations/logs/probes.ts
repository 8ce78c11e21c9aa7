import {
  type Answer,
  defineProbe,
  glob,
  known,
  type Parsed,
  run,
  runAsRoot,
  unknown,
} from '../../../core/recording/probe.ts'
import { kindsOf, lines, withoutRotation } from '../../base/read-text.ts'
import { type JournalFile, type Moment, readStamp } from './journal.ts'

interface JournalBoot {
  /** 0 is the running one. */
  readonly index: number
  readonly id: string
  readonly from: Moment
  readonly to: Moment
}

export interface JournalState {
  /** Empty where the journal keeps nothing. */
  readonly files: readonly JournalFile[]
  readonly boots: readonly JournalBoot[]
}

/**
 * journalctl(1) --header and --list-boots: the headers of the journal's files and the boots they hold. No message is read. As root, since
 * others see only their own entries.
 */
export const journalState = defineProbe({
  id: 'journal.state',
  title: 'Content range of the system journal',
  why: 'Shows how far back the journal reaches, whether entries are missing from its numbering, and which boots it covers.',
  ignoredInDrift: {
    why: 'The journal is written, and old entries are removed. Not detected: deliberate removal of entries.',
    normalize: () => null,
  },
  commands: {
    header: runAsRoot(['journalctl', '--no-pager', '--header'], { maxBytes: 1048576 }),
    boots: runAsRoot(['journalctl', '--no-pager', '--utc', '--list-boots'], { maxBytes: 262144 }),
  },
  parse({ header, boots }) {
    if (/No journal files were found/.test(header.errorText + header.text))
      return known<JournalState>({ files: [], boots: [] })
    if (header.exitCode !== 0 || boots.exitCode !== 0) return unknown('the journal did not respond')
    const files = header.text
      .split(/^(?=File path: )/m)
      .filter((block) => block.startsWith('File path: '))
      .map(readFile)
    if (files.length === 0 || files.includes(null))
      return unknown('the headers of the journal have an unexpected format')
    const rows = lines(boots.text).filter((line) => !/^IDX BOOT ID/.test(line))
    const read = rows.map(readBoot)
    if (read.length === 0 || read.includes(null)) return unknown('the list of boots has an unexpected format')
    return known<JournalState>({
      files: files.filter((file) => file !== null),
      boots: read.filter((boot) => boot !== null),
    })
  },
})

function readFile(block: string): JournalFile | null {
  const field = (name: string): string | undefined =>
    new RegExp(`^${name}: ([^\\n]{1,4096})$`, 'm').exec(block)?.[1]?.trim()
  const number = (name: string): number | null => {
    const text = /^\d{1,15}/.exec(field(name) ?? '')?.[0]
    return text === undefined ? null : Number(text)
  }
  const [path, chain] = [field('File path'), field('Sequential number ID')]
  const [first, last] = [number('Head sequential number'), number('Tail sequential number')]
  if (path === undefined || chain === undefined || first === null || last === null) return null
  return {
    path,
    chain,
    first,
    last,
    oldest: readMoment(field('Head realtime timestamp')),
    newest: readMoment(field('Tail realtime timestamp')),
  }
}

/** "Sat 2026-11-21 18:42:27 UTC (660cdb8ee8f87)": the hexadecimal number counts microseconds since 1970. */
function readMoment(text: string | undefined): Moment {
  const [, shown = '', micros] = /^([^(]{1,64}?)(?: \(([0-9a-f]{8,15})\))?$/.exec(text ?? '') ?? []
  return {
    seconds: micros === undefined ? null : Math.floor(Number.parseInt(micros, 16) / 1_000_000),
    stamp: readStamp(shown),
  }
}

// Before systemd 253: "-1 ID Mon 2026-11-02 03:11:20 UTC—Fri 2026-11-20 09:11:58 UTC"; since: columns apart by spaces.
function readBoot(line: string): JournalBoot | null {
  const [, index, id = '', from = '', to = ''] =
    /^\s*(-?\d{1,6})\s+([0-9a-f]{32})\s+([A-Z][a-z]{2} \S+ \S+ \S+?)(?:—|\s+)([A-Z][a-z]{2} \S+ \S+ \S+)\s*$/.exec(
      line,
    ) ?? []
  if (index === undefined) return null
  const moment = (text: string): Moment => ({ seconds: null, stamp: readStamp(text) })
  return { index: Number(index), id, from: moment(from), to: moment(to) }
}

export interface JournalConfig {
  /** journald.conf(5) keys as merged from all files; the last assignment wins. Blanks around “=” have no meaning (systemd.syntax(7)). */
  readonly settings: ReadonlyMap<string, string>
  /** Whether /var/log/journal exists: with Storage=auto, the default, it decides if the journal outlives a reboot. */
  readonly hasFolder: boolean
}

export const journaldConfig = defineProbe({
  id: 'journald.config',
  title: 'Settings of the system journal',
  why: 'Shows whether the journal is kept across reboots, how large it may grow and how old it may get.',
  commands: {
    config: run(['systemd-analyze', 'cat-config', 'systemd/journald.conf']),
    folders: run(['ls', '-d', '/var/log', '/var/log/journal']),
  },
  parse({ config, folders }) {
    if (config.exitCode !== 0) return unknown('the settings of the journal could not be read')
    const entries = lines(config.text).flatMap((line) => {
      const [, key, value] = /^\s*([A-Z][A-Za-z]+)\s*=(.*)$/.exec(line) ?? []
      return key === undefined || value === undefined ? [] : [[key, value.trim()] as const]
    })
    return known<JournalConfig>({
      settings: new Map(entries),
      hasFolder: lines(folders.text).includes('/var/log/journal'),
    })
  },
})

/** A file or folder by its entry alone; nothing in it is read. */
export interface LogEntry {
  readonly path: string
  /** Permission bits, stat(1) %a. */
  readonly mode: number
  readonly owner: string
  readonly group: string
  readonly isFolder: boolean
  /** Present on a symbolic link: stat(1) shows the link itself, whose mode and time are not those of the file behind it (symlink(7)). */
  readonly isLink?: true
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
  const complaints = lines(errorText).filter(
    (complaint) => !/No such file or directory$|: Permission denied$/.test(complaint),
  )
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
    ...(kind === 'symbolic link' ? { isLink: true } : {}),
    changedAt: Number(changedAt),
  }
}
