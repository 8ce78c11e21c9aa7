import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { sysfsValues, wholeNumber } from '../isolation/listing.ts'
import { ALWAYS_FILE, OF_ALWAYS_FILE } from '../read-text.ts'

export interface Temperature {
  readonly driver: string
  readonly degrees: number
  /** What the driver gives as the highest that the part carries; null where it gives none. */
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
 * Documentation/ABI/testing/sysfs-class-hwmon (thousandths of a degree) and sysfs-devices-edac (mebibytes). Everybody may read both;
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
