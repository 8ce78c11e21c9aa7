import { quote } from '../../../core/plain-text.ts'
import { type CpuTopology, cpuFeatures, cpuTopology } from '../../processors/features.ts'
import { contradicts, count, supports } from '../../steps.ts'
import { virtBuses } from '../../virtualization/probes.ts'
import { coresByName, isServerPart, isSince2009, namesItsCores, secondLevelCache } from '../cpu-tables.ts'
import {
  metal,
  neutral,
  notApplicable,
  type Observation,
  type Read,
  type Signal,
  sign,
  unreadable,
  virtual,
} from '../signal.ts'
import { isControlDomain } from './bus.ts'
import { onX86 } from './cpu-leaf.ts'

const SOURCE = 'Documentation/ABI/testing/sysfs-devices-system-cpu; Documentation/ABI/stable/sysfs-devices-node'

function withLayout(read: Read, observe: (layout: CpuTopology) => Observation): Observation {
  const layout = read(cpuTopology)
  return layout.ok ? observe(layout.fact) : unreadable(cpuTopology, layout.reason)
}

const cores: Signal = {
  id: 'cpu.cores',
  family: 'cpu-identity',
  title: 'Cores in use against those of the processor that is named',
  onMetal: 'As many in each socket as the processor has, or those that were left on.',
  onGuest: 'A part of them, in made-up sockets.',
  spoofingEffort: 'S0',
  pitfalls: [
    'QEMU’s -smp gives any sockets and cores, and model-id= of its -cpu any name.',
    'Cores can be switched off in the firmware, in the kernel or by its command line.',
    'Only processors that are listed, or state it in their name, are evaluated; parts made for one customer are not listed.',
    'A host that is rented whole to one guest can show the right number.',
  ],
  source: `${SOURCE}; the manufacturers’ names and published numbers of cores, 33 of which agree with firmware tables of physical machines.`,
  probes: [cpuFeatures, cpuTopology, virtBuses],
  observe: (read) =>
    onX86(read, (cpu) => {
      const built = coresByName(cpu.modelName)
      if (built === null) return notApplicable('How many cores the named processor has is not listed.')
      return withLayout(read, ({ cpus, packages, cores: found, offline }) => {
        if (cpus !== cpu.logicalCpus) return neutral(`the layout covers ${cpus} of ${cpu.logicalCpus} CPUs`)
        if (found === null) return neutral('the kernel does not report which CPUs share a core')
        const each = found / packages
        const value = `${Number(each.toFixed(1))} of ${built} cores in each of ${count(packages, 'socket')}`
        if (isControlDomain(read)) return neutral(value)
        if (each === built)
          return metal(value, supports(`The processor has as many cores as its name states: ${value}.`, cpuTopology))
        const says = `${quote(cpu.modelName ?? '', 60)} has ${built} cores; in use are ${found} in ${count(packages, 'socket')}`
        if (each > built)
          return virtual(
            value,
            sign(namesItsCores(cpu.modelName) ? 'odd' : 'hint', null, contradicts(`${says}.`, cpuTopology)),
          )
        if (offline !== 0) return neutral(value)
        return virtual(
          value,
          sign(
            each * 4 < built ? 'odd' : 'hint',
            null,
            contradicts(`${says}. Cores switched off in the firmware would explain it.`, cpuTopology),
          ),
        )
      })
    }),
}

const siblings: Signal = {
  id: 'cpu.siblings',
  family: 'cpu-identity',
  title: 'How the threads of a core are numbered',
  onMetal: 'On servers the first threads of all cores come before the second ones: 0 and N.',
  onGuest: 'Often 0 and 1; some hypervisors copy the host’s order.',
  spoofingEffort: 'S0',
  pitfalls: ['Some firmware and many desktops number them 0 and 1.', 'With threads switched off there is no evidence.'],
  source: `${SOURCE}; measured: layouts of real machines.`,
  probes: [cpuFeatures, cpuTopology],
  observe: (read) =>
    onX86(read, (cpu) =>
      withLayout(read, ({ firstSiblings }) => {
        const [first, second] = firstSiblings ?? []
        if (first === undefined) return notApplicable('The kernel does not report which CPUs share a core.')
        if (second === undefined) return neutral('one thread for each core')
        const value = `${first} and ${second} share a core`
        const isModernServer = isServerPart(cpu) && (cpu.vendor !== 'AuthenticAMD' || (cpu.family ?? 0) >= 23)
        if (second > first + 1) return metal(value)
        return isModernServer
          ? virtual(
              value,
              sign(
                'hint',
                null,
                contradicts(
                  'The two threads of a core have adjacent numbers, as in guests; server firmware numbers the second threads last.',
                  cpuTopology,
                ),
              ),
            )
          : neutral(value)
      }),
    ),
}

