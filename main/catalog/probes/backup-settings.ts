import { type Answer, defineProbe, known, type Parsed, runAsRoot, unknown } from '../../core/probe.ts'
import { grepIsComplete, lines } from '../read-text.ts'

export interface BackupSettings {
  /** Files of settings that exist, by tool. What is in them is not collected. */
  readonly files: readonly string[]
  /** Files that set a passphrase or a command that gives one (Borg), a cipher (pgBackRest) or data encryption (Bacula, Bareos, rclone). */
  readonly encrypting: readonly string[]
  /** Files that switch encryption off in so many words. */
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

/** grep(1), names only. A file that is not there is no trouble; one that cannot be read makes the response unusable. */
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

// What editors, packages and administrators put aside is not in force.
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
