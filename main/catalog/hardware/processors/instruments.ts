import {
  type Answer,
  defineProbe,
  glob,
  known,
  type Parsed,
  run,
  runAsRoot,
  unknown,
} from '../../../core/recording/probe.ts'
import { sysfsValues, wholeNumber } from '../../base/read-listing.ts'
import { ALWAYS_FILE, OF_ALWAYS_FILE } from '../../base/read-text.ts'
import { energyAbsent, energyCounter, energyReading, energyRise } from '../../single-tenancy/live-tests/index.ts'

interface CpuEnergy {
  /** Null where the kernel has no energy counter. */
  readonly zone: {
    readonly name: string
    /** Microjoules that the first package took between two readings, one shortly after the other. */
    readonly microjoules: number
  } | null
}

/**
 * Documentation/ABI/testing/sysfs-class-powercap, read twice. The register advances about every millisecond (Intel
 * SDM vol. 3B, RAPL), and two commands are further apart. Since Linux 5.10, only root can read it.
 */
export const cpuEnergy = defineProbe({
  id: 'cpu.energy',
  title: 'Energy counter of the processor',
  why: 'A processor always consumes energy, so its counter increases between two reads. The mere presence of a counter shows less, because its name is easy to imitate.',
  ignoredInDrift: {
    why: 'A measurement; no two are equal.',
    normalize: ({ zone }: CpuEnergy) => ({ zone: zone === null ? null : zone.name }),
  },
  commands: { before: energyCounter, after: energyCounter },
  parse({ before, after }) {
    if (energyAbsent(before) && energyAbsent(after)) return known<CpuEnergy>({ zone: null })
    const [earlier, later] = [energyReading(before), energyReading(after)]
    if (earlier === null || later === null) return unknown('the energy counter could not be read')
    const microjoules = energyRise(earlier, later)
    return microjoules === null
      ? unknown('the energy counter went back')
      : known<CpuEnergy>({ zone: { name: earlier.name, microjoules } })
  },
})

/**
 * The answer of one register: its value, or that the processor refused it (a general protection fault, which the
 * driver reports as EIO).
 */
export type RegisterAnswer = bigint | 'refused'

export interface CpuRegisters {
  /** Intel, MSR_PLATFORM_INFO (0xCE). */
  readonly platformInfo: RegisterAnswer
  /** Intel, MSR_SMI_COUNT (0x34). */
  readonly smiCount: RegisterAnswer
  /** Intel, MSR_TEMPERATURE_TARGET (0x1A2). */
  readonly temperatureTarget: RegisterAnswer
  /** Intel, MSR_RAPL_POWER_UNIT (0x606). */
  readonly powerUnit: RegisterAnswer
  /** AMD, the definition of the first P-state (0xC0010064). */
  readonly amdPstate: RegisterAnswer
  /** AMD, RAPL power unit (0xC0010299). */
  readonly amdPowerUnit: RegisterAnswer
}

const DEVICE = '/dev/cpu/0/msr'

const register = (number: number) =>
  runAsRoot(['dd', `if=${DEVICE}`, 'bs=8', 'count=1', 'iflag=skip_bytes', `skip=${number}`, 'status=none'], {
    needsPath: [DEVICE],
    timeoutSeconds: 5,
    maxBytes: 4096,
  })

/**
 * msr(4): eight bytes at the number of the register. Only registers that reading does not change. Intel SDM vol. 4 and AMD PPR for
 * their meaning; Linux arch/x86/kernel/msr.c for EIO. Absent where the module is not loaded; it is not loaded for this.
 */
export const cpuMsr = defineProbe({
  id: 'cpu.msr',
  title: 'Processor registers that describe the hardware',
  why: 'Clock ratio, maximum temperature and energy unit are in processor registers. Guests read zeros there, or nothing.',
  ignoredInDrift: {
    why: 'The processor counts its management interrupts.',
    normalize: ({ smiCount, ...registers }: CpuRegisters) => ({
      ...registers,
      smiCount: smiCount === 'refused' ? smiCount : 'counted',
    }),
  },
  commands: {
    platformInfo: register(0xce),
    smiCount: register(0x34),
    temperatureTarget: register(0x1a2),
    powerUnit: register(0x606),
    amdPstate: register(0xc0010064),
    amdPowerUnit: register(0xc0010299),
  },
  parse: (answers) => everyRegister(answers),
})

type Answers = Readonly<Record<keyof CpuRegisters, Answer>>

function everyRegister(answers: Answers): Parsed<CpuRegisters> {
  const read = Object.entries(answers).map(([name, answer]) => [name, registerAnswer(answer)] as const)
  const failed = read.flatMap(([, answer]) => (answer.ok ? [] : [answer]))[0]
  if (failed !== undefined) return failed
  const values = new Map(read.flatMap(([name, answer]) => (answer.ok ? [[name, answer.fact] as const] : [])))
  const of = (name: keyof CpuRegisters): RegisterAnswer => values.get(name) ?? 'refused'
  return known({
    platformInfo: of('platformInfo'),
    smiCount: of('smiCount'),
    temperatureTarget: of('temperatureTarget'),
    powerUnit: of('powerUnit'),
    amdPstate: of('amdPstate'),
    amdPowerUnit: of('amdPowerUnit'),
  })
}

function registerAnswer({ exitCode, bytes, errorText }: Answer): Parsed<RegisterAnswer> {
  if (exitCode === 0)
    return bytes.length === 8
      ? known(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true))
      : unknown('a register of the processor has an unexpected length')
  if (/: Input\/output error\s*$/.test(errorText)) return known('refused')
  return unknown('the processor’s register device could not be read; its kernel module may not be loaded')
}

