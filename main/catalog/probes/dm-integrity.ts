import { quote } from '../../core/plain-text.ts'
import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'
import { inOrder, whether } from '../steady.ts'

export interface IntegrityLayers {
  /** Devices that keep a sum next to each sector, and how many sectors did not match since they were opened. */
  readonly layers: readonly { readonly name: string; readonly mismatches: number }[]
}

/** dmsetup(8); Documentation/admin-guide/device-mapper/dm-integrity.rst, "status line": mismatches, sectors provided, position. */
export const storageDmIntegrity = defineProbe({
  id: 'storage.dm-integrity',
  title: 'Sectors that did not match their checksums',
  why: 'dm-integrity stores a checksum for each sector and counts the sectors that do not match.',
  ignoredInDrift: {
    why: 'Sectors that do not match are counted; only whether there was one is compared.',
    normalize: ({ layers }: IntegrityLayers) => ({
      layers: inOrder(layers.map(({ name, mismatches }) => ({ name, hasMismatches: whether(mismatches) }))),
    }),
  },
  commands: { status: runAsRoot(['dmsetup', 'status', '--target', 'integrity']) },
  parse({ status }) {
    // ENODEV on the control device: this kernel has no device mapper.
    if (/control: open failed: No such device$/m.test(status.errorText)) return known<IntegrityLayers>({ layers: [] })
    if (status.exitCode !== 0) return unknown(`dmsetup failed: ${quote(status.errorText)}`)
    if (status.text.trim() === 'No devices found') return known<IntegrityLayers>({ layers: [] })
    const rows = lines(status.text).map((line) => /^(.{1,300}?): \d{1,20} \d{1,20} integrity (\d{1,15}) \d/.exec(line))
    if (rows.includes(null)) return unknown('the output of dmsetup has an unexpected format')
    return known<IntegrityLayers>({
      layers: rows.map((row) => ({ name: row?.[1] ?? '', mismatches: Number(row?.[2] ?? 'x') })),
    })
  },
})
