import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { listedFolders, listingIsComplete, sysfsValues } from '../isolation/listing.ts'

export interface CpuPlatform {
  /** Performance monitoring units that the kernel drives. */
  readonly pmus: readonly string[]
  /** Energy counters (powercap zones). */
  readonly powercap: readonly string[]
  /** Memory controllers under error detection. */
  readonly memoryControllers: readonly string[]
  readonly numaNodes: number
  readonly sensors: readonly string[]
  readonly cpufreqDriver: string | null
  readonly cpuidleDriver: string | null
  readonly clocksources: readonly string[]
  readonly vulnerabilities: ReadonlyMap<string, string>
}

const PMUS = '/sys/bus/event_source/devices'
const VALUES = [
  'name',
  'scaling_driver',
  'current_driver',
  'available_clocksource',
  'gather_data_sampling',
  'indirect_target_selection',
  'itlb_multihit',
  'l1tf',
  'mds',
  'meltdown',
  'mmio_stale_data',
  'reg_file_data_sampling',
  'retbleed',
  'spec_rstack_overflow',
  'spec_store_bypass',
  'spectre_v1',
  'spectre_v2',
  'srbds',
  'tsx_async_abort',
  'vmscape',
]

/** Documentation/ABI/testing: sysfs-bus-event_source-devices, sysfs-class-powercap, sysfs-devices-edac, sysfs-devices-system-cpu. */
export const cpuPlatform = defineProbe({
  id: 'cpu.platform',
  title: 'Hardware around the processor',
  why: 'Energy counters, memory-controller counters and thermal sensors exist on hardware and are rarely given to guests.',
  commands: {
    lists: run(['ls', '-1', PMUS, '/sys/class/powercap', '/sys/devices/system/edac/mc', '/sys/devices/system/node']),
    values: run([
      'grep',
      '-sH',
      '',
      glob('/sys/class/hwmon/hwmon*/name'),
      '/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver',
      '/sys/devices/system/cpu/cpuidle/current_driver',
      '/sys/devices/system/clocksource/clocksource0/available_clocksource',
      glob('/sys/devices/system/cpu/vulnerabilities/*'),
    ]),
  },
  parse({ lists, values }) {
    const folders = listedFolders(lists.text)
    const pmus = folders.get(PMUS)
    if (pmus === undefined || !listingIsComplete(lists)) return unknown('the kernel’s hardware lists could not be read')
    const read = sysfsValues(values.text, VALUES)
    const clocksources = read.get('/sys/devices/system/clocksource/clocksource0/available_clocksource')
    if (clocksources === undefined) return unknown('the kernel’s hardware values could not be read')
    const under = (folder: string): readonly (readonly [string, string])[] =>
      [...read].filter(([path]) => path.startsWith(folder))
    return known<CpuPlatform>({
      pmus,
      powercap: (folders.get('/sys/class/powercap') ?? []).filter((zone) => zone.includes(':')),
      memoryControllers: (folders.get('/sys/devices/system/edac/mc') ?? []).filter((name) => /^mc\d+$/.test(name)),
      numaNodes: (folders.get('/sys/devices/system/node') ?? []).filter((name) => /^node\d+$/.test(name)).length,
      sensors: under('/sys/class/hwmon/').map(([, name]) => name),
      cpufreqDriver: read.get('/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver') ?? null,
      cpuidleDriver: read.get('/sys/devices/system/cpu/cpuidle/current_driver') ?? null,
      clocksources: clocksources.split(/\s+/).filter((name) => name !== ''),
      vulnerabilities: new Map(
        under('/sys/devices/system/cpu/vulnerabilities/').map(([path, said]) => [path.split('/').at(-1) ?? '', said]),
      ),
    })
  },
})

const UNCORE = /^(uncore_|amd_df|amd_l3|amd_umc|power$|cstate_pkg$)/

/** Units that count what happens outside the cores: memory controllers, mesh, package power. */
export const uncoreUnits = ({ pmus }: CpuPlatform): readonly string[] => pmus.filter((name) => UNCORE.test(name))
/** Energy zones that the kernel registers only when their counter answers with something else than zero (intel_rapl_common.c). */
export const energyZones = ({ powercap }: CpuPlatform): readonly string[] =>
  powercap.filter((zone) => /^(intel|amd)-rapl/.test(zone))
export const processorSensors = ({ sensors }: CpuPlatform): readonly string[] =>
  sensors.filter((name) => /^(coretemp|k10temp|zenpower|power_meter|acpi_power_meter|fam15h_power)$/.test(name))