/** What QEMU gives to processors whose caches no one sets, on Intel models (target/i386/cpu.c). */
const QEMU_CACHES: readonly [second: number, third: number] = [4096, 16384]

const cache: Signal = {
  id: 'cpu.cache',
  family: 'cpu-identity',
  title: 'Second-level cache against the processor’s model',
  onMetal: 'The size that every processor of the model has.',
  onGuest: 'Where the host’s values are not passed on: 4096K and a third level of 16384K.',
  spoofingEffort: 'S0',
  pitfalls: [
    'Only models with a listed size are evaluated; a setting passes the host’s value on.',
    'The third level is not evaluated: it differs from part to part.',
  ],
  source:
    'Intel SDM vol. 2A, CPUID leaf 4; AMD PPR, CPUID leaf 8000001D; QEMU target/i386/cpu.c for its defaults; measured: CPUID dumps of physical machines.',
  probes: [cpuFeatures, cpuTopology],
  observe: (read) =>
    onX86(read, (cpu) =>
      withLayout(read, ({ caches }) => {
        const size = (level: number): number | null =>
          caches.find((one) => one.level === level && one.kind === 'Unified')?.kib ?? null
        const [second, third] = [size(2), size(3)]
        const built = secondLevelCache(cpu)
        if (second === null)
          return isSince2009(cpu) && caches.length === 0
            ? virtual(
                'none listed',
                sign('hint', null, contradicts('The kernel lists no cache of the processor.', cpuTopology)),
              )
            : neutral('no second-level cache listed')
        const value = `${second}K`
        const isUnset = second === QEMU_CACHES[0] && third === QEMU_CACHES[1]
        if (built === second && !isUnset) return metal(value)
        if (built !== null && built !== second)
          return virtual(
            value,
            sign(
              'odd',
              null,
              contradicts(
                `The second-level cache has ${second}K; every processor of this family and model has ${built}K.`,
                cpuTopology,
              ),
            ),
          )
        return isUnset
          ? virtual(
              value,
              sign(
                'hint',
                null,
                contradicts(`The caches have ${second}K and ${third}K, the default sizes of QEMU.`, cpuTopology),
              ),
            )
          : neutral(value)
      }),
    ),
}

const nodes: Signal = {
  id: 'cpu.numa',
  family: 'cpu-identity',
  title: 'Memory nodes against sockets',
  onMetal: 'A node or more for each socket, at distances that the firmware measured.',
  onGuest: 'One node under several sockets, or all nodes at 10 and 20.',
  spoofingEffort: 'S0',
  pitfalls: [
    'A setting of the firmware interleaves the memory of all sockets into one node; so does a switch of the kernel.',
    'Machines with a front-side bus, before 2009, have one node.',
    'Memory of graphics units and behind CXL adds nodes without a socket.',
  ],
  source: `${SOURCE}; ACPI 6.5 §5.2.16, §5.2.17 (SRAT, SLIT); measured: layouts of real machines.`,
  probes: [cpuFeatures, cpuTopology, virtBuses],
  observe: (read) =>
    onX86(read, (cpu) =>
      withLayout(read, ({ cpus, packages, distances }) => {
        const value = `${count(distances.length, 'memory node')} for ${count(packages, 'socket')}`
        if (distances.length === 0) return notApplicable('The kernel knows no memory nodes.')
        if (packages < 2 || cpus !== cpu.logicalCpus || !isSince2009(cpu) || isControlDomain(read))
          return neutral(value)
        const apart = [...new Set(distances.flat())].filter((distance) => distance > 10).sort((a, b) => a - b)
        if (distances.length >= packages)
          return apart.some((distance) => distance !== 20)
            ? metal(`${value}, at ${apart.slice(0, 6).join(', ')}`)
            : neutral(value)
        return virtual(
          value,
          sign(
            distances.length === 1 ? 'odd' : 'hint',
            null,
            contradicts(
              `${value}: each processor since 2009 has memory of its own. Interleaving in the firmware would explain it.`,
              cpuTopology,
            ),
          ),
        )
      }),
    ),
}

/** Whether the layout of processors and memory fits the processor that is named. */
export const cpuLayoutSignals: readonly Signal[] = [cores, siblings, cache, nodes]
