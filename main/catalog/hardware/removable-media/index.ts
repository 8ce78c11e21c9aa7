import { quote } from '../../../core/base/plain-text.ts'
import { defineProbe, glob, known, type Parsed, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { type Conclusion, type DraftObservation, defineCheck } from '../../../core/rules/check.ts'
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
  showUnits,
  type UnitState,
} from '../../base/read-text.ts'
import { contradicts, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { type Disk, type Disks, inventoryDisks } from '../drives/inventory.ts'
import { usbDevices } from '../pci/probes.ts'
import data from './checks.json' with { type: 'json' }

/** The kernel’s drivers for USB drives; uas needs usb_storage. */
type StorageDriver = 'usb_storage' | 'uas'
const DRIVERS: readonly StorageDriver[] = ['usb_storage', 'uas']

interface StorageRules {
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
    guard: showUnits('Id,LoadState,ActiveState,UnitFileState', [GUARD]),
  },
  parse({ rules, words, loaded, guard }): Parsed<StorageRules> {
    if (!grepIsComplete(rules)) return unknown('not every file with rules for modules could be read')
    if (words.exitCode > 1) return unknown('the kernel’s command line could not be read')
    const paths = lines(loaded.text)
    if (DRIVERS.some((driver) => !paths.includes(`/sys/module/${driver}`)) && !isAbsent(loaded))
      return unknown('which drivers are loaded could not be read')
    const units = readUnits(guard, [GUARD])
    if (!units.ok) return units
    const rows = foundLines(rules.text).flatMap(({ line }) => {
      const [, verb = '', name = '', rest = ''] = /^\s*(install|blacklist)\s+(\S+)\s*(.*)$/.exec(line) ?? []
      return verb === '' ? [] : [{ verb, driver: driverOf(name), rest: rest.trim() }]
    })
    const kernel = lines(words.text).flatMap((word) => word.slice(word.indexOf('=') + 1).split(','))
    const names = new Set([
      ...rows.filter(({ verb }) => verb === 'blacklist').map(({ driver }) => driver),
      ...kernel.map(driverOf),
    ])
    return known({
      install: rows.findLast(({ verb, driver }) => verb === 'install' && driver === 'usb_storage')?.rest ?? null,
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

interface GuardPolicy {
  /** Action for a device that no rule names: allow, block or reject. */
  readonly implicit: string | null
  /** Action for a device that is plugged in: apply-policy, block, reject or allow. */
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

const accessRemovableMedia = defineCheck({
  id: 'access.removable-media',
  property: 'access',
  expected:
    'USB drives cannot be used: their drivers are kept from loading, or USBGuard blocks devices that its policy does not name.',
  limitations:
    'Applies to USB drives that the operating system sees at the time of collection, not to memory cards, tape or devices handed to a guest. Virtual media of a management controller appears as a USB drive and is named as such by the words of the device alone. Rules of USBGuard are not read: a policy can permit drives. Whether media may be used is a decision of the customer’s policy, so that a node without any such rule leaves the result inconclusive; a drive that is attached is a deviation only where a rule forbids it. An administrator can load a blocked driver.',
  requires: { rules: usbStorageRules, usb: usbDevices, disks: inventoryDisks },
  optional: { policy: usbGuardPolicy },
  evaluate({ rules, usb, disks }, { policy }): Conclusion {
    const attached = attachedOverUsb(disks)
    if (usb.devices.length === 0 && attached.length === 0)
      return {
        verdict: 'not-applicable',
        observations: [supports('The kernel shows no USB controller, so no USB drive can be attached.', usbDevices)],
      }
    const byGuard = guardSteps(rules, policy)
    const isGuarded = byGuard.some(({ direction }) => direction === 'supports')
    // Half a rule for the drivers leaves nothing open where USBGuard decides.
    const byDriver = driverSteps(rules).filter(({ direction }) => !isGuarded || direction !== 'unclear')
    const forbids = byDriver.some(({ direction }) => direction !== 'unclear')
    return decide([
      ...(byDriver.length + byGuard.length === 0
        ? [unclear('No rule keeps USB drives from use: neither for their drivers nor by USBGuard.', usbStorageRules)]
        : [...byDriver, ...byGuard]),
      ...attachedSteps(attached, forbids),
    ])
  },
})

/** A drive whose place in the device tree is below a USB bus. */
const attachedOverUsb = ({ disks }: Disks): readonly Disk[] => disks.filter(({ path }) => /\/usb\d{1,4}\//.test(path))

/** Words by which management controllers name the media that they present: iDRAC, iLO, XCC, and the firmware of AMI, ATEN and Insyde. */
const VIRTUAL = /\bvirtual\b|\b(idrac|ilo|imm|xcc|ami|aten|insyde)\b/i

function driverSteps({ install, blacklisted, loaded }: StorageRules): readonly DraftObservation[] {
  const isReplaced = install !== null && /^(\/usr)?\/bin\/(false|true)$/.test(install)
  const isListed = blacklisted.length === 2
  const rule = isReplaced
    ? `Loading usb_storage runs ${quote(install)} instead`
    : isListed
      ? 'The drivers usb_storage and uas do not load by themselves'
      : null
  if (rule !== null)
    return [
      loaded.length === 0
        ? supports(`${rule}, and neither driver is loaded.`, usbStorageRules)
        : contradicts(`${rule}, and the kernel has ${named(loaded)} all the same.`, usbStorageRules),
    ]
  return [
    ...(install === null
      ? []
      : [unclear(`Loading usb_storage runs ${quote(install)} instead; what that does is not known.`, usbStorageRules)]),
    ...(blacklisted.length === 1
      ? [
          unclear(
            `Only ${named(blacklisted)} does not load by itself; the other driver loads for a drive.`,
            usbStorageRules,
          ),
        ]
      : []),
  ]
}

function guardSteps({ guard }: StorageRules, policy: Parsed<GuardPolicy>): readonly DraftObservation[] {
  if (guard === null || guard === 'off') return []
  if (guard === 'enabled')
    return [contradicts('USBGuard is enabled and does not run, so that its policy is not applied.', usbStorageRules)]
  if (!policy.ok) return [unclear(`USBGuard is running. ${usbGuardPolicy.title}: ${policy.reason}.`, usbGuardPolicy)]
  const { implicit, inserted } = policy.fact
  // usbguard-daemon.conf(5): without a line, block and apply-policy.
  const blocks = /^(block|reject)$/.test(implicit ?? 'block')
  const applies = /^(apply-policy|block|reject)$/.test(inserted ?? 'apply-policy')
  return [
    blocks && applies
      ? supports('USBGuard is running and blocks devices that its policy does not name.', usbGuardPolicy)
      : contradicts(
          `USBGuard is running and admits devices that its policy does not name (ImplicitPolicyTarget ${quote(implicit ?? 'block')}, InsertedDevicePolicy ${quote(inserted ?? 'apply-policy')}).`,
          usbGuardPolicy,
        ),
  ]
}

function attachedSteps(attached: readonly Disk[], forbids: boolean): readonly DraftObservation[] {
  const words = ({ vendor, model }: Disk): string => `${vendor} ${model}`.trim()
  const virtual = attached.filter((disk) => VIRTUAL.test(words(disk)))
  const real = attached.filter((disk) => !virtual.includes(disk))
  const list = (disks: readonly Disk[]): string =>
    named(disks.map((disk) => `${disk.name}${words(disk) === '' ? '' : ` (${words(disk)})`}`))
  return [
    ...(real.length === 0
      ? []
      : [
          forbids
            ? contradicts(`Attached over USB although a rule keeps drives from use: ${list(real)}.`, inventoryDisks)
            : supports(`Attached over USB, which no rule forbids: ${list(real)}.`, inventoryDisks),
        ]),
    ...(virtual.length === 0
      ? []
      : [supports(`By its words virtual media of the management controller: ${list(virtual)}.`, inventoryDisks)]),
    ...(attached.length === 0 ? [supports('No drive is attached over USB.', inventoryDisks)] : []),
  ]
}

export const removableMediaSubject = defineSubject({
  id: 'removable-media',
  title: 'Removable media',
  probes: [usbStorageRules, usbGuardPolicy],
  checks: [accessRemovableMedia],
  data,
})
