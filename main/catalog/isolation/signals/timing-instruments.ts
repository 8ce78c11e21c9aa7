import { cpuFeatures } from '../../probes/cpu-features.ts'
import { liveEnergy } from '../../probes/live-energy.ts'
import { liveThermal } from '../../probes/live-thermal.ts'
import { contradicts, count, supports, unclear } from '../../steps.ts'
import { metal, neutral, notApplicable, type Signal, sign, unreadable, virtual } from '../signal.ts'

/** Watts of one package: less is no running processor, more is no processor. */
const WATTS: readonly [low: number, high: number] = [0.1, 2000]
/** Degrees Celsius that a running processor can have. */
const DEGREES: readonly [low: number, high: number] = [1, 125]

const rapl: Signal = {
  id: 'time.rapl',
  family: 'timing',
  title: 'Energy counter under load',
  onMetal: 'rises by tens of watts',
  onGuest: 'no counter, or one that does not change',
  spoofingEffort: 'S0',
  pitfalls: [
    'Absence is weak evidence: some kernels lack the driver, and processors before 2011 the counter.',
    'QEMU since 9.1 can return its own estimate for the counters (rapl=on); then they rise in a guest.',
    'The counter covers the package, with all other work on it.',
  ],
  source:
    'Documentation/ABI/testing/sysfs-class-powercap; Intel SDM vol. 3B, power and thermal management; arch/x86/kvm/x86.c, energy registers of guests read zero.',
  probes: [cpuFeatures, liveEnergy],
  observe(read) {
    const [cpu, energy] = [read(cpuFeatures), read(liveEnergy)]
    if (cpu.ok && cpu.fact.architecture !== 'x86')
      return notApplicable('Energy counters of this form are those of x86.')
    if (!energy.ok) return unreadable(liveEnergy, energy.reason)
    const { zone } = energy.fact
    if (zone === null) return neutral('no energy counter')
    const watts = zone.microjoules / 1e6 / zone.seconds
    const said = `${(zone.microjoules / 1e6).toFixed(1)} J in ${zone.seconds.toFixed(2)} s of load`
    if (zone.microjoules === 0)
      return virtual(
        said,
        sign(
          'odd',
          null,
          contradicts(
            `The energy counter of the processor did not change while the processor worked for ${zone.seconds.toFixed(2)} s.`,
            liveEnergy,
          ),
        ),
      )
    return watts >= WATTS[0] && watts <= WATTS[1]
      ? metal(said, supports(`The energy counter of the processor rose with the load: ${said}.`, liveEnergy))
      : neutral(said, unclear(`The energy counter rose by more than a processor can consume: ${said}.`, liveEnergy))
  },
}

const liveness: Signal = {
  id: 'time.liveness',
  family: 'timing',
  title: 'Temperature of the processor under load',
  onMetal: 'sensors inside the processor, and some of them move',
  onGuest: 'no sensors, or ones that do not change',
  spoofingEffort: 'S1',
  pitfalls: [
    'Absence is weak evidence: the driver may be missing, and processors other than x86 report elsewhere.',
    'Sensors with steps of one degree may not change during the one second of load.',
    'A hypervisor that passes thermal registers through shows real temperatures in a guest.',
  ],
  source: 'Documentation/ABI/testing/sysfs-class-hwmon; Documentation/hwmon/coretemp.rst and k10temp.rst.',
  probes: [liveThermal, liveEnergy],
  observe(read) {
    const thermal = read(liveThermal)
    if (!thermal.ok) return unreadable(liveThermal, thermal.reason)
    const { sensors, moved, range, clock } = thermal.fact
    if (range === null) return neutral('no temperature sensor of the processor')
    const said = `${moved} of ${count(sensors, 'temperature sensor')} of the processor moved under load, ${range[0].toFixed(0)} to ${range[1].toFixed(0)} °C`
    const isReal = range[0] >= DEGREES[0] && range[1] <= DEGREES[1]
    if (moved === 0 || !isReal) return neutral(said, unclear(`${said}: that shows no working sensor.`, liveThermal))
    const energy = read(liveEnergy)
    const together = [
      ...(energy.ok && (energy.fact.zone?.microjoules ?? 0) > 0 ? ['the energy counter rose'] : []),
      ...(clock !== null && clock[0] !== clock[1] ? ['the clock of the first CPU changed'] : []),
    ]
    return metal(said, supports(`${[said, ...together].join('; ')}.`, liveThermal))
  },
}

/** Instruments that move when the processor works. */
export const instrumentSignals: readonly Signal[] = [rapl, liveness]
