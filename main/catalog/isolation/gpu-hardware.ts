import { isUnderOwnDriver, isWholeById } from '../gpu/models.ts'
import { isGpu, isNvidiaGpu, type PciDevice, pciDevices } from '../pci/probes.ts'
import { count } from '../steps.ts'
import { type Observed, reads } from './observe.ts'
import { realPorts } from './pci-hardware.ts'
import type { Read } from './signal.ts'

// Where processors of Intel have their own graphics: part of the processor, no accelerator.
const BUILT_IN_GRAPHICS = '0000:00:02.0'

export interface NativeGpus {
  readonly holds: 'yes' | 'no' | 'not-applicable'
  readonly text: string
}

const no = (text: string): NativeGpus => ({ holds: 'no', text })
const yes = (text: string): NativeGpus => ({ holds: 'yes', text })

/** GPUs and accelerators of the PCI bus, without the graphics of a processor. */
const acceleratorsOf = (devices: readonly PciDevice[]): readonly PciDevice[] =>
  devices.filter((device) => isNvidiaGpu(device) || (isGpu(device) && device.address !== BUILT_IN_GRAPHICS))

/** Those without the driver of their manufacturer: nothing can be queried of them. */
const undrivenOf = (devices: readonly PciDevice[]): readonly PciDevice[] =>
  acceleratorsOf(devices).filter((device) => !isUnderOwnDriver(device))

/**
 * Part f of the minimum: whether every GPU and accelerator is a whole one of this machine. NVIDIA's driver states how its GPUs are
 * attached. Of other manufacturers' that are whole by their id, the port above and the driver are what there is to read; what a guest that
 * was given a whole one shows is the same, and that is stated. Not read does not hold; a machine without any has nothing to evaluate.
 */
export function nativeGpus(read: Read, observed: readonly Observed[]): NativeGpus {
  const pci = read(pciDevices)
  if (!pci.ok) return no(`${pciDevices.title}: ${pci.reason}.`)
  const accelerators = acceleratorsOf(pci.fact.devices)
  if (accelerators.length === 0) return { holds: 'not-applicable', text: 'The PCI bus has no GPU or accelerator.' }
  const others = accelerators.filter((device) => !isNvidiaGpu(device))
  if (others.length > 0) {
    const problem = otherProblem(read, others, observed)
    if (problem !== null) return no(problem)
  }
  const listed = accelerators.length - others.length
  if (listed === 0)
    return yes(
      `${count(others.length, 'accelerator')} of manufacturers other than NVIDIA: whole devices by their IDs, under their own driver, behind ports typical of hardware. Their driver does not report whether they were passed through to a guest.`,
    )
  return reads(observed, 'gpu.mode', 'bare-metal') && !reads(observed, 'gpu.hostlink', 'virtual')
    ? yes(`Of ${count(listed, 'GPU')} on the PCI bus the driver calls none handed to a guest.`)
    : no(
        `${count(listed, 'GPU')} on the PCI bus, and the driver does not report all of them as native.${undrivenText(pci.fact.devices)}`,
      )
}

/** What is missing of the accelerators of other manufacturers than NVIDIA; null where nothing is. */
function otherProblem(read: Read, others: readonly PciDevice[], observed: readonly Observed[]): string | null {
  const said = `Of ${count(others.length, 'accelerator')} of manufacturers other than NVIDIA`
  const strange = others.filter((device) => !isWholeById(device)).length
  if (strange > 0 || reads(observed, 'gpu.function', 'virtual'))
    return `${said}, ${strange} ${strange === 1 ? 'has an id' : 'have ids'} not listed as that of a whole device.`
  const bare = others.filter(({ above }) => above.length === 0).length
  if (bare > 0) return `${said}, ${bare} ${bare === 1 ? 'has' : 'have'} no port above.`
  const undriven = undrivenText(others)
  if (undriven !== '') return `${said}, not all can be queried.${undriven}`
  const ports = realPorts(read)
  return ports.holds ? null : `${said}, the ports are not known to be those of hardware. ${ports.text}`
}

function undrivenText(devices: readonly PciDevice[]): string {
  const undriven = undrivenOf(devices).length
  return undriven === 0
    ? ''
    : ` ${undriven} of ${count(acceleratorsOf(devices).length, 'GPU or accelerator', 'GPUs and accelerators')} ${undriven === 1 ? 'has' : 'have'} no vendor driver.`
}

/** How many GPUs and accelerators have no driver of their manufacturer; 0 where the bus was not read. */
export function undrivenGpus(read: Read): number {
  const pci = read(pciDevices)
  return pci.ok ? undrivenOf(pci.fact.devices).length : 0
}
