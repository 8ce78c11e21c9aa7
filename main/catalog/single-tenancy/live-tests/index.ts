import { type Answer, defineProbe, glob, known, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { sysfsValues, wholeNumber } from '../../base/read-listing.ts'
import { defineSubject } from '../../base/subject.ts'

/**
 * For one live test, in seconds: the least time that its command can have taken, and its duration by the collecting
 * computer’s clock.
 */
export interface Heard {
  readonly least: number
  readonly collectingComputer: number | null
}

interface DdTime {
  readonly bytes: number
  readonly seconds: number
}

// “1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.246199 s, 4.3 MB/s” of GNU dd; older ones name one unit, busybox states “seconds”.
const SUMMARY =
  /^(\d{1,15}) bytes? (?:\([^()\n]{1,60}\) )?copied, (\d{1,9}(?:\.\d{1,12})?(?:e[-+]?\d{1,3})?) s(?:econds)?\b/m

/** Amount and duration that dd states on stderr; null where it failed or states neither, as some builds of busybox. */
export function ddTime({ exitCode, errorText }: Pick<Answer, 'exitCode' | 'errorText'>): DdTime | null {
  if (exitCode !== 0) return null
  const found = SUMMARY.exec(errorText.slice(0, 4096))
  const [bytes, seconds] = [Number(found?.[1]), Number(found?.[2])]
  return found !== null && Number.isFinite(seconds) && seconds > 0 ? { bytes, seconds } : null
}

/** Duration of a load of dd by the collecting computer’s clock, by its own report, and by the node’s clock for the whole command. */
const heardOf = (answer: Answer): Heard => ({
  least: Math.max(ddTime(answer)?.seconds ?? 0, answer.seconds.node ?? 0),
  collectingComputer: answer.seconds.collectingComputer,
})

/** Why a dd over a device of the processor gave no time. */
function whyNoTime({ exitCode, errorText }: Pick<Answer, 'exitCode' | 'errorText'>, device: string): string {
  if (/No such file or directory|No such device/.test(errorText)) return `the kernel offers no ${device} here`
  if (/Operation not permitted|Permission denied/.test(errorText)) return `the kernel does not let ${device} be read`
  if (/affinity/.test(errorText)) return 'this session may not run on the first CPU'
  return exitCode === 0
    ? `dd read ${device} and did not report the duration`
    : `${device} could not be read in a row (exit status ${exitCode})`
}

export interface CallTimes {
  /** How many calls each run made. */
  readonly calls: number
  /** Microseconds per call of each run, fastest first. */
  readonly micros: readonly number[]
}

/** Runs of `calls` calls each, where every run copied exactly `bytes`; null where one did not. */
function callTimes(runs: readonly (DdTime | null)[], bytes: number, calls: number): CallTimes | null {
  const whole = runs.flatMap((run) => (run !== null && run.bytes === bytes ? [run] : []))
  if (whole.length !== runs.length || runs.length === 0) return null
  return { calls, micros: whole.map(({ seconds }) => (seconds * 1e6) / calls).sort((a, b) => a - b) }
}

/** The middle run, and the fastest: whatever disturbs a run only makes it slower. */
export const median = ({ micros }: CallTimes): number => micros[Math.floor(micros.length / 2)] ?? Number.NaN
export const fastest = ({ micros }: CallTimes): number => micros[0] ?? Number.NaN

const DEVICE = '/dev/cpu/0/cpuid'
const BLOCK = 1024 * 1024
// The driver executes CPUID once per 16 bytes (arch/x86/kernel/cpuid.c).
const CALLS = BLOCK / 16
const LONG = 32

const loop = (blocks: number, timeoutSeconds: number) =>
  runAsRoot(['taskset', '-c', '0', 'dd', `if=${DEVICE}`, 'of=/dev/null', 'bs=1M', `count=${blocks}`], {
    timeoutSeconds,
    maxBytes: 4096,
  })
const once = loop(1, 5)

/** cpuid(4): one read makes the kernel execute CPUID 65,536 times in a row on that CPU. Pinned to it, so that no other CPU is interrupted. */
export const liveCpuid = defineProbe({
  id: 'live.cpuid',
  title: 'CPUID duration',
  why: 'On Intel processors every CPUID of a guest stops the guest and enters the hypervisor, which takes several times as long as the instruction itself.',
  ignoredInDrift: {
    why: 'A measurement; no two are equal.',
    normalize: () => null,
  },
  live: true,
  commands: { first: once, second: once, third: once, fourth: once, fifth: once },
  parse({ first, second, third, fourth, fifth }) {
    const runs = [first, second, third, fourth, fifth]
    const times = callTimes(runs.map(ddTime), BLOCK, CALLS)
    if (times !== null) return known<CallTimes>(times)
    const failed = runs.find((run) => ddTime(run)?.bytes !== BLOCK) ?? first
    return unknown(whyNoTime(failed, DEVICE))
  },
})

export interface CpuidLong {
  readonly calls: number
  /** As dd states, in seconds. */
  readonly dd: number
  /** The whole command, by the node's clock of uptime. */
  readonly node: number | null
  /** The same by the collecting computer’s own clock; null where no SSH session of ours carried it. */
  readonly collectingComputer: number | null
}

/** The same loop, long enough in a guest that the collecting computer’s own clock can time it over the network. */
export const liveCpuidLong = defineProbe({
  id: 'live.cpuid-long',
  title: 'CPUID duration by the collecting computer’s clock',
  why: 'A hypervisor that hides its overhead can slow the clocks of its guest, but not the collecting computer’s clock.',
  ignoredInDrift: {
    why: 'A measurement; no two are equal.',
    normalize: () => null,
  },
  live: true,
  commands: { loop: loop(LONG, 20) },
  parse({ loop: answer }) {
    const time = ddTime(answer)
    if (time === null || time.bytes !== LONG * BLOCK) return unknown(whyNoTime(answer, DEVICE))
    return known<CpuidLong>({ calls: LONG * CALLS, dd: time.seconds, ...answer.seconds })
  },
})

interface LiveEnergy {
  /** Null where the kernel has no energy counter. */
  readonly zone: {
    readonly name: string
    /** Microjoules that the first package took while the load ran, and how long that was. */
    readonly microjoules: number
    readonly seconds: number
  } | null
  /** The least time of its command, and its duration by the collecting computer’s clock; null where it was not collected in a session. */
  readonly heard: Heard
}

const ZONE = '/sys/class/powercap/intel-rapl:0'
const NAMES = ['name', 'energy_uj', 'max_energy_range_uj']
/** The counter of the first package: one line of sudo for every probe that requires it. */
export const energyCounter = runAsRoot(['grep', '-H', '.', ...NAMES.map((name) => `${ZONE}/${name}`)], {
  maxBytes: 4096,
})

/** Documentation/ABI/testing/sysfs-class-powercap; AMD’s counters are under the same name. Since Linux 5.10 only root reads them. */
export const liveEnergy = defineProbe({
  id: 'live.energy',
  title: 'Processor energy under load',
  why: 'The energy counter of a processor increases under load; a guest has none, or one that does not change.',
  ignoredInDrift: {
    why: 'A measurement; no two are equal.',
    normalize: () => null,
  },
  live: true,
  commands: {
    before: energyCounter,
    load: run(['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1M', 'count=32768'], { timeoutSeconds: 15, maxBytes: 4096 }),
    after: energyCounter,
  },
  parse({ before, load, after }) {
    if (energyAbsent(before) && energyAbsent(after)) return known<LiveEnergy>({ zone: null, heard: heardOf(load) })
    const [earlier, later] = [energyReading(before), energyReading(after)]
    if (earlier === null || later === null) return unknown('the energy counter could not be read')
    const seconds = ddTime(load)?.seconds ?? load.seconds.node
    if (load.exitCode !== 0 || seconds === null || seconds <= 0)
      return unknown('the load for the energy counter did not run')
    const microjoules = energyRise(earlier, later)
    if (microjoules === null) return unknown('the energy counter went back')
    return known<LiveEnergy>({ zone: { name: earlier.name, microjoules, seconds }, heard: heardOf(load) })
  },
})

/** The kernel has no such counter. */
export const energyAbsent = ({ exitCode, text, errorText }: Answer): boolean =>
  exitCode === 2 && text === '' && /No such file or directory/.test(errorText) && !/ermission denied/.test(errorText)

interface EnergyReading {
  readonly name: string
  /** Microjoules, and the number at which the counter begins again. */
  readonly energy: number
  readonly range: number
}

/** One reading of the counter; null where it could not be read. */
export function energyReading({ exitCode, text }: Answer): EnergyReading | null {
  if (exitCode !== 0) return null
  const values = sysfsValues(text, NAMES)
  const energy = wholeNumber(values.get(`${ZONE}/energy_uj`))
  const range = wholeNumber(values.get(`${ZONE}/max_energy_range_uj`))
  return energy === null || range === null ? null : { name: values.get(`${ZONE}/name`) ?? '', energy, range }
}

/** Microjoules between two readings; null where the counter went back. It begins again at its end, which it can reach once in a short time. */
export function energyRise(earlier: EnergyReading, later: EnergyReading): number | null {
  const rose = later.energy - earlier.energy
  const microjoules = rose < 0 ? rose + earlier.range : rose
  return microjoules < 0 ? null : microjoules
}

interface LiveJitter {
  /** How often the clock was read in five seconds. */
  readonly readings: number
  /** Gaps between two readings above 50 and above 500 microseconds; the former include the latter. */
  readonly over50: number
  readonly over500: number
  readonly longestMicros: number
  /** The least time of its command, and its duration by the collecting computer’s clock; null where it was not collected in a session. */
  readonly heard: Heard
}

// Reads the clock for five seconds and counts how often it jumped. Not pinned: the scheduler finds a quiet CPU, the first one seldom is.
const SCRIPT =
  '$e=clock_gettime(CLOCK_MONOTONIC);$z=$e+5;$n=$a=$b=$m=0;while($e<$z){$t=clock_gettime(CLOCK_MONOTONIC);$g=$t-$e;$n++;$a++ if $g>50e-6;$b++ if $g>500e-6;$m=$g if $g>$m;$e=$t}printf "%d %d %d %d\\n",$n,$a,$b,$m*1e6'

/** clock_gettime(2), CLOCK_MONOTONIC, in a loop: time in which nothing of ours ran shows as a gap. */
export const liveJitter = defineProbe({
  id: 'live.jitter',
  title: 'Interruptions of a busy processor',
  why: 'A guest’s processor is occasionally suspended while the host does other work.',
  ignoredInDrift: {
    why: 'A measurement; no two are equal.',
    normalize: () => null,
  },
  live: true,
  commands: {
    spin: run(['perl', '-MTime::HiRes=clock_gettime,CLOCK_MONOTONIC', '-e', SCRIPT], {
      timeoutSeconds: 15,
      maxBytes: 4096,
    }),
  },
  parse({ spin }) {
    if (/Can't locate Time\/HiRes/.test(spin.errorText)) return unknown('perl has no module Time::HiRes here')
    const found = /^(\d{1,12}) (\d{1,12}) (\d{1,12}) (\d{1,12})\s*$/.exec(spin.text.slice(0, 128))
    const [readings = 0, over50 = 0, over500 = 0, longestMicros = 0] = (found ?? []).slice(1).map(Number)
    if (spin.exitCode !== 0 || found === null || readings === 0 || over500 > over50 || over50 > readings)
      return unknown('perl did not count the gaps')
    return known<LiveJitter>({
      readings,
      over50,
      over500,
      longestMicros,
      heard: { least: 5, collectingComputer: spin.seconds.collectingComputer },
    })
  },
})

const MSR_DEVICE = '/dev/cpu/0/msr'
const MSR_BLOCK = 512 * 1024
// The driver reads the same register once per 8 bytes (arch/x86/kernel/msr.c).
const MSR_CALLS = MSR_BLOCK / 8
// IA32_KERNEL_GS_BASE, 0xC0000102: an address of the reading program itself, which hypervisors let a guest read without stepping in.
const REGISTER = 0xc0000102

const msrOnce = runAsRoot(
  [
    'taskset',
    '-c',
    '0',
    'dd',
    `if=${MSR_DEVICE}`,
    'of=/dev/null',
    'bs=512K',
    'count=1',
    'iflag=skip_bytes',
    `skip=${REGISTER}`,
  ],
  { timeoutSeconds: 5, maxBytes: 4096 },
)

/** msr(4): the loop of live.cpuid over a register that no hypervisor needs to guard. What it takes is the cost of the loop itself. */
export const liveMsr = defineProbe({
  id: 'live.msr',
  title: 'Duration of the same loop without CPUID',
  why: 'Subtracted from the duration of the CPUID loop, it leaves the cost of CPUID, independent of processor speed and load.',
  ignoredInDrift: {
    why: 'A measurement; no two are equal.',
    normalize: () => null,
  },
  live: true,
  commands: {
    first: msrOnce,
    second: msrOnce,
    third: msrOnce,
    fourth: msrOnce,
    fifth: msrOnce,
  },
  parse({ first, second, third, fourth, fifth }) {
    const runs = [first, second, third, fourth, fifth]
    const times = callTimes(runs.map(ddTime), MSR_BLOCK, MSR_CALLS)
    if (times !== null) return known<CallTimes>(times)
    const failed = runs.find((run) => ddTime(run)?.bytes !== MSR_BLOCK) ?? first
    return unknown(whyNoTime(failed, MSR_DEVICE))
  },
})

interface LiveSteal {
  /** Clock ticks of all CPUs together that passed between the two readings. */
  readonly ticks: number
  /** Those in which a hypervisor ran something else. */
  readonly steal: number
  /** The least time of its command, and its duration by the collecting computer’s clock; null where it was not collected in a session. */
  readonly heard: Heard
}

const firstLine = run(['head', '-n', '1', '/proc/stat'], { maxBytes: 4096 })

/** proc_stat(5), twice, three seconds apart. */
export const liveSteal = defineProbe({
  id: 'live.steal',
  title: 'Processor time taken by a hypervisor, over an interval',
  why: 'A machine on its own hardware loses no processor time to a hypervisor.',
  ignoredInDrift: {
    why: 'A measurement; no two are equal.',
    normalize: () => null,
  },
  live: true,
  commands: { before: firstLine, wait: run(['sleep', '3'], { timeoutSeconds: 10, maxBytes: 4096 }), after: firstLine },
  parse({ before, wait, after }) {
    const [earlier, later] = [columns(before.text), columns(after.text)]
    if (wait.exitCode !== 0 || earlier === null || later === null)
      return unknown('the processor times have an unexpected format')
    const steal = (later[7] ?? 0) - (earlier[7] ?? 0)
    const ticks = sum(later) - sum(earlier)
    // Both are from one stretch of one boot; the kernel may set single columns back a little, never steal by design.
    if (ticks <= 0 || steal < 0) return unknown('the two samples of the processor times do not cover one interval')
    return known<LiveSteal>({ ticks, steal, heard: { least: 3, collectingComputer: wait.seconds.collectingComputer } })
  },
})

/** The first eight columns: user, nice, system, idle, iowait, irq, softirq, steal. Guest time is in user already. */
function columns(text: string): readonly number[] | null {
  const found = /^cpu +((?:\d{1,15} ){7}\d{1,15})(?: |\n|$)/.exec(text.slice(0, 512))
  return found === null ? null : (found[1] ?? '').split(' ').map(Number)
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

interface LiveThermal {
  /** Temperature sensors of processors. */
  readonly sensors: number
  /** Those whose reading changed while a load ran. */
  readonly moved: number
  /** Lowest and highest reading of both rounds, in degrees Celsius; null where there is no sensor. */
  readonly range: readonly [low: number, high: number] | null
  /** The clock of the first CPU before and after, in kHz; null where the kernel does not show. */
  readonly clock: readonly [before: number, after: number] | null
  /** The least time of its command, and its duration by the collecting computer’s clock; null where it was not collected in a session. */
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

export const liveTestsSubject = defineSubject({
  id: 'live-tests',
  title: 'Live tests',
  probes: [liveCpuid, liveMsr, liveCpuidLong, liveSteal, liveJitter, liveEnergy, liveThermal],
  checks: [],
})
