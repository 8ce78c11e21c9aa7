import type { Probe } from '../../../../core/recording/probe.ts'
import type { Read } from '../../../../core/recording/readings.ts'
import { count, named } from '../../../base/steps.ts'
import { isUnderOwnDriver, isWholeById } from '../../../hardware/gpu/models.ts'
import { gpusOf, isNvidiaGpu, type PciDevice, pciDevices } from '../../../hardware/pci/probes.ts'
import {
  type CpuFeatures,
  cpuFeatures,
  cpuPlatform,
  samplingUnits,
  uncoreUnits,
} from '../../../hardware/processors/features.ts'
import {
  type CpuRegisters,
  type CpuSensors,
  cpuEnergy,
  cpuMsr,
  cpuSensors,
  type MemoryController,
  type RegisterAnswer,
  type Temperature,
} from '../../../hardware/processors/instruments.ts'
import { virtGuests } from '../../virtualization/index.ts'
import { hasHostPowerBits, isSince2009 } from '../cpu-tables.ts'
import { realPorts } from '../pci-hardware.ts'
import { type Observed, reads } from '../signal.ts'

interface RegisterReading {
  /**
   * sane: they hold what hardware holds; silent: zeros or refusals where hardware has values; mixed: neither; unknown: no list for this
   * manufacturer.
   */
  readonly is: 'sane' | 'silent' | 'mixed' | 'unknown'
  /** The value that was found, in a few words. */
  readonly value: string
}

/** Clock ratio: multiples of 100 (133 before 2011) MHz at which the processor is sold. */
const RATIO: readonly [number, number] = [4, 80]
/** Highest temperature of the cores in degrees Celsius. */
const HIGHEST_TEMPERATURE: readonly [number, number] = [60, 125]
const PSTATE_ENABLED = 1n << 63n
/** AMD has the unit of energy in a register since Zen. */
const ZEN = 23

const within = (value: number | null, [low, high]: readonly [number, number]): boolean =>
  value !== null && value >= low && value <= high
const bits = (answer: RegisterAnswer, shift: bigint, mask: bigint): number | null =>
  answer === 'refused' ? null : Number((answer >> shift) & mask)

/**
 * What the registers show about hardware. Intel SDM vol. 4 (0xCE, 0x1A2, 0x606, 0x34); AMD PPR (P-state definition,
 * RAPL unit).
 */
export function readRegisters(cpu: CpuFeatures, registers: CpuRegisters): RegisterReading {
  if (!isSince2009(cpu)) return { is: 'unknown', value: 'not listed for this processor' }
  if (cpu.vendor === 'GenuineIntel') return intel(registers)
  return cpu.vendor === 'AuthenticAMD' ? amd(registers, (cpu.family ?? 0) >= ZEN) : amd(registers, true)
}

function intel({ platformInfo, temperatureTarget, powerUnit, smiCount }: CpuRegisters): RegisterReading {
  const ratio = bits(platformInfo, 8n, 0xffn)
  const highest = bits(temperatureTarget, 16n, 0xffn)
  const unit = bits(powerUnit, 0n, 0xffffffn)
  const parts = [
    `clock ratio ${shown(ratio)}`,
    `highest temperature ${shown(highest)}`,
    `energy unit ${shown(unit, 16)}`,
    `firmware interrupts ${shown(bits(smiCount, 0n, 0xffffffffn))}`,
  ]
  const sane = within(ratio, RATIO) && within(highest, HIGHEST_TEMPERATURE)
  const silent = [ratio, highest, unit].every((value) => value === null || value === 0)
  return { is: sane ? 'sane' : silent ? 'silent' : 'mixed', value: parts.join(', ') }
}

function amd({ amdPstate, amdPowerUnit }: CpuRegisters, hasUnit: boolean): RegisterReading {
  const isEnabled = amdPstate !== 'refused' && (amdPstate & PSTATE_ENABLED) !== 0n
  const unit = bits(amdPowerUnit, 0n, 0xffffffn)
  const value = `first performance state ${amdPstate === 'refused' ? 'refused' : isEnabled ? 'defined' : 'not defined'}, energy unit ${shown(unit, 16)}`
  const hasEnergy = unit !== null && unit !== 0
  if (isEnabled && (hasEnergy || !hasUnit)) return { is: 'sane', value }
  return { is: isEnabled || hasEnergy ? 'mixed' : 'silent', value }
}

const shown = (value: number | null, base: 10 | 16 = 10): string =>
  value === null ? 'refused' : base === 16 ? `0x${value.toString(16)}` : String(value)

interface Held {
  readonly holds: boolean
  readonly text: string
}

/**
 * Whether the processor shows what only a host may use: on x86 the power-management features of its manufacturer; on arm64, which has no
 * such list, the hypervisor's own mode or the sampling of its cores, together with another unit that guests are not given.
 */
