import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { grepIsComplete, lines } from '../read-text.ts'
import { whether } from '../steady.ts'

export interface HypervisorInterrupts {
  /** Interrupts that a hypervisor sent this kernel since boot, on all processors. */
  readonly callbacks: number
  /** The same from Hyper-V’s own timer and re-enlightenment. */
  readonly hyperV: number
}

/**
 * Linux arch/x86/kernel/irq.c: HYP counts calls of the hypervisor vector, HVS and HRE those of Hyper-V. Kernels before 4.1 print the line
 * on hardware too, with zeros, so only counts show. The first line names the processors on every kernel.
 */
export const virtInterrupts = defineProbe({
  id: 'virt.interrupts',
  title: 'Interrupts that only hypervisors send',
  why: 'Interrupts that a hypervisor sends to its guest are counted by the guest’s kernel.',
  ignoredInDrift: {
    why: 'Interrupts are counted from the last start on.',
    normalize: ({ callbacks, hyperV }: HypervisorInterrupts) => ({
      callbacks: whether(callbacks),
      hyperV: whether(hyperV),
    }),
  },
  commands: {
    counts: run(['grep', '-E', '^ *(CPU[0-9]+ |(HYP|HVS|HRE):)', '/proc/interrupts'], {
      control: 'CPU',
      maxBytes: 256 * 1024,
    }),
  },
  parse({ counts }) {
    if (!grepIsComplete(counts)) return unknown('the counts of interrupts could not be read')
    const sum = (names: RegExp): number =>
      lines(counts.text)
        .filter((line) => names.test(line))
        .flatMap((line) => line.slice(line.indexOf(':') + 1).match(/(?<=\s)\d{1,15}(?=\s)/g) ?? [])
        .reduce((total, digits) => total + Number(digits), 0)
    return known<HypervisorInterrupts>({ callbacks: sum(/^ *HYP:/), hyperV: sum(/^ *(HVS|HRE):/) })
  },
})
