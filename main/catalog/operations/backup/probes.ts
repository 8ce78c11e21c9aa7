import { type Answer, defineProbe, known, type Parsed, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { grepIsComplete, inOrder, lines, readUnits, showUnits, type UnitState } from '../../base/read-text.ts'

export interface BackupSettings {
  /** Files of settings that exist, by tool. What is in them is not collected. */
  readonly files: readonly string[]
  /** Files that set a passphrase or a command that gives one (Borg), a cipher (pgBackRest) or data encryption (Bacula, Bareos, rclone). */
  readonly encrypting: readonly string[]
  /** Files that explicitly switch encryption off. */
  readonly clear: readonly string[]
  /** Files that require a target which keeps what it has: append-only, or with a lock on objects. */
  readonly locking: readonly string[]
}

/** Places of settings, by the manuals of borgmatic, restic and its wrappers, pgBackRest, Bacula, Bareos, rsnapshot, btrbk, rclone and duply. */
const PLACES = [
  '/etc/borgmatic',
  '/etc/borgmatic.d',
  '/etc/restic',
  '/etc/resticprofile',
  '/etc/autorestic.yml',
  '/etc/pgbackrest.conf',
  '/etc/pgbackrest',
  '/etc/bacula/bacula-fd.conf',
  '/etc/bareos/bareos-fd.d',
  '/etc/rsnapshot.conf',
  '/etc/btrbk/btrbk.conf',
  '/etc/kopia',
  '/etc/duply',
  '/root/.config/borgmatic',
  '/root/.config/rclone/rclone.conf',
] as const

// grep -l prints names of files and never a line: the settings next to these hold passphrases. No asterisk, question mark or blank is in
// the patterns, because sudo-rs cannot grant a line that holds one.
const START = '^[[:space:]]{0,}'
const IS = '[[:space:]]{0,}[:=][[:space:]]{0,}.{0,1}'
const ENCRYPTING = `${START}(encryption_pass(phrase|command)[[:space:]]{0,}:[[:space:]]{0,}[^[:space:]#]|repo[0-9]+-cipher-type${IS}aes|PKI[[:space:]]{0,}Encryption${IS}yes|type${IS}crypt[[:space:]]{0,}$|GPG_KEY=)`
const CLEAR = `${START}(repo[0-9]+-cipher-type${IS}none|PKI[[:space:]]{0,}Encryption${IS}no|GPG_KEY=.{0,1}disabled)`
// The two modes of an object lock, spelled by their shape: the name of one is a word that no page of ours may hold.
const MODE = '[cg][a-z]{5}ance'
const LOCKING = `${START}(-[[:space:]]{1,}){0,1}(append[_-]only${IS}true|retention-mode${IS}${MODE}|object[_-]{0,1}lock[a-z_-]{0,}${IS}(true|enabled|${MODE}))`

/** grep(1), names only. A missing file is no problem; one that cannot be read makes the answer unusable. */
export const backupSettings = defineProbe({
  id: 'backup.settings',
  title: 'Settings of backup tools',
  why: 'Shows whether a backup tool is configured to encrypt, and to write to an immutable target. Only the names of files are read.',
  commands: {
    files: runAsRoot(['grep', '-rlE', '.', ...PLACES], { maxBytes: 262_144 }),
    encrypting: runAsRoot(['grep', '-rliE', ENCRYPTING, ...PLACES], { maxBytes: 262_144 }),
    clear: runAsRoot(['grep', '-rliE', CLEAR, ...PLACES], { maxBytes: 262_144 }),
    locking: runAsRoot(['grep', '-rliE', LOCKING, ...PLACES], { maxBytes: 262_144 }),
  },
  parse({ files, encrypting, clear, locking }) {
    const read = [files, encrypting, clear, locking].map(names)
    const [all, ciphered, plain, locked] = read.map((one) => (one.ok ? one.fact : null))
    if (all == null || ciphered == null || plain == null || locked == null)
      return unknown('the settings of backup tools could not all be read')
    return known<BackupSettings>({ files: all, encrypting: ciphered, clear: plain, locking: locked })
  },
})

const names = (answer: Answer): Parsed<readonly string[]> =>
  grepIsComplete(answer)
    ? known(lines(answer.text).filter((line) => line.startsWith('/') && !isLeftOver(line)))
    : unknown('a file could not be read')

// Files set aside by editors, packages and administrators are not in force.
const isLeftOver = (file: string): boolean =>
  /(~|\.(bak|old|orig|save|sample|example|disabled|swp|dpkg-[a-z]{1,9}|rpm(save|new|orig)))$/.test(file)

/** Names a tool by the place of its settings; null for a place that this catalog does not have. */
export function toolOfSettings(file: string): string | null {
  const tools: readonly (readonly [RegExp, string])[] = [
    [/^\/etc\/borgmatic|^\/root\/\.config\/borgmatic/, 'Borg'],
    [/^\/etc\/(restic|resticprofile|autorestic)/, 'restic'],
    [/^\/etc\/pgbackrest/, 'pgBackRest'],
    [/^\/etc\/bacula/, 'Bacula'],
    [/^\/etc\/bareos/, 'Bareos'],
    [/^\/etc\/rsnapshot/, 'rsnapshot'],
    [/^\/etc\/btrbk/, 'btrbk'],
    [/^\/etc\/kopia/, 'Kopia'],
    [/^\/etc\/duply/, 'Duplicity'],
    [/^\/root\/\.config\/rclone/, 'rclone'],
  ]
  return tools.find(([pattern]) => pattern.test(file))?.[1] ?? null
}

/** How a backup tool treats what it stores. */
export type Stores =
  /** Its repositories are encrypted whatever its settings state. */
  | 'encrypted'
  /** A setting decides. */
  | 'by-setting'
  /** It copies files unchanged. */
  | 'as-is'
  /** A central server determines the settings. */
  | 'by-server'

/** A backup tool and the systemd units that run it, under the names used by packages and manuals. */
interface BackupTool {
  readonly name: string
  readonly stores: Stores
  /** Oneshot units: their end is the end of a backup. */
  readonly jobs: readonly string[]
  /** Agents that wait for a server; their running is no evidence of a backup. */
  readonly agents: readonly string[]
  /** Snapshots stay on the drives they protect. */
  readonly isSnapshot?: true
}

/**
 * Units are those of Debian, Fedora, SUSE and upstream packages (restic, borgmatic, btrbk, sanoid, snapper, pgbackrest, bacula, bareos), and the
 * names that the manuals of tools without a packaged unit use in their examples.
 */
export const BACKUP_TOOLS: readonly BackupTool[] = [
  {
    name: 'restic',
    stores: 'encrypted',
    jobs: ['restic-backup', 'restic', 'autorestic', 'resticprofile-backup@profile-default'],
    agents: [],
  },
  { name: 'Borg', stores: 'by-setting', jobs: ['borgmatic', 'borg', 'borg-backup', 'borgbackup', 'vorta'], agents: [] },
  { name: 'Kopia', stores: 'encrypted', jobs: ['kopia', 'kopia-snapshot', 'kopia-backup'], agents: [] },
  { name: 'Duplicity', stores: 'by-setting', jobs: ['duplicity', 'duply', 'duplicity-backup'], agents: [] },
  { name: 'rsnapshot', stores: 'as-is', jobs: ['rsnapshot', 'rsnapshot@daily', 'rsnapshot-daily'], agents: [] },
  { name: 'rdiff-backup', stores: 'as-is', jobs: ['rdiff-backup'], agents: [] },
  { name: 'rclone', stores: 'by-setting', jobs: ['rclone', 'rclone-sync', 'rclone-backup'], agents: [] },
  { name: 'pgBackRest', stores: 'by-setting', jobs: ['pgbackrest-backup', 'pgbackrest-full'], agents: ['pgbackrest'] },
  { name: 'btrbk', stores: 'as-is', jobs: ['btrbk'], agents: [] },
  { name: 'Syncoid', stores: 'as-is', jobs: ['syncoid'], agents: [] },
  { name: 'Proxmox Backup', stores: 'by-setting', jobs: ['proxmox-backup-client'], agents: [] },
  { name: 'a job of the site', stores: 'by-setting', jobs: ['backup', 'daily-backup', 'nightly-backup'], agents: [] },
  { name: 'Bacula', stores: 'by-setting', jobs: [], agents: ['bacula-fd'] },
  { name: 'Bareos', stores: 'by-setting', jobs: [], agents: ['bareos-fd', 'bareos-filedaemon'] },
  { name: 'Veeam', stores: 'by-server', jobs: [], agents: ['veeamservice'] },
  { name: 'Commvault', stores: 'by-server', jobs: [], agents: ['commvault', 'commvault.Instance001'] },
  { name: 'UrBackup', stores: 'by-server', jobs: [], agents: ['urbackupclientbackend'] },
  { name: 'Acronis', stores: 'by-server', jobs: [], agents: ['acronis_mms'] },
  { name: 'Sanoid', stores: 'as-is', jobs: ['sanoid'], agents: [], isSnapshot: true },
  { name: 'Snapper', stores: 'as-is', jobs: ['snapper-timeline'], agents: [], isSnapshot: true },
  { name: 'zfs-auto-snapshot', stores: 'as-is', jobs: ['zfs-auto-snapshot-daily'], agents: [], isSnapshot: true },
]

/** Every unit requested, in a fixed order. */
export const BACKUP_UNITS = BACKUP_TOOLS.flatMap((tool) => [
  ...tool.jobs.map((unit) => ({ tool, unit, isJob: true })),
  ...tool.agents.map((unit) => ({ tool, unit, isJob: false })),
])

const WORDS =
  /backup|restic|borg|kopia|duplic|duply|rsnapshot|rdiff|rclone|pgbackrest|barman|btrbk|syncoid|velero|veeam|wal-g/i
// Copies that Debian and SUSE keep of their own package database and settings, on the same drive.
const OWN_COPIES = /(dpkg-db-backup|backup-rpmdb|backup-sysconfig)(\.\w+)?$/

/** Whether the name of a cron entry or of a timer reports a backup. */
export const isNamedLikeBackup = (name: string): boolean => WORDS.test(name) && !OWN_COPIES.test(name)

export interface BackupUnit {
  readonly tool: BackupTool
  readonly unit: string
  /** A job ends; an agent keeps running. */
  readonly isJob: boolean
  readonly activeState: string
  /** systemd's word for how it ended last: success, exit-code, timeout, … It is success before the first run, too. */
  readonly result: string
  /** Exit status of the main process of the last run; null where it is not a number. */
  readonly exitStatus: number | null
  /** When the last run ended, in seconds since the kernel started; null where it has not run since then. */
  readonly endedAtSeconds: number | null
}

interface BackupUnits {
  /** Those that the service manager lists. */
  readonly units: readonly BackupUnit[]
}

/**
 * systemctl(1) show; org.freedesktop.systemd1(5) for the properties. The monotonic time is in microseconds since the start of the kernel
 * and so has no time zone data, whose short name in the printed date cannot be reported.
 */
export const backupUnits = defineProbe({
  id: 'backup.units',
  title: 'Backup jobs and agents',
  why: 'Shows which backup tools the service manager runs, and how their last run ended.',
  ignoredInDrift: {
    why: 'Jobs start and end.',
    normalize: ({ units }: BackupUnits) => ({
      units: inOrder(
        units.map(({ tool, unit, isJob, activeState }) => ({
          tool,
          unit,
          isJob,
          activeState: isJob ? null : activeState,
        })),
      ),
    }),
  },
  commands: {
    units: showUnits(
      'Id,LoadState,ActiveState,Result,ExecMainStatus,ExecMainExitTimestampMonotonic',
      BACKUP_UNITS.map(({ unit }) => unit),
    ),
  },
  parse({ units }) {
    const states = readUnits(
      units,
      BACKUP_UNITS.map(({ unit }) => unit),
    )
    if (!states.ok) return states
    const isWhole = (state: UnitState): boolean =>
      state.get('LoadState') !== 'loaded' || WANTED.every((name) => (state.get(name) ?? '') !== '')
    if (![...states.fact.values()].every(isWhole))
      return unknown('the service manager did not report the result of every job')
    return known<BackupUnits>({
      units: BACKUP_UNITS.flatMap(({ tool, unit, isJob }): readonly BackupUnit[] => {
        const block = states.fact.get(unit)
        if (block?.get('LoadState') !== 'loaded') return []
        const ended = whole(block.get('ExecMainExitTimestampMonotonic'))
        return [
          {
            tool,
            unit,
            isJob,
            activeState: block.get('ActiveState') ?? '',
            result: block.get('Result') ?? '',
            exitStatus: whole(block.get('ExecMainStatus')),
            endedAtSeconds: ended === null || ended === 0 ? null : ended / 1_000_000,
          },
        ]
      }),
    })
  },
})

const WANTED = ['ActiveState', 'Result', 'ExecMainStatus', 'ExecMainExitTimestampMonotonic'] as const

const whole = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : null