export function hostFeatures(read: Read): Held {
  const cpu = read(cpuFeatures)
  if (!cpu.ok) return { holds: false, text: `${cpuFeatures.title}: ${cpu.reason}.` }
  if (cpu.fact.architecture === 'arm64') return armHostFeatures(read)
  const { powerBits, powerBitsAsked } = cpu.fact
  if (powerBitsAsked.length === 0)
    return {
      holds: false,
      text: 'This processor family does not have the features that distinguish hardware from a guest.',
    }
  const shown = `The processor shows ${powerBits.length} of the ${powerBitsAsked.length} power-management features that hardware has and guests are not given as a rule`
  return hasHostPowerBits(cpu.fact)
    ? { holds: true, text: `${shown}.` }
    : { holds: false, text: `${shown}; hardware of its kind shows more.` }
}

/** Counted for arm64: what the kernel can use only where it starts in the hypervisor's mode, or that hypervisors keep to themselves. */
function armHostFeatures(read: Read): Held {
  const [platform, guests] = [read(cpuPlatform), read(virtGuests)]
  if (!platform.ok) return { holds: false, text: `${cpuPlatform.title}: ${platform.reason}.` }
  const sampling = samplingUnits(platform.fact).some((name) => name.startsWith('arm_spe'))
  const ownMode = guests.ok && guests.fact.found.includes('/dev/kvm')
  const found = [
    ...(ownMode ? ['the hypervisor’s mode of the processor'] : []),
    ...(sampling ? ['statistical profiling of the cores'] : []),
    ...(uncoreUnits(platform.fact).length > 0 ? ['counting units of the mesh and the memory'] : []),
    ...(platform.fact.cpufreqDriver === 'cppc_cpufreq' ? ['the firmware’s control of clock speeds'] : []),
  ]
  const holds = (ownMode || sampling) && found.length >= 2
  return {
    holds,
    text:
      found.length === 0
        ? 'The processor shows none of what only a host may use: its hypervisor’s mode, profiling of cores, counting units outside them.'
        : `Of the features reserved for a host, the kernel has ${found.join(', ')}${holds ? '.' : '; that alone does not distinguish hardware from a guest.'}`,
  }
}

interface Instrument {
  readonly name: 'rapl' | 'thermal' | 'msr' | 'edac'
  /** responses: a value was read that only hardware has; silent: it was read, and holds no such value; unread: nothing was read of it. */
  readonly is: 'answers' | 'silent' | 'unread'
  readonly text: string
}

/**
 * The instruments around the processor, each by a value read from it: a counter that rose, a plausible processor
 * temperature, registers with hardware values, memory controllers that list their modules. A name registered by the
 * kernel is not an instrument: it registers counting units, zones and drivers by the processor’s model alone.
 */
export function instruments(read: Read): readonly Instrument[] {
  const cpu = read(cpuFeatures)
  const isX86 = cpu.ok && cpu.fact.architecture === 'x86'
  return [...(isX86 ? [energy(read), registers(read, cpu.fact)] : []), temperature(read), memoryControllers(read)]
}

const unread = (name: Instrument['name'], { title }: Probe<unknown>, reason: string): Instrument => ({
  name,
  is: 'unread',
  text: `${title}: ${reason}.`,
})

function energy(read: Read): Instrument {
  const reading = read(cpuEnergy)
  if (!reading.ok) return unread('rapl', cpuEnergy, reading.reason)
  const { zone } = reading.fact
  if (zone === null) return { name: 'rapl', is: 'silent', text: 'The kernel has no energy counter.' }
  return zone.microjoules > 0
    ? {
        name: 'rapl',
        is: 'answers',
        text: `The energy counter of the processor rose by ${(zone.microjoules / 1e6).toFixed(3)} J between two samples.`,
      }
    : { name: 'rapl', is: 'silent', text: 'The energy counter of the processor did not rise between two samples.' }
}

function registers(read: Read, cpu: CpuFeatures): Instrument {
  const answers = read(cpuMsr)
  if (!answers.ok) return unread('msr', cpuMsr, answers.reason)
  const { is, value } = readRegisters(cpu, answers.fact)
  return is === 'sane'
    ? { name: 'msr', is: 'answers', text: `Registers of the processor hold what hardware holds: ${value}.` }
    : { name: 'msr', is: 'silent', text: `Registers of the processor do not hold what hardware holds: ${value}.` }
}

/** Degrees Celsius that a running processor in a machine room can have. */
const DEGREES: readonly [low: number, high: number] = [5, 115]

/**
 * Temperatures that a processor can have. One that is at the highest that the driver names is what the driver makes of an empty register:
 * coretemp subtracts the register from that (Linux drivers/hwmon/coretemp.c).
 */
export const plausibleTemperatures = ({ temperatures }: CpuSensors): readonly Temperature[] =>
  temperatures.filter(
    ({ degrees, highest }) => degrees >= DEGREES[0] && degrees <= DEGREES[1] && (highest === null || degrees < highest),
  )

