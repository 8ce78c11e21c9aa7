import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { grepIsComplete, oneLineFiles } from '../read-text.ts'
import { whether } from '../steady.ts'

export interface KernelIma {
  /** Files that the kernel measured since its start; null where it has no such measurement. */
  readonly measurements: number | null
  readonly violations: number | null
}

const FOLDER = '/sys/kernel/security/ima/'

/** Linux Documentation/ABI/testing/ima_policy and security/integrity/ima/ima_fs.c. The list itself names files and is not read. */
export const kernelIma = defineProbe({
  id: 'kernel.ima',
  title: 'File measurements of the kernel (IMA)',
  why: 'Shows whether the kernel itself records the digests of files before they are used.',
  ignoredInDrift: {
    why: 'Files are measured as they are used; only whether the kernel measures is compared.',
    normalize: ({ measurements, violations }: KernelIma) => ({
      measures: measurements !== null,
      hasViolations: whether(violations),
    }),
  },
  commands: {
    counts: runAsRoot(['grep', '-H', '.', `${FOLDER}runtime_measurements_count`, `${FOLDER}violations`], {
      needsPath: [`${FOLDER}runtime_measurements_count`, `${FOLDER}violations`],
    }),
  },
  parse({ counts }) {
    if (!grepIsComplete(counts)) return unknown('the counts of the kernel’s measurements could not be read')
    const values = oneLineFiles(counts.text)
    const number = (name: string): number | null => {
      const text = values.get(FOLDER + name) ?? ''
      return /^\d{1,12}$/.test(text) ? Number(text) : null
    }
    return known<KernelIma>({ measurements: number('runtime_measurements_count'), violations: number('violations') })
  },
})
