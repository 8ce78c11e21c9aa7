import { defineCheck, unclearAbout } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { isGpuFunction, isVirtualGpuName } from '../gpu/models.ts'
import { gpuCards } from '../probes/gpu-cards.ts'
import { gpuNvidia } from '../probes/gpu-nvidia.ts'
import { pciDevices } from '../probes/pci-devices.ts'
import { contradicts, count, decide, supports, unclear } from '../steps.ts'
import { gpusOnBus, NVIDIA, withoutGpu } from './gpu-bus.ts'
import { wholeBetween } from './values.ts'

const LIMITS =
  'Whole GPUs reported by a driver, at least as many as claimed. Whether each works under load is not tested.'
/** More than any server holds. */
const MOST = 256

export const gpuCount: ClaimTest = {
  id: 'gpu.count',
  title: 'A driver reports at least the claimed number of whole GPUs.',
  takes: { kind: 'number', unit: 'GPUs' },
  limitations: LIMITS,
  of(value) {
    const promised = wholeBetween(value, 1, MOST)
    if (promised === null) return null
    return defineCheck({
      id: 'gpu.count',
      property: 'operations',
      expected: `At least ${count(promised, 'whole GPU')} on the bus is reported by its driver.`,
      limitations: LIMITS,
      requires: { pci: pciDevices },
      optional: { driver: gpuNvidia, cards: gpuCards },
      evaluate({ pci }, { driver, cards }) {
        const none = withoutGpu(pci)
        if (none !== null) return decide([none])
        const listed = gpusOnBus(pci)
        if (listed.length < promised)
          return decide([
            contradicts(`${count(listed.length, 'GPU')} on the PCI bus; the provider claims ${promised}.`, pciDevices),
          ])
        // Each manufacturer's own driver reports its GPUs: else one that is missing could hide that a GPU is virtual.
        const gpus = driver.ok ? driver.fact.gpus : []
        const others = cards.ok ? cards.fact.cards.filter(({ vendor }) => vendor !== NVIDIA) : []
        const parts = new Set([
          ...listed.filter(isGpuFunction).map(({ address }) => address),
          ...others.filter(({ physicalFunction }) => physicalFunction !== null).map(({ address }) => address),
          ...gpus
            .filter(({ name, virtualization }) => isVirtualGpuName(name) || /^VGPU$/i.test(virtualization))
            .map(({ address }) => address),
        ])
        const driven = new Set([...gpus, ...others].map(({ address }) => address))
        const whole = listed.filter(({ address }) => !parts.has(address))
        if (whole.length < promised)
          return decide([
            contradicts(
              `${whole.length} of ${count(listed.length, 'GPU')} on the PCI bus are whole and the others are parts of GPUs; the provider claims ${promised}.`,
              driver.ok ? gpuNvidia : pciDevices,
            ),
          ])
        const answering = whole.filter(({ address }) => driven.has(address)).length
        return decide(
          answering >= promised
            ? [supports(`${count(answering, 'whole GPU')} on the bus and answering.`, driver.ok ? gpuNvidia : gpuCards)]
            : [
                unclear(
                  `${count(listed.length, 'GPU')} on the PCI bus, of which ${answering} are reported by a driver.`,
                  pciDevices,
                ),
                ...unclearAbout(gpuNvidia, driver),
              ],
        )
      },
    })
  },
}