function temperature(read: Read): Instrument {
  const reading = read(cpuSensors)
  if (!reading.ok) return unread('thermal', cpuSensors, reading.reason)
  const { temperatures } = reading.fact
  if (temperatures.length === 0)
    return { name: 'thermal', is: 'silent', text: 'No sensor inside the processor gives a temperature.' }
  const found = plausibleTemperatures(reading.fact)
  return found.length === 0
    ? {
        name: 'thermal',
        is: 'silent',
        text: `${count(temperatures.length, 'sensor')} inside the processor, and none gives a temperature that a running processor has.`,
      }
    : {
        name: 'thermal',
        is: 'answers',
        text: `${count(found.length, 'sensor')} inside the processor (${named([...new Set(found.map(({ driver }) => driver))])}) read ${span(found.map(({ degrees }) => degrees))} °C.`,
      }
}

const span = (values: readonly number[]): string => {
  const [low, high] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(0))
  return low === high ? `${low}` : `${low} to ${high}`
}

/** The driver that repeats what the firmware's tables report about memory, and looks at no controller (Linux drivers/edac/ghes_edac.c). */
const FIRMWARE_ONLY = /^ghes/

/** Memory controllers that a driver of their own looks at, with modules in them. */
export const workingControllers = ({ controllers }: CpuSensors): readonly MemoryController[] =>
  controllers.filter(({ name, modules }) => modules > 0 && !FIRMWARE_ONLY.test(name))

function memoryControllers(read: Read): Instrument {
  const reading = read(cpuSensors)
  if (!reading.ok) return unread('edac', cpuSensors, reading.reason)
  const found = workingControllers(reading.fact)
  const modules = found.reduce((sum, controller) => sum + controller.modules, 0)
  return found.length === 0
    ? { name: 'edac', is: 'silent', text: 'No memory controller under error detection names a module.' }
    : {
        name: 'edac',
        is: 'answers',
        text: `${count(found.length, 'memory controller')} under error detection with ${count(modules, 'module')} (${named(
          found.map(({ name }) => name),
          2,
        )}).`,
      }
}

interface NativeGpus {
  readonly holds: 'yes' | 'no' | 'not-applicable'
  readonly text: string
}

const no = (text: string): NativeGpus => ({ holds: 'no', text })
const yes = (text: string): NativeGpus => ({ holds: 'yes', text })

/** Those without the driver of their manufacturer: nothing can be queried of them. */
const undrivenOf = (devices: readonly PciDevice[]): readonly PciDevice[] =>
  gpusOf(devices).filter((device) => !isUnderOwnDriver(device))

/**
 * Part f of the minimum: whether every GPU and accelerator is a whole one of this machine. NVIDIA's driver states how its GPUs are
 * attached. Of other manufacturers' that are whole by their id, the port above and the driver are what there is to read; what a guest that
 * was given a whole one shows is the same, and that is stated. Not read does not hold; a machine without any has nothing to evaluate.
 */
export function nativeGpus(read: Read, observed: readonly Observed[]): NativeGpus {
  const pci = read(pciDevices)
  if (!pci.ok) return no(`${pciDevices.title}: ${pci.reason}.`)
  const accelerators = gpusOf(pci.fact.devices)
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

/** What is missing of the accelerators of manufacturers other than NVIDIA; null where nothing is. */
function otherProblem(read: Read, others: readonly PciDevice[], observed: readonly Observed[]): string | null {
  const start = `Of ${count(others.length, 'accelerator')} of manufacturers other than NVIDIA`
  const strange = others.filter((device) => !isWholeById(device)).length
  if (strange > 0 || reads(observed, 'gpu.function', 'virtual'))
    return `${start}, ${strange} ${strange === 1 ? 'has an id' : 'have ids'} not listed as that of a whole device.`
  const bare = others.filter(({ above }) => above.length === 0).length
  if (bare > 0) return `${start}, ${bare} ${bare === 1 ? 'has' : 'have'} no port above.`
  const undriven = undrivenText(others)
  if (undriven !== '') return `${start}, not all can be queried.${undriven}`
  const ports = realPorts(read)
  return ports.holds ? null : `${start}, the ports are not known to be those of hardware. ${ports.text}`
}

function undrivenText(devices: readonly PciDevice[]): string {
  const undriven = undrivenOf(devices).length
  return undriven === 0
    ? ''
    : ` ${undriven} of ${count(gpusOf(devices).length, 'GPU or accelerator', 'GPUs and accelerators')} ${undriven === 1 ? 'has' : 'have'} no vendor driver.`
}

/** How many GPUs and accelerators have no driver of their manufacturer; 0 where the bus was not read. */
export function undrivenGpus(read: Read): number {
  const pci = read(pciDevices)
  return pci.ok ? undrivenOf(pci.fact.devices).length : 0
}
