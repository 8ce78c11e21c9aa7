import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { foundLines, grepIsComplete, lines, oneLineFiles, unitBlocks } from '../read-text.ts'

export interface ConsoleLogin {
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

/** systemd-sulogin-shell, agetty(8), kernel-command-line(7), Linux Documentation/admin-guide/sysrq.rst. */
export const consoleLogin = defineProbe({
  id: 'console.login',
  title: 'Logins at the console',
  why: 'Shows which consoles offer a login, whether one opens without a password, and what the keyboard alone can trigger.',
  commands: {
    units: run(['systemctl', 'show', '--property=Id,LoadState,ActiveState,UnitFileState', ...UNITS]),
    files: run([
      'grep',
      '-r',
      '-H',
      '-o',
      '-E',
      `${FORCE}=[A-Za-z0-9]+|agetty[^#]*[[:space:]](-a|--autologin)[[:space:]=]+[A-Za-z0-9_.-]+`,
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
    if (units.exitCode !== 0) return unknown('the service manager did not respond')
    const blocks = unitBlocks(units.text, UNITS.length)
    if (blocks === null) return unknown('the service manager reported other units than requested')
    if (!grepIsComplete(files)) return unknown('not every file of the service manager could be read')
    if (words.exitCode > 1) return unknown('the kernel’s command line could not be read')
    const found = foundLines(files.text)
    const said = lines(words.text)
    const value = oneLineFiles(sysrq.text).get('/proc/sys/kernel/sysrq')
    const state = (unit: string, key: string): string =>
      blocks[(UNITS as readonly string[]).indexOf(unit)]?.get(key) ?? ''
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
        ...said.filter(isForced).map(() => '/proc/cmdline'),
      ],
      words: said.filter((word) => !word.startsWith(FORCE)),
      sysrq: value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) : null,
    })
  },
})

const isForced = (text: string): boolean => /^SYSTEMD_SULOGIN_FORCE=(1|yes|true|on|y|t)$/i.test(text)
