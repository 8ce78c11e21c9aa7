import { type Answer, defineProbe, known, run, runAsRoot, unknown } from '../../core/probe.ts'
import { ddTime } from '../isolation/dd-times.ts'
import { sysfsValues, wholeNumber } from '../isolation/listing.ts'

export interface LiveEnergy {
  /** Null where the kernel has no energy counter. */
  readonly zone: {
    readonly name: string
    /** Microjoules that the first package took while the load ran, and how long that was. */
    readonly microjoules: number
    readonly seconds: number
  } | null
}

const ZONE = '/sys/class/powercap/intel-rapl:0'
const NAMES = ['name', 'energy_uj', 'max_energy_range_uj']
const counter = runAsRoot(['grep', '-H', '.', ...NAMES.map((name) => `${ZONE}/${name}`)], { maxBytes: 4096 })

/** Documentation/ABI/testing/sysfs-class-powercap; AMD’s counters stand under the same name. Since Linux 5.10 only root reads them. */
export const liveEnergy = defineProbe({
  id: 'live.energy',
  title: 'Energy that the processor takes under load',
  why: 'The energy counter of a processor counts on while it works; a guest has none, or one that stands still.',
  volatile: {
    why: 'It is a measurement, and no two are equal.',
    steady: () => null,
  },
  live: true,
  commands: {
    before: counter,
    load: run(['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1M', 'count=32768'], { timeoutSeconds: 15, maxBytes: 4096 }),
    after: counter,
  },
  parse({ before, load, after }) {
    if (isAbsent(before) && isAbsent(after)) return known<LiveEnergy>({ zone: null })
    const [earlier, later] = [reading(before), reading(after)]
    if (earlier === null || later === null) return unknown('the energy counter could not be read')
    const seconds = ddTime(load)?.seconds ?? load.seconds.node
    if (load.exitCode !== 0 || seconds === null || seconds <= 0)
      return unknown('the load beside the energy counter did not run')
    // The counter begins again at its end, which it can reach once in so short a time.
    const rose = later.energy - earlier.energy
    const microjoules = rose < 0 ? rose + earlier.range : rose
    if (microjoules < 0) return unknown('the energy counter went back')
    return known<LiveEnergy>({ zone: { name: earlier.name, microjoules, seconds } })
  },
})

const isAbsent = ({ exitCode, text, errorText }: Answer): boolean =>
  exitCode === 2 && text === '' && /No such file or directory/.test(errorText) && !/ermission denied/.test(errorText)

function reading({ exitCode, text }: Answer): { name: string; energy: number; range: number } | null {
  if (exitCode !== 0) return null
  const values = sysfsValues(text, NAMES)
  const energy = wholeNumber(values.get(`${ZONE}/energy_uj`))
  const range = wholeNumber(values.get(`${ZONE}/max_energy_range_uj`))
  return energy === null || range === null ? null : { name: values.get(`${ZONE}/name`) ?? '', energy, range }
}