export interface Temperature {
  readonly driver: string
  readonly degrees: number
  /** The limit of the component as the driver states it; null where it states none. */
  readonly highest: number | null
}

export interface MemoryController {
  /** As its driver names it, such as "Skylake Socket#0 IMC#0"; "ghes_edac" where the firmware shows and no driver looks. */
  readonly name: string
  readonly modules: number
  readonly mebibytes: number
}

export interface CpuSensors {
  /** Of sensors inside processors, not of drives or boards. */
  readonly temperatures: readonly Temperature[]
  readonly controllers: readonly MemoryController[]
}

const EDAC = '/sys/devices/system/edac/mc'
const MOST = 4096

/**
 * Documentation/ABI/testing/sysfs-class-hwmon (thousandths of a degree) and sysfs-devices-edac (mebibytes). All users may read both;
 * reading a temperature asks the core for it, and changes nothing.
 */
export const cpuSensors = defineProbe({
  id: 'cpu.sensors',
  title: 'Processor sensor values and memory with error detection',
  why: 'A sensor with a plausible temperature, and memory controllers that list their modules, are stronger evidence than names registered by the kernel.',
  ignoredInDrift: {
    why: 'Temperatures change continuously, and sensors are numbered in the order in which their drivers start.',
    normalize: ({ temperatures, controllers }: CpuSensors) => ({
      drivers: [...new Set(temperatures.map(({ driver }) => driver))].sort(),
      controllers,
    }),
  },
  commands: {
    values: run(
      [
        'grep',
        '-sH',
        '',
        glob('/sys/class/hwmon/hwmon*/name'),
        glob('/sys/class/hwmon/hwmon*/temp*_input'),
        glob('/sys/class/hwmon/hwmon*/temp*_crit'),
        glob(`${EDAC}/mc*/mc_name`),
        glob(`${EDAC}/mc*/dimm*/size`),
        glob(`${EDAC}/mc*/rank*/size`),
        ALWAYS_FILE,
      ],
      { ...OF_ALWAYS_FILE, maxBytes: 512 * 1024 },
    ),
  },
  parse({ values }) {
    // grep gives 1 or 2 where one of the files is not there; what it printed is whole either way.
    if (values.exitCode > 2) return unknown('the sensors could not be listed')
    return known<CpuSensors>({ temperatures: temperaturesIn(values.text), controllers: controllersIn(values.text) })
  },
})

const HWMON = /^(\/sys\/class\/hwmon\/hwmon\d{1,4})\/(?:(name)|(temp\d{1,4})_(input|crit)):(.{0,64})$/
/** Drivers of sensors inside processors (Documentation/hwmon). */
const PROCESSOR = /^(coretemp|k8temp|k10temp|zenpower|fam15h_power|apm_xgene|scpi_sensors|scmi_sensors)$/

function temperaturesIn(text: string): readonly Temperature[] {
  const names = new Map<string, string>()
  const inputs: { folder: string; sensor: string; degrees: number }[] = []
  const highest = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [, folder = '', name, sensor = '', kind, value = ''] = HWMON.exec(line) ?? []
    if (name !== undefined) names.set(folder, value)
    if (!/^-?\d{1,7}$/.test(value)) continue
    if (kind === 'input') inputs.push({ folder, sensor, degrees: Number(value) / 1000 })
    if (kind === 'crit') highest.set(`${folder}/${sensor}`, Number(value) / 1000)
  }
  return inputs.slice(0, MOST).flatMap(({ folder, sensor, degrees }) => {
    const driver = names.get(folder) ?? ''
    return PROCESSOR.test(driver) ? [{ driver, degrees, highest: highest.get(`${folder}/${sensor}`) ?? null }] : []
  })
}

function controllersIn(text: string): readonly MemoryController[] {
  const values = [...sysfsValues(text, ['mc_name', 'size'])].filter(([path]) => path.startsWith(`${EDAC}/`))
  return values.flatMap(([path, name]) => {
    const [, controller] = /^(.*\/mc\d{1,4})\/mc_name$/.exec(path) ?? []
    if (controller === undefined) return []
    const sizes = values.flatMap(([other, size]) =>
      other.startsWith(`${controller}/`) && other.endsWith('/size') ? [wholeNumber(size) ?? 0] : [],
    )
    const filled = sizes.filter((size) => size > 0)
    return [{ name, modules: filled.length, mebibytes: filled.reduce((sum, size) => sum + size, 0) }]
  })
}

interface Steal {
  /** Clock ticks that a hypervisor ran something else, since boot. */
  readonly steal: number
}

/** proc_stat(5), column 8. It stays exactly zero on hardware. */
export const steal = defineProbe({
  id: 'steal',
  title: 'Processor time taken by a hypervisor',
  why: 'A hypervisor that reports its scheduling shows time in which the machine was not allowed to run.',
  ignoredInDrift: {
    why: 'A counter since the last start.',
    normalize: () => null,
  },
  commands: { stat: run(['grep', '^cpu ', '/proc/stat']) },
  parse({ stat }) {
    const columns = stat.text.trim().split(/\s+/)
    const ticks = columns[8]
    if (stat.exitCode !== 0 || columns[0] !== 'cpu' || ticks === undefined || !/^\d{1,18}$/.test(ticks))
      return unknown('the processor times have an unexpected format')
    return known<Steal>({ steal: Number(ticks) })
  },
})
