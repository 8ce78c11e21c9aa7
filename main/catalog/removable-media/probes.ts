import { defineProbe, glob, known, type Parsed, run, runAsRoot, unknown } from '../../core/probe.ts'
import {
  ALWAYS_FILE,
  ALWAYS_PATH,
  foundLines,
  grepIsComplete,
  isAbsent,
  lines,
  OF_ALWAYS_FILE,
  OF_ALWAYS_PATH,
  readUnits,
  type UnitState,
} from '../read-text.ts'

/** The kernel’s drivers for USB drives; uas needs usb_storage. */
export type StorageDriver = 'usb_storage' | 'uas'
const DRIVERS: readonly StorageDriver[] = ['usb_storage', 'uas']

export interface StorageRules {
  /** Program that is run in place of loading usb_storage (modprobe.d(5), install), as written; null where no line names one. */
  readonly install: string | null
  /** Drivers that no alias loads (modprobe.d(5), blacklist; modprobe.blacklist and module_blacklist of the command line). */
  readonly blacklisted: readonly StorageDriver[]
  /** Drivers in the running kernel, as modules or built in. */
  readonly loaded: readonly StorageDriver[]
  /** The service of USBGuard; null where it is not installed. */
  readonly guard: 'running' | 'enabled' | 'off' | null
}

// The kernel takes a dash in a name for an underscore.
const NAMES = '(usb[-_]storage|uas)'

const GUARD = 'usbguard.service'

/** modprobe.d(5), kernel-parameters.txt (module_blacklist, modprobe.blacklist), usbguard(1). */
export const usbStorageRules = defineProbe({
  id: 'usb.storage-rules',
  title: 'Rules for USB storage',
  why: 'Shows whether the kernel loads the drivers of USB drives, and whether USBGuard decides on devices.',
  commands: {
    rules: run(
      [
        'grep',
        '-HE',
        `^[[:space:]]*(install|blacklist)[[:space:]]+${NAMES}([[:space:]]|$)|^Linux$`,
        ...['/etc', '/run', '/usr/lib', '/lib'].map((folder) => glob(`${folder}/modprobe.d/*.conf`)),
        ALWAYS_FILE,
      ],
      OF_ALWAYS_FILE,
    ),
    words: run(['grep', '-oE', '(module_blacklist|modprobe[.]blacklist)=[A-Za-z0-9_,-]+', '/proc/cmdline']),
    loaded: run(['ls', '-d', ...DRIVERS.map((driver) => `/sys/module/${driver}`), ALWAYS_PATH], OF_ALWAYS_PATH),
    guard: run(['systemctl', 'show', '--property=Id,LoadState,ActiveState,UnitFileState', GUARD]),
  },
  parse({ rules, words, loaded, guard }): Parsed<StorageRules> {
    if (!grepIsComplete(rules)) return unknown('not every file with rules for modules could be read')
    if (words.exitCode > 1) return unknown('the kernel’s command line could not be read')
    const paths = lines(loaded.text)
    if (DRIVERS.some((driver) => !paths.includes(`/sys/module/${driver}`)) && !isAbsent(loaded))
      return unknown('which drivers are loaded could not be read')
    const units = readUnits(guard, [GUARD])
    if (!units.ok) return units
    const said = foundLines(rules.text).flatMap(({ line }) => {
      const [, verb = '', name = '', rest = ''] = /^\s*(install|blacklist)\s+(\S+)\s*(.*)$/.exec(line) ?? []
      return verb === '' ? [] : [{ verb, driver: driverOf(name), rest: rest.trim() }]
    })
    const kernel = lines(words.text).flatMap((word) => word.slice(word.indexOf('=') + 1).split(','))
    const names = new Set([
      ...said.filter(({ verb }) => verb === 'blacklist').map(({ driver }) => driver),
      ...kernel.map(driverOf),
    ])
    return known({
      install: said.findLast(({ verb, driver }) => verb === 'install' && driver === 'usb_storage')?.rest ?? null,
      blacklisted: DRIVERS.filter((driver) => names.has(driver)),
      loaded: DRIVERS.filter((driver) => paths.includes(`/sys/module/${driver}`)),
      guard: guardOf(units.fact.get(GUARD) ?? new Map()),
    })
  },
})

const driverOf = (name: string): string => name.replaceAll('-', '_')

function guardOf(unit: UnitState): StorageRules['guard'] {
  if (unit.get('LoadState') !== 'loaded') return null
  if (unit.get('ActiveState') === 'active') return 'running'
  return (unit.get('UnitFileState') ?? '').startsWith('enabled') ? 'enabled' : 'off'
}

export interface GuardPolicy {
  /** What happens to a device that no rule names: allow, block or reject. */
  readonly implicit: string | null
  /** What happens to a device that is plugged in: apply-policy, block, reject, allow. */
  readonly inserted: string | null
}

const DAEMON = '/etc/usbguard/usbguard-daemon.conf'

/** usbguard-daemon.conf(5). Its rules are not read: they name devices by their serial numbers. */
export const usbGuardPolicy = defineProbe({
  id: 'usb.guard-policy',
  title: 'Policy of USBGuard',
  why: 'Shows what USBGuard does with a device that its rules do not name. The rules are not read.',
  commands: {
    policy: runAsRoot(['grep', '-E', '^(ImplicitPolicyTarget|InsertedDevicePolicy)=', DAEMON], { needsPath: [DAEMON] }),
  },
  parse({ policy }): Parsed<GuardPolicy> {
    if (!grepIsComplete(policy)) return unknown('the settings of USBGuard could not be read')
    const value = (key: string): string | null =>
      lines(policy.text)
        .findLast((line) => line.startsWith(`${key}=`))
        ?.slice(key.length + 1)
        .trim() ?? null
    return known({ implicit: value('ImplicitPolicyTarget'), inserted: value('InsertedDevicePolicy') })
  },
})
