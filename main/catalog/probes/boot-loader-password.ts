import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { foundLines, grepIsComplete } from '../read-text.ts'

export interface BootLoader {
  /** Which loader has its settings where we looked; both may. */
  readonly grub: boolean
  readonly systemdBoot: boolean
  /** GRUB names a person who may change entries (GRUB manual, “Security”). */
  readonly superusers: boolean
  /** A hashed password for that person is in force. */
  readonly hashed: boolean
  /** A password stands there in clear text. */
  readonly plain: boolean
  /** systemd-boot lets its command line be changed (loader.conf(5), editor; on by default). */
  readonly editor: boolean
}

const GRUB = ['/boot/grub/grub.cfg', '/boot/grub2/grub.cfg']
// Older releases of the Red Hat family keep the whole file on the EFI partition; elsewhere a stub there only names the real one.
const ON_EFI = ['redhat', 'centos', 'rocky', 'almalinux', 'fedora', 'ol', 'amzn'].map((name) => `/boot/efi/EFI/${name}`)
const USER = ['/boot/grub2/user.cfg', ...ON_EFI.map((folder) => `${folder}/user.cfg`)]
const CUSTOM = ['/boot/grub/custom.cfg', '/boot/grub2/custom.cfg']
const LOADER = ['/boot/loader/loader.conf', '/efi/loader/loader.conf', '/boot/efi/loader/loader.conf']

// Each ends before a password or hash begins, and grep prints no more than it matched. No blank, asterisk or question mark: sudo-rs could
// not grant it.
const PATTERNS = {
  superusers: '^[[:space:]]{0,}set[[:space:]]superusers=.[A-Za-z0-9_.-]',
  hashed: '^[[:space:]]{0,}password_pbkdf2[[:space:]][A-Za-z0-9_.-]+[[:space:]]grub[.]pbkdf2',
  fromUser: '^[[:space:]]{0,}password_pbkdf2[[:space:]][A-Za-z0-9_.-]+[[:space:]][$][{]GRUB2_PASSWORD',
  user: '^GRUB2_PASSWORD=grub[.]pbkdf2',
  plain: '^[[:space:]]{0,}password[[:space:]][A-Za-z0-9_.-]+[[:space:]]',
  editor: '^editor[[:space:]]+[a-z0-9]+',
} as const

/** Settings of GRUB and systemd-boot: whether a password is requested before an entry is changed. Most of these files are root's. */
export const bootLoaderPassword = defineProbe({
  id: 'boot.loader-password',
  title: 'Boot loader password',
  why: 'Shows whether a person at the console could change how the server starts. The password and its hash are not read.',
  commands: {
    settings: runAsRoot([
      'grep',
      '-H',
      '-o',
      '-E',
      ...Object.values(PATTERNS).flatMap((pattern) => ['-e', pattern]),
      ...GRUB,
      ...ON_EFI.map((folder) => `${folder}/grub.cfg`),
      ...CUSTOM,
      ...USER,
      ...LOADER,
    ]),
  },
  parse({ settings }) {
    if (!grepIsComplete(settings)) return unknown('not every file of the boot loader could be read')
    const absent = (path: string): boolean => settings.errorText.includes(`: ${path}: No such file`)
    const found = foundLines(settings.text)
    const has = (pattern: RegExp, paths?: readonly string[]): boolean =>
      found.some(({ path, line }) => pattern.test(line) && paths?.includes(path) !== false)
    // The redactor may have taken what follows the equals sign, although it is only the kind of hash.
    const kept = has(/^GRUB2_PASSWORD=(grub\.pbkdf2|\[redacted:)/, USER)
    const fromUser = kept && has(/^\s*password_pbkdf2\s\S+\s\$\{GRUB2_PASSWORD/)
    return known<BootLoader>({
      grub: GRUB.some((path) => !absent(path)) || ON_EFI.some((folder) => !absent(`${folder}/grub.cfg`)),
      systemdBoot: LOADER.some((path) => !absent(path)),
      superusers: has(/^\s*set\ssuperusers=/),
      hashed: has(/^\s*password_pbkdf2\s\S+\sgrub\.pbkdf2/) || fromUser,
      plain: has(/^\s*password\s\S+\s/),
      editor: !has(/^editor\s+(no|false|off|0|n|f)$/),
    })
  },
})
