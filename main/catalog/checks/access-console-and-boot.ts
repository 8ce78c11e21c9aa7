import { defineCheck, type MaybeFactsOf, type Step, unclearAbout } from '../../core/check.ts'
import { passwordsTold } from '../password-states.ts'
import { accountsPasswordLocks } from '../probes/accounts-password-locks.ts'
import { accountsPasswordState } from '../probes/accounts-password-state.ts'
import { type BootLoader, bootLoaderPassword } from '../probes/boot-loader-password.ts'
import { type ConsoleLogin, consoleLogin } from '../probes/console-login.ts'
import { leavesUnclear, named, speaksAgainst, speaksFor, weigh } from '../steps.ts'

const WANTS = { passwords: accountsPasswordState, locks: accountsPasswordLocks }

export const accessConsoleAndBoot = defineCheck({
  id: 'access.console-and-boot',
  property: 'access',
  claim:
    'Whoever reaches the console needs a password before changing how the server starts, and gets no shell there without one.',
  limits:
    'A password of the boot loader does not keep anybody from starting other media, and says nothing of the firmware’s own settings, the management controller’s console or who may stand before the machine. Whether Ctrl-Alt-Del reboots and what the SysRq key does is told and not counted.',
  needs: { loader: bootLoaderPassword, console: consoleLogin },
  wants: WANTS,
  evaluate: ({ loader, console }, wanted) =>
    weigh([...loaderSteps(loader), ...singleUser(console, wanted), ...consoles(console), keyboard(console)]),
})

function loaderSteps({ grub, systemdBoot, superusers, hashed, plain, editor }: BootLoader): readonly Step[] {
  if (!grub && !systemdBoot)
    return [leavesUnclear('Neither GRUB nor systemd-boot has its settings where we looked.', bootLoaderPassword)]
  return [
    ...(grub
      ? [
          superusers && hashed
            ? speaksFor(
                'GRUB asks for a password before an entry is changed; it is kept as a hash.',
                bootLoaderPassword,
              )
            : speaksAgainst(
                superusers || hashed
                  ? 'GRUB’s password is set up by half: a name or a hash is missing, so that none is asked for.'
                  : 'GRUB asks for no password: at the console, anybody can change how the server starts.',
                bootLoaderPassword,
              ),
        ]
      : []),
    ...(plain ? [speaksAgainst('A password of GRUB stands in its settings in clear.', bootLoaderPassword)] : []),
    ...(systemdBoot
      ? [
          editor
            ? speaksAgainst(
                'systemd-boot lets anybody at the console change the kernel’s command line.',
                bootLoaderPassword,
              )
            : speaksFor('systemd-boot does not let the kernel’s command line be changed.', bootLoaderPassword),
        ]
      : []),
  ]
}

/** sulogin(8) asks for root's password, and opens nothing where root is locked unless it is forced to. */
function singleUser({ forced, words }: ConsoleLogin, facts: MaybeFactsOf<typeof WANTS>): readonly Step[] {
  const { passwords, toldBy } = passwordsTold(facts)
  const other = words.filter((word) => !word.startsWith('console='))
  const state = passwords.ok ? passwords.fact.states.get('root') : undefined
  return [
    ...(forced.length > 0
      ? [
          speaksAgainst(
            `Single-user mode opens without a password (SYSTEMD_SULOGIN_FORCE): ${named(forced)}.`,
            consoleLogin,
          ),
        ]
      : state === undefined
        ? passwords.ok
          ? [leavesUnclear('Whether root has a password was not told; single-user mode asks for it.', toldBy)]
          : unclearAbout(accountsPasswordState, passwords)
        : [
            state === 'none'
              ? speaksAgainst('Root has an empty password, so that single-user mode opens.', toldBy)
              : speaksFor(
                  state === 'locked'
                    ? 'Root is locked, so that single-user mode opens no shell.'
                    : 'Single-user mode asks for root’s password.',
                  toldBy,
                ),
          ]),
    ...(other.length > 0
      ? [leavesUnclear(`The server was started in another way than usual: ${named(other)}.`, consoleLogin, 'words')]
      : []),
  ]
}

function consoles({ units, automatic, words }: ConsoleLogin): readonly Step[] {
  const shell = units.has('debug-shell.service')
  const open = [...units].filter((unit) => unit.includes('getty'))
  const serial = words.filter((word) => /^console=(ttyS|ttyAMA|hvc)/.test(word))
  return [
    ...(automatic.length > 0
      ? [speaksAgainst(`A console logs somebody in without a question: ${named(automatic)}.`, consoleLogin, 'files')]
      : [
          speaksFor(
            'No console logs somebody in without a question, as far as the administrator’s units say.',
            consoleLogin,
            'files',
          ),
        ]),
    ...(shell
      ? [
          speaksAgainst(
            'A shell for debugging is open on the console without a password (debug-shell).',
            consoleLogin,
            'units',
          ),
        ]
      : []),
    speaksFor(
      `Consoles that offer a login: ${open.length > 0 ? named(open) : 'none'}${serial.length > 0 ? `; the kernel also speaks on ${named(serial)}` : ''}.`,
      consoleLogin,
      'units',
      'words',
    ),
  ]
}

const keyboard = ({ reboots, sysrq }: ConsoleLogin): Step =>
  speaksFor(
    `Ctrl-Alt-Del ${reboots ? 'reboots the server' : 'is switched off'}; the SysRq key ${
      sysrq === null
        ? 'is not told'
        : sysrq === 0
          ? 'is switched off'
          : sysrq === 1
            ? 'does everything'
            : `does what the mask ${sysrq} allows`
    }.`,
    consoleLogin,
    'units',
    'sysrq',
  )
