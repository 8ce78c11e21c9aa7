import { defineProbe, known, type Parsed, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, type MaybeFactsOf, unclearAbout } from '../../../core/rules/check.ts'
import { foundLines, grepIsComplete, lines, oneLineFiles, readUnits, showUnits } from '../../base/read-text.ts'
import { contradicts, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { type Distribution, packagesDistribution } from '../../operations/packages/probes.ts'
import {
  accountsPasswordLocks,
  accountsPasswordState,
  type ReportedPasswords,
  reportedPasswords,
} from '../accounts/probes.ts'
import data from './checks.json' with { type: 'json' }

interface BootLoader {
  /** The boot loaders whose settings are at the expected place; both may be. */
  readonly grub: boolean
  readonly systemdBoot: boolean
  /** GRUB names a person who may change entries (GRUB manual, “Security”). */
  readonly superusers: boolean
  /** A hashed password for that person is in force. */
  readonly hashed: boolean
  /** A password is stored in clear text. */
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

interface ConsoleLogin {
  /** Units that run now or at boot, of those that talk to a console. */
  readonly units: ReadonlySet<string>
  /** Ctrl-Alt-Del starts a reboot (its target is not masked). */
  readonly reboots: boolean
  /** Files that log a person in on a console without a question, as “account (file)”. */
  readonly automatic: readonly string[]
  /** Single-user mode opens without a password: systemd’s own switch, in a file or on the kernel’s command line. */
  readonly forced: readonly string[]
  /** Words of the kernel’s command line that choose a console or another way to start. */
  readonly words: readonly string[]
  /** Documentation/admin-guide/sysrq.rst: 0 off, 1 everything, else a bit mask; null where the kernel has none. */
  readonly sysrq: number | null
}

const DEBUG = 'debug-shell.service'
const UNITS = [
  'ctrl-alt-del.target',
  DEBUG,
  'console-getty.service',
  'getty@tty1.service',
  'serial-getty@ttyS0.service',
  'serial-getty@ttyS1.service',
  'serial-getty@ttyAMA0.service',
  'serial-getty@hvc0.service',
] as const

const FORCE = 'SYSTEMD_SULOGIN_FORCE'

/** systemd.unit(5): a unit, or a file *.conf in its folder UNIT.d; what packages and editors put aside there is not read. */
const UNIT_OR_PART = /^\/(etc|run)\/systemd\/system\/([^/]+\.service|[^/]+\.d\/[^/]+\.conf)$/

/** systemd-sulogin-shell, agetty(8), kernel-command-line(7), Linux Documentation/admin-guide/sysrq.rst. */
export const consoleLogin = defineProbe({
  id: 'console.login',
  title: 'Logins at the console',
  why: 'Shows which consoles offer a login, whether one opens without a password, and what the keyboard alone can trigger.',
  commands: {
    units: showUnits('Id,LoadState,ActiveState,UnitFileState', UNITS),
    files: run([
      'grep',
      '-r',
      '-H',
      '-o',
      '-E',
      // A comment is printed as one up to the word, which keeps what follows from being found in it.
      `^[[:space:]]*[#;].*(agetty|${FORCE})|${FORCE}=[A-Za-z0-9]+|agetty[^#]*[[:space:]](-a|--autologin)[[:space:]=]+[A-Za-z0-9_.-]+`,
      '/etc/systemd/system',
      '/run/systemd/system',
    ]),
    words: run([
      'grep',
      '-o',
      '-w',
      '-E',
      `console=[A-Za-z0-9,]+|systemd[.]unit=[A-Za-z0-9@.-]+|single|init=[^[:space:]]+|rd[.]break|systemd[.]debug[-_]shell|${FORCE}=[A-Za-z0-9]+`,
      '/proc/cmdline',
    ]),
    sysrq: run(['grep', '-s', '-H', '', '/proc/sys/kernel/sysrq', '/proc/sys/kernel/ctrl-alt-del']),
  },
  parse({ units, files, words, sysrq }) {
    const states = readUnits(units, UNITS)
    if (!states.ok) return states
    if (!grepIsComplete(files)) return unknown('not every file of the service manager could be read')
    if (words.exitCode > 1) return unknown('the kernel’s command line could not be read')
    const found = foundLines(files.text).filter(({ path }) => UNIT_OR_PART.test(path))
    const given = lines(words.text)
    const value = oneLineFiles(sysrq.text).get('/proc/sys/kernel/sysrq')
    const state = (unit: (typeof UNITS)[number], key: string): string => states.fact.get(unit)?.get(key) ?? ''
    return known<ConsoleLogin>({
      units: new Set(
        UNITS.filter(
          (unit) => state(unit, 'ActiveState') === 'active' || state(unit, 'UnitFileState').startsWith('enabled'),
        ),
      ),
      reboots: state('ctrl-alt-del.target', 'LoadState') !== 'masked',
      automatic: found.flatMap(({ path, line }) => {
        const [, account] = /[\s](?:-a|--autologin)[\s=]+([A-Za-z0-9_.-]+)$/.exec(line.slice(-300)) ?? []
        return account === undefined ? [] : [`${account} (${path})`]
      }),
      forced: [
        ...found.filter(({ line }) => isForced(line)).map(({ path }) => path),
        ...given.filter(isForced).map(() => '/proc/cmdline'),
      ],
      words: given.filter((word) => !word.startsWith(FORCE)),
      sysrq: value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) : null,
    })
  },
})

const isForced = (text: string): boolean => /^SYSTEMD_SULOGIN_FORCE=(1|yes|true|on|y|t)$/i.test(text)

const WANTS = { passwords: accountsPasswordState, locks: accountsPasswordLocks, distribution: packagesDistribution }

const accessConsoleAndBoot = defineCheck({
  id: 'access.console-and-boot',
  property: 'access',
  expected:
    'Changing how the server starts from the console requires a password, and the console gives no shell without one.',
  limitations:
    'A boot loader password does not prevent starting from other media. Not covered: firmware settings, the management controller’s console, and physical access to the machine. The effects of Ctrl-Alt-Del and the SysRq key are recorded, not evaluated.',
  requires: { loader: bootLoaderPassword, console: consoleLogin },
  optional: WANTS,
  evaluate: ({ loader, console }, wanted) =>
    decide([...loaderSteps(loader), ...singleUser(console, wanted), ...consoles(console), keyboard(console)]),
})

function loaderSteps({
  grub,
  systemdBoot,
  superusers,
  hashed,
  plain,
  editor,
}: BootLoader): readonly DraftObservation[] {
  if (!grub && !systemdBoot)
    return [unclear('Neither GRUB nor systemd-boot has its settings in the default locations.', bootLoaderPassword)]
  return [
    ...(grub
      ? [
          superusers && hashed
            ? supports(
                'GRUB requires a password before an entry is changed; the password is stored as a hash.',
                bootLoaderPassword,
              )
            : contradicts(
                superusers || hashed
                  ? 'The GRUB password is configured incompletely: a name or a hash is missing, so that none is required.'
                  : 'GRUB requires no password: any person at the console can change how the server starts.',
                bootLoaderPassword,
              ),
        ]
      : []),
    ...(plain ? [contradicts('A GRUB password is stored in its settings in clear text.', bootLoaderPassword)] : []),
    ...(systemdBoot
      ? [
          editor
            ? contradicts(
                'systemd-boot lets any person at the console change the kernel’s command line.',
                bootLoaderPassword,
              )
            : supports('systemd-boot does not let the kernel’s command line be changed.', bootLoaderPassword),
        ]
      : []),
  ]
}

/** sulogin(8) requires root's password, and opens nothing where root is locked unless it is forced to, or changed as in Ubuntu. */
function singleUser({ forced, words }: ConsoleLogin, facts: MaybeFactsOf<typeof WANTS>): readonly DraftObservation[] {
  const { passwords, reportedBy } = reportedPasswords(facts)
  const other = words.filter((word) => !word.startsWith('console='))
  const state = passwords.ok ? passwords.fact.states.get('root') : undefined
  return [
    ...(forced.length > 0
      ? [
          contradicts(
            `Single-user mode opens without a password (SYSTEMD_SULOGIN_FORCE): ${named(forced)}.`,
            consoleLogin,
          ),
        ]
      : state === undefined
        ? passwords.ok
          ? [unclear('Whether root has a password was not reported; single-user mode requires it.', reportedBy)]
          : unclearAbout(accountsPasswordState, passwords)
        : state === 'none'
          ? [contradicts('Root has an empty password, so that single-user mode opens.', reportedBy)]
          : state === 'locked'
            ? whereLocked(facts.distribution, reportedBy)
            : [supports('Single-user mode requires root’s password.', reportedBy)]),
    ...(other.length > 0
      ? [unclear(`The server was started in another way than usual: ${named(other)}.`, consoleLogin, 'words')]
      : []),
  ]
}

/** Packages of util-linux of Ubuntu have sulogin-lockedpwd.patch: with a locked root, no password is requested. */
function whereLocked(
  distribution: Parsed<Distribution>,
  reportedBy: ReportedPasswords['reportedBy'],
): readonly DraftObservation[] {
  if (!distribution.ok) return unclearAbout(packagesDistribution, distribution)
  const { family, id } = distribution.fact
  return [
    family === 'debian' && id !== 'debian'
      ? unclear(
          'Root is locked. As Ubuntu changes it, single-user mode then opens a shell without a password, also where the start of the server fails; a password for root closes it.',
          packagesDistribution,
        )
      : supports('Root is locked, so that single-user mode opens no shell.', reportedBy),
  ]
}

function consoles({ units, automatic, words }: ConsoleLogin): readonly DraftObservation[] {
  const shell = units.has('debug-shell.service')
  const open = [...units].filter((unit) => unit.includes('getty'))
  const serial = words.filter((word) => /^console=(ttyS|ttyAMA|hvc)/.test(word))
  return [
    ...(automatic.length > 0
      ? [contradicts(`A console logs an account in without a password: ${named(automatic)}.`, consoleLogin, 'files')]
      : [
          supports(
            'The administrator’s units configure no console that logs an account in without a password.',
            consoleLogin,
            'files',
          ),
        ]),
    ...(shell
      ? [
          contradicts(
            'A shell for debugging is open on the console without a password (debug-shell).',
            consoleLogin,
            'units',
          ),
        ]
      : []),
    supports(
      `Consoles that offer a login: ${open.length > 0 ? named(open) : 'none'}${serial.length > 0 ? `; the kernel also uses ${named(serial)}` : ''}.`,
      consoleLogin,
      'units',
      'words',
    ),
  ]
}

const keyboard = ({ reboots, sysrq }: ConsoleLogin): DraftObservation =>
  supports(
    `Ctrl-Alt-Del ${reboots ? 'reboots the server' : 'is switched off'}; the SysRq key ${
      sysrq === null
        ? 'was not reported'
        : sysrq === 0
          ? 'is switched off'
          : sysrq === 1
            ? 'allows every function'
            : `allows the functions of mask ${sysrq}`
    }.`,
    consoleLogin,
    'units',
    'sysrq',
  )

export const consoleSubject = defineSubject({
  id: 'console',
  title: 'Console and boot loader',
  probes: [bootLoaderPassword, consoleLogin],
  checks: [accessConsoleAndBoot],
  data,
})
