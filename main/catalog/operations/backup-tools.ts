/** How a backup tool treats what it stores. */
export type Stores =
  /** Its repositories are encrypted whatever its settings state. */
  | 'encrypted'
  /** A setting decides. */
  | 'by-setting'
  /** It copies files as they are. */
  | 'as-is'
  /** What happens is set at a server of its own. */
  | 'by-server'

/** A backup tool and the systemd units that run it, under the names that packages and manuals give them. */
export interface BackupTool {
  readonly name: string
  readonly stores: Stores
  /** Oneshot units: their end is the end of a backup. */
  readonly jobs: readonly string[]
  /** Agents that wait for a server: that they run is no evidence of a backup. */
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
