import { defineCheck, unclearAbout } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { boardOf, isNvSwitch } from '../gpu/models.ts'
import { gpuNvidia } from '../probes/gpu-nvidia.ts'
import { pciDevices } from '../probes/pci-devices.ts'
import { contradicts, count, decide, supports, unclear } from '../steps.ts'
import { NVIDIA, undriven, withoutGpu } from './gpu-bus.ts'

const LIMITS =
  'Switches on the PCI bus, which are those of the A100 and H100 families. Later ones are not on the bus, and are shown only by the fabric state that the driver reports. Whether each port of a switch works is not shown.'

export const gpuNvswitch: ClaimTest = {
  id: 'gpu.nvswitch',
  title: 'NVSwitches join the GPUs.',
  takes: { kind: 'nothing' },
  limitations: LIMITS,
  of(value) {
    if (value !== null) return null
    return defineCheck({
      id: 'gpu.nvswitch',
      property: 'operations',
      expected: 'NVSwitches are on the PCI bus, or the driver reports that every GPU has joined a fabric of them.',
      limitations: LIMITS,
      requires: { pci: pciDevices },
      optional: { driver: gpuNvidia },
      evaluate({ pci }, { driver }) {
        const switches = pci.devices.filter(isNvSwitch).length
        const boards = pci.devices.flatMap((device) => boardOf(device) ?? []).filter((board) => board.switches > 0)
        const wanted = Math.max(0, ...boards.map((board) => board.switches))
        if (switches > 0)
          return decide([
            supports(`${count(switches, 'NVSwitch', 'NVSwitches')} on the PCI bus.`, pciDevices),
            ...(switches < wanted
              ? [unclear(`A baseboard with eight of these GPUs has ${wanted} of them.`, pciDevices)]
              : []),
          ])
        const none = withoutGpu(pci, NVIDIA)
        if (none !== null) return decide([none])
        if (!driver.ok) return decide(unclearAbout(gpuNvidia, driver))
        const states = driver.fact.gpus.map(({ fabric }) => fabric.state)
        const joined = states.filter((state) => state === 'Completed').length
        if (boards.length > 0)
          return decide([
            joined > 0
              ? unclear(
                  `No NVSwitch is on the PCI bus, and the driver reports that ${count(joined, 'GPU')} joined a fabric managed by another system.`,
                  gpuNvidia,
                )
              : contradicts(
                  `${count(boards.length, 'GPU')} of a family whose NVSwitches are on the PCI bus, and none of the ${count(pci.devices.length, 'PCI device')} is one.`,
                  pciDevices,
                ),
          ])
        return decide([
          joined > 0 && joined === states.length
            ? supports(`Every one of ${count(joined, 'GPU')} has joined a fabric of NVSwitches.`, gpuNvidia)
            : unclear('No NVSwitch is on the PCI bus, where those of this family need not be.', pciDevices),
          ...undriven(pci, driver.fact.gpus),
        ])
      },
    })
  },
}
