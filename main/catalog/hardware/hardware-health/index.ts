import type { Parsed } from '../../../core/recording/probe.ts'
import { type Context, type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { limitOf, limitText } from '../../base/thresholds.ts'
import { isInMachine } from '../../single-tenancy/isolation/disk-attachment.ts'
import { type Disk, inventoryDisks } from '../drives/inventory.ts'
import { gpuNvidia, type NvidiaGpus } from '../gpu/nvidia.ts'
import { type Bmc, bmc, bmcPresence } from '../management-controller/probes.ts'
import { type PciDevices, pciDevices } from '../pci/probes.ts'
import { controllerSteps } from '../redundancy/index.ts'
import data from './checks.json' with { type: 'json' }
import {
  type CpuThrottling,
  cpuThrottling,
  driveHealthNvme,
  driveHealthSmart,
  type NvmeHealth,
  type NvmeHealths,
  type SmartHealth,
  type SmartHealths,
} from './drives.ts'

export const availabilityHardwareHealth = defineCheck({
  id: 'availability.hardware-health',
  property: 'operations',
  expected:
    'No drive reports imminent failure or exceeds its rated life, no sensor is beyond its limits, and no GPU memory repair is pending.',
  limitations:
    'Parts report on themselves, and drives also fail without a warning. Counts of memory errors are tested by another check; messages of the kernel about GPUs (XID) were not read. Drives behind a RAID controller or a network are not queried.',
  requires: { disks: inventoryDisks, presence: bmcPresence, pci: pciDevices },
  optional: {
    nvme: driveHealthNvme,
    smart: driveHealthSmart,
    controller: bmc,
    gpus: gpuNvidia,
    throttling: cpuThrottling,
  },
  thresholds: ['disk.worn'],
  evaluate({ disks: { disks }, presence, pci }, { nvme, smart, controller, gpus, throttling }, context) {
    const local = disks.filter((disk) => isInMachine(disk) && !/^(sr|fd)/.test(disk.name))
    return decide([
      ...(local.length === 0 ? [unclear('No drive in the server itself is listed.', inventoryDisks)] : []),
      ...nvmeSteps(local, nvme, context),
      ...smartSteps(local, smart, context),
      ...otherSteps(local),
      ...controllerSteps(presence, controller, sensorSteps),
      ...gpuSteps(pci, gpus),
      ...heatSteps(throttling),
    ])
  },
})

// NVM Express base specification 2.0, figure 207, byte 0.
const WARNINGS = [
  'its spare space is low',
  'its temperature is beyond a limit',
  'it is no longer reliable',
  'it only reads',
  'its backup of volatile memory failed',
  'its persistent memory region cannot be trusted',
]

const warningsOf = ({ criticalWarning }: NvmeHealth): readonly string[] => {
  const known = WARNINGS.filter((_, bit) => Math.floor(criticalWarning / 2 ** bit) % 2 === 1)
  return known.length > 0 || criticalWarning === 0 ? known : ['a warning that this catalog does not know']
}

function nvmeSteps(disks: readonly Disk[], nvme: Parsed<NvmeHealths>, context: Context): readonly DraftObservation[] {
  const drives = [...new Set(disks.flatMap(({ name }) => /^nvme\d+/.exec(name)?.[0] ?? []))]
  if (!nvme.ok) return drives.length === 0 ? [] : unclearAbout(driveHealthNvme, nvme)
  const { controllers, silent } = nvme.fact
  // With native multipath a drive has the number of its subsystem, which need not be that of a controller.
  const unread = controllers.size >= drives.length ? [] : drives.filter((name) => !controllers.has(name))
  const limit = limitOf(context, 'disk.worn')
  const bad = [...controllers].flatMap(([name, health]) => [
    ...warningsOf(health).map((text) => contradicts(`The drive ${named([name])} warns: ${text}.`, driveHealthNvme)),
    ...wearStep(name, health.percentUsed, limitText(limit), limit.value, driveHealthNvme),
  ])
  const errors = [...controllers].filter(([, { mediaErrors }]) => (mediaErrors ?? 0) > 0)
  const used = [...controllers.values()].flatMap(({ percentUsed }) => percentUsed ?? [])
  return [
    ...bad,
    ...(controllers.size > 0 && bad.length === 0
      ? [
          supports(
            `${count(controllers.size, 'NVMe drive')} without a warning${used.length === 0 ? '' : `; the most worn has used ${Math.max(...used)} % of its rated life (limit: ${limitText(limit)})`}.`,
            driveHealthNvme,
          ),
        ]
      : []),
    ...(errors.length === 0
      ? []
      : [
          supports(
            `Errors that a drive could not correct, since it was made: ${named(errors.map(([name, { mediaErrors }]) => `${name}: ${mediaErrors}`))} (recorded, not evaluated).`,
            driveHealthNvme,
          ),
        ]),
    ...unreadStep([...new Set([...unread, ...silent])], driveHealthNvme),
  ]
}

function smartSteps(
  disks: readonly Disk[],
  smart: Parsed<SmartHealths>,
  context: Context,
): readonly DraftObservation[] {
  const drives = disks.map(({ name }) => name).filter((name) => /^sd[a-z]+$/.test(name))
  if (!smart.ok) return drives.length === 0 ? [] : unclearAbout(driveHealthSmart, smart)
  const limit = limitOf(context, 'disk.worn')
  const read = drives.flatMap((name): readonly (readonly [string, SmartHealth])[] => {
    const health = smart.fact.drives.get(name)
    return health === undefined ? [] : [[name, health]]
  })
  const bad = read.flatMap(([name, { passed, pendingSectors, percentUsed }]) => [
    ...(passed ? [] : [contradicts(`The drive ${named([name])} predicts its own failure.`, driveHealthSmart)]),
    ...((pendingSectors ?? 0) > 0
      ? [
          contradicts(
            `The drive ${named([name])} cannot read ${count(pendingSectors ?? 0, 'sector')}.`,
            driveHealthSmart,
          ),
        ]
      : []),
    ...wearStep(name, percentUsed, limitText(limit), limit.value, driveHealthSmart),
  ])
  const replaced = read.filter(([, { replacedSectors }]) => (replacedSectors ?? 0) > 0)
  return [
    ...bad,
    ...(read.length > 0 && bad.length === 0
      ? [
          supports(
            `${count(read.length, 'SATA or SAS drive')} without a warning, nor past the limit of wear (${limitText(limit)}) where a drive reports it.`,
            driveHealthSmart,
          ),
        ]
      : []),
    ...(replaced.length === 0
      ? []
      : [
          supports(
            `Sectors that a drive replaced: ${named(replaced.map(([name, { replacedSectors }]) => `${name}: ${replacedSectors}`))} (recorded, not evaluated).`,
            driveHealthSmart,
          ),
        ]),
    ...unreadStep(
      drives.filter((name) => !smart.fact.drives.has(name)),
      driveHealthSmart,
    ),
  ]
}

type DriveProbe = typeof driveHealthNvme | typeof driveHealthSmart

const wearStep = (
  name: string,
  percent: number | null,
  limit: string,
  most: number,
  probe: DriveProbe,
): readonly DraftObservation[] =>
  percent === null || percent <= most
    ? []
    : [contradicts(`The drive ${named([name])} has used ${percent} % of its rated life (limit: ${limit}).`, probe)]

const unreadStep = (names: readonly string[], probe: DriveProbe): readonly DraftObservation[] =>
  names.length === 0 ? [] : [unclear(`The health of ${named(names)} was not read.`, probe)]

function otherSteps(disks: readonly Disk[]): readonly DraftObservation[] {
  const others = disks.map(({ name }) => name).filter((name) => !/^(nvme\d|sd[a-z])/.test(name))
  return others.length === 0
    ? []
    : [unclear(`Drives of a kind that does not report its health: ${named(others)}.`, inventoryDisks)]
}

function sensorSteps({ beyondLimits = [], sensors }: Bmc): readonly DraftObservation[] {
  return beyondLimits.length === 0
    ? [supports(`Of ${count(sensors ?? 0, 'sensor')} none is beyond its limits.`, bmc, 'sensors')]
    : beyondLimits.map(({ name, state }) =>
        contradicts(`The sensor ${named([name])} is beyond its limits: ${named([state])}.`, bmc, 'sensors'),
      )
}

// PCI: vendor 10de is NVIDIA, class 03 a display or 3D controller.
function gpuSteps({ devices }: PciDevices, gpus: Parsed<NvidiaGpus>): readonly DraftObservation[] {
  const there = devices.filter((device) => device.vendor === '10de' && device.class.startsWith('03'))
  if (!gpus.ok) return there.length === 0 ? [] : unclearAbout(gpuNvidia, gpus)
  // A GPU whose memory has no error correction has no repairs to report.
  const reporting = gpus.fact.gpus.filter(
    ({ memoryErrors: { replaced, isPending, hasFailed } }) => isPending || hasFailed || replaced !== null,
  )
  const silent = gpus.fact.gpus.filter((gpu) => gpu.ecc === 'Enabled' && !reporting.includes(gpu))
  const failed = reporting.filter(({ memoryErrors }) => memoryErrors.hasFailed)
  const pending = reporting.filter(({ memoryErrors }) => memoryErrors.isPending && !memoryErrors.hasFailed)
  const addresses = (found: typeof reporting): string => named(found.map(({ address }) => address))
  const unlisted = there.length - gpus.fact.gpus.length
  return [
    ...(unlisted > 0
      ? [
          unclear(
            `${count(unlisted, 'NVIDIA GPU')} of ${there.length} on the bus not listed by the driver: fallen out, or lent to a guest.`,
            gpuNvidia,
          ),
        ]
      : []),
    ...(failed.length === 0
      ? []
      : [
          contradicts(
            `Memory of ${count(failed.length, 'GPU')} could not be repaired: ${addresses(failed)}.`,
            gpuNvidia,
          ),
        ]),
    ...(pending.length === 0
      ? []
      : [
          contradicts(
            `Memory of ${count(pending.length, 'GPU')} waits for a reset to be repaired: ${addresses(pending)}.`,
            gpuNvidia,
          ),
        ]),
    ...(reporting.length > 0 && failed.length + pending.length === 0
      ? [supports(`${count(reporting.length, 'GPU')} without a pending or failed memory repair.`, gpuNvidia)]
      : []),
    ...(silent.length === 0
      ? []
      : [unclear(`${count(silent.length, 'GPU')} did not report whether memory was repaired.`, gpuNvidia)]),
  ]
}

function heatSteps(throttling: Parsed<CpuThrottling>): readonly DraftObservation[] {
  if (!throttling.ok || throttling.fact.times === null) return []
  return [
    supports(
      `Since the last start a processor was slowed by heat ${count(throttling.fact.times, 'time')} (recorded, not evaluated).`,
      cpuThrottling,
    ),
  ]
}

export const hardwareHealthSubject = defineSubject({
  id: 'hardware-health',
  title: 'Health of hardware',
  probes: [driveHealthNvme, driveHealthSmart, cpuThrottling],
  checks: [availabilityHardwareHealth],
  data,
})
