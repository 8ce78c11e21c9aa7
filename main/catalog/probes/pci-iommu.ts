import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { listedFolders, listingIsComplete, sysfsValues } from '../isolation/listing.ts'
import {
  ALWAYS_FILE,
  ALWAYS_FOLDER,
  foundLines,
  grepIsComplete,
  OF_ALWAYS_FILE,
  OF_ALWAYS_FOLDER,
} from '../read-text.ts'
import { inOrder } from '../steady.ts'

export interface Iommu {
  readonly units: readonly string[]
  readonly groups: readonly string[]
  /** Group → DMA, DMA-FQ (translated), identity (passed through), blocked, auto. */
  readonly types: ReadonlyMap<string, string>
  readonly kernelArguments: readonly string[]
}

const GROUPS = '/sys/kernel/iommu_groups'
const UNITS = '/sys/class/iommu'

/** Documentation/ABI/testing/sysfs-kernel-iommu_groups, sysfs-class-iommu; kernel-parameters.txt for the arguments. */
export const pciIommu = defineProbe({
  id: 'pci.iommu',
  title: 'Memory protection against devices',
  why: 'An IOMMU limits which memory a device can reach. On AI servers it is often switched to pass-through.',
  ignoredInDrift: {
    why: 'Groups and units are listed in the order in which they were found.',
    normalize: ({ units, groups, ...rest }: Iommu) => ({
      ...rest,
      units: inOrder(units),
      groups: inOrder(groups),
      types: inOrder(rest.types),
    }),
  },
  commands: {
    lists: run(['ls', '-1', GROUPS, UNITS, ALWAYS_FOLDER], OF_ALWAYS_FOLDER),
    types: run(['grep', '-sH', '', glob('/sys/kernel/iommu_groups/*/type'), ALWAYS_FILE], OF_ALWAYS_FILE),
    kernel: run(
      [
        'grep',
        '-o',
        '-H',
        '-E',
        '(intel_iommu|amd_iommu|iommu|iommu[.][a-z]+)=[a-z,_]+|^Linux$',
        '/proc/cmdline',
        ALWAYS_FILE,
      ],
      OF_ALWAYS_FILE,
    ),
  },
  parse({ lists, types, kernel }) {
    if (!listingIsComplete(lists)) return unknown('the IOMMU groups could not be listed')
    if (!grepIsComplete(kernel)) return unknown('the kernel’s arguments could not be read')
    const folders = listedFolders(lists.text)
    if (lists.exitCode === 0 && !folders.has(GROUPS))
      return unknown('the list of IOMMU groups has an unexpected format')
    return known<Iommu>({
      units: folders.get(UNITS) ?? [],
      groups: folders.get(GROUPS) ?? [],
      types: new Map(
        [...sysfsValues(types.text, ['type'])].map(([path, type]) => [path.split('/').at(-2) ?? '', type]),
      ),
      kernelArguments: foundLines(kernel.text).flatMap(({ path, line }) => (path === ALWAYS_FILE ? [] : [line])),
    })
  },
})
