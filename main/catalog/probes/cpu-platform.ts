import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { listedFolders, listingIsComplete, sysfsValues } from '../isolation/listing.ts'
import { lines } from '../read-text.ts'
import { inOrder } from '../steady.ts'

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
  /** What the kernel prints of each weakness of the processor that it knows, by the name of its file. */
  readonly vulnerabilities: ReadonlyMap<string, string>
}

const PMUS = '/sys/bus/event_source/devices'
const VALUES = ['name', 'scaling_driver', 'current_driver', 'available_clocksource']

/** Documentation/ABI/testing: sysfs-bus-event_source-devices, sysfs-class-powercap, sysfs-devices-edac, sysfs-devices-system-cpu. */
export const cpuPlatform = defineProbe({
  id: 'cpu.platform',
  title: 'Hardware around the processor',
  why: 'Energy counters, memory-controller counters and thermal sensors exist on hardware and are rarely exposed to guests.',
  ignoredInDrift: {
    why: 'Sensors are numbered in the order in which their drivers start.',
    normalize: ({ sensors, ...platform }: CpuPlatform) => ({ ...platform, sensors: inOrder(sensors) }),
  },
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
      vulnerabilities: weaknessesIn(values.text),
    })
  },
})

/** Newer kernels know more weaknesses, so that the names are not a list of ours; the first line of each file counts. */
function weaknessesIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const line of lines(text)) {
    const [, name, words] = /^\/sys\/devices\/system\/cpu\/vulnerabilities\/([a-z0-9_]{1,64}):(.*)$/.exec(line) ?? []
    if (name !== undefined && words !== undefined && !found.has(name) && found.size < 200) found.set(name, words.trim())
  }
  return found
}

const UNCORE = /^(uncore_|amd_df|amd_l3|amd_umc|power$|cstate_pkg$)/
// arm64 (drivers/perf): mesh, memory controllers, shared caches and links of Arm, Ampere, NVIDIA, HiSilicon, Alibaba, Marvell, Qualcomm, NXP.
const ARM_UNCORE =
  /^(arm_(cmn|dsu|dmc620|ccn|cspmu)|CCI_[45]00|ccn|smmuv3_pmcg|arm_smmuv3_pmcg|nvidia_[a-z0-9_]+_pmu|ampere_mcu|hisi_|ali_drw|cn10k_|mrvl_|uncore_(dmc|l3c|ccpi2)|(mcb|mcbe|l3c|iob|mc)\d+$|l[23]cache|imx[89]_ddr|dwc_rootport)/

/** Units that count what happens outside the cores: memory controllers, mesh, links, package power. */
export const uncoreUnits = ({ pmus }: CpuPlatform): readonly string[] =>
  pmus.filter((name) => UNCORE.test(name) || ARM_UNCORE.test(name))
/** Sampling built into the cores, which guests are rarely given: Arm's Statistical Profiling, AMD's instruction-based sampling, Intel's trace. */
export const samplingUnits = ({ pmus }: CpuPlatform): readonly string[] =>
  pmus.filter((name) => /^(arm_spe|ibs_fetch|ibs_op|intel_pt|intel_bts|trbe|arm_trbe)/.test(name))
/** Counters of the cores themselves; hybrid processors have one unit for each kind of core. */
export const coreUnits = ({ pmus }: CpuPlatform): readonly string[] =>
  pmus.filter((name) => /^(cpu(_core|_atom|_lowpower)?$|armv[789]_|apple_)/.test(name))
/** Energy zones that the kernel registers only when their counter responds with something else than zero (intel_rapl_common.c). */
export const energyZones = ({ powercap }: CpuPlatform): readonly string[] =>
  powercap.filter((zone) => /^(intel|amd)-rapl/.test(zone))
export const processorSensors = ({ sensors }: CpuPlatform): readonly string[] =>
  sensors.filter((name) =>
    /^(coretemp|k10temp|k8temp|zenpower|power_meter|acpi_power_meter|fam15h_power|apm_xgene|scpi_sensors|scmi_sensors)$/.test(
      name,
    ),
  )
