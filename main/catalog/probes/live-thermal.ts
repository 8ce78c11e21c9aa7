import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { type Heard, heardOf } from '../isolation/dd-times.ts'
import { sysfsValues } from '../isolation/listing.ts'

export interface LiveThermal {
  /** Temperature sensors of processors. */
  readonly sensors: number
  /** Those whose reading changed while a load ran. */
  readonly moved: number
  /** Lowest and highest reading of both rounds, in degrees Celsius; null where there is no sensor. */
  readonly range: readonly [low: number, high: number] | null
  /** The clock of the first CPU before and after, in kHz; null where the kernel does not show. */
  readonly clock: readonly [before: number, after: number] | null
  /** The least that its command takes, and how long we heard it by our own clock; null where no session of ours carried it. */
  readonly heard: Heard
}

const CLOCK = '/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq'
const FOLDER = /^(\/sys\/class\/hwmon\/hwmon\d{1,4})\/(name|temp\d{1,4}_input):(.{0,64})$/
/** Drivers of sensors inside processors (Documentation/hwmon). Other sensors, such as those of drives, may be real in a guest. */
const PROCESSOR = /^(coretemp|k8temp|k10temp|zenpower|fam15h_power)$/

const sensors = run(
  ['grep', '-sH', '', glob('/sys/class/hwmon/hwmon*/name'), glob('/sys/class/hwmon/hwmon*/temp*_input'), CLOCK],
  { maxBytes: 256 * 1024 },
)

/** Documentation/ABI/testing/sysfs-class-hwmon: temp*_input in thousandths of a degree. */
export const liveThermal = defineProbe({
  id: 'live.thermal',
  title: 'Processor temperature under load',
  why: 'Sensor values inside a processor change with its load. A guest has no sensors, or values that do not change.',
  ignoredInDrift: {
    why: 'A measurement; no two are equal.',
    normalize: () => null,
  },
  live: true,
  commands: {
    before: sensors,
    load: run(['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1M', 'count=24576'], { timeoutSeconds: 15, maxBytes: 4096 }),
    after: sensors,
  },
  parse({ before, load, after }) {
    // grep gives 1 or 2 where one of the files is not there; what it printed is whole either way.
    if (before.exitCode > 2 || after.exitCode > 2) return unknown('the sensors could not be listed')
    if (load.exitCode !== 0) return unknown('the load for the sensors did not run')
    const [cold, warm] = [temperatures(before.text), temperatures(after.text)]
    const both = [...cold].flatMap(([path, value]) => {
      const later = warm.get(path)
      return later === undefined ? [] : [[value, later] as const]
    })
    const all = both.flat()
    const [slow, fast] = [clockOf(before.text), clockOf(after.text)]
    return known<LiveThermal>({
      sensors: both.length,
      moved: both.filter(([value, later]) => value !== later).length,
      range: all.length === 0 ? null : [least(all), most(all)],
      clock: slow === null || fast === null ? null : [slow, fast],
      heard: heardOf(load),
    })
  },
})

/** Sensors of processors by path, in degrees. */
function temperatures(text: string): ReadonlyMap<string, number> {
  const names = new Map<string, string>()
  const inputs: (readonly [folder: string, path: string, degrees: number])[] = []
  for (const line of text.split('\n')) {
    const [, folder = '', file = '', value = ''] = FOLDER.exec(line) ?? []
    if (file === 'name') names.set(folder, value)
    else if (/^-?\d{1,7}$/.test(value)) inputs.push([folder, `${folder}/${file}`, Number(value) / 1000])
  }
  return new Map(
    inputs.filter(([folder]) => PROCESSOR.test(names.get(folder) ?? '')).map(([, path, degrees]) => [path, degrees]),
  )
}

function clockOf(text: string): number | null {
  const value = sysfsValues(text, ['scaling_cur_freq']).get(CLOCK) ?? ''
  return /^\d{1,9}$/.test(value) ? Number(value) : null
}

const least = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b))
const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b))
