import { type Conclusion, type DraftObservation, defineCheck } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { type Disk, type Disks, inventoryDisks } from '../drives/inventory.ts'
import { usbDevices } from '../pci/probes.ts'
import { contradicts, decide, named, supports, unclear } from '../steps.ts'
import { type GuardPolicy, type StorageRules, usbGuardPolicy, usbStorageRules } from './probes.ts'

export const accessRemovableMedia = defineCheck({
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
