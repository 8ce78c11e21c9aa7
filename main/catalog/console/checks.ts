import { type DraftObservation, defineCheck, type MaybeFactsOf, unclearAbout } from '../../core/check.ts'
import { accountsPasswordLocks, accountsPasswordState, reportedPasswords } from '../accounts/probes.ts'
import { contradicts, decide, named, supports, unclear } from '../steps.ts'
import { type BootLoader, bootLoaderPassword, type ConsoleLogin, consoleLogin } from './probes.ts'

const WANTS = { passwords: accountsPasswordState, locks: accountsPasswordLocks }

export const accessConsoleAndBoot = defineCheck({
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

/** sulogin(8) requires root's password, and opens nothing where root is locked unless it is forced to. */
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
        : [
            state === 'none'
              ? contradicts('Root has an empty password, so that single-user mode opens.', reportedBy)
              : supports(
                  state === 'locked'
                    ? 'Root is locked, so that single-user mode opens no shell.'
                    : 'Single-user mode requires root’s password.',
                  reportedBy,
                ),
          ]),
    ...(other.length > 0
      ? [unclear(`The server was started in another way than usual: ${named(other)}.`, consoleLogin, 'words')]
      : []),
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
