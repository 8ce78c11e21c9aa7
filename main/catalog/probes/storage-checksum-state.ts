import { defineProbe, glob, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { foundLines, grepIsComplete } from '../read-text.ts'
import { inOrder, whether } from '../steady.ts'

/** An md array that can compare its members (levels 1, 4, 5, 6, 10). Null where the kernel showed no such file. */
export interface ComparedArray {
  readonly name: string
  readonly level: string
  /** Sectors that differed in the last check or repair. */
  readonly mismatches: number | null
  /** What it did last since it was assembled: check, repair, resync, recover, idle, none. */
  readonly lastAction: string
  readonly degraded: number | null
}
export interface ChecksumState {
  readonly arrays: readonly ComparedArray[]
  /** Errors counted by each btrfs file system over all its devices; its id is the folder's name in sysfs. */
  readonly btrfs: readonly { readonly id: string; readonly errors: number }[]
}

/** Documentation/admin-guide/md.rst (mismatch_cnt, last_sync_action, degraded); fs/btrfs/sysfs.c (error_stats). */
export const storageChecksumState = defineProbe({
  id: 'storage.checksum-state',
  title: 'Differences and errors counted by arrays and btrfs',
  why: 'Shows whether stored data was found to differ from its copies or its checksums.',
  ignoredInDrift: {
    why: 'Arrays are compared on a timer and count differences; only whether there were differences is compared.',
    normalize: ({ arrays, btrfs }: ChecksumState) => ({
      arrays: inOrder(
        arrays.map(({ lastAction: _, mismatches, ...array }) => ({ ...array, hasMismatches: whether(mismatches) })),
      ),
      btrfs: inOrder(btrfs.map(({ id, errors }) => ({ id, hasErrors: whether(errors) }))),
    }),
  },
  commands: {
    counts: run([
      'grep',
      '-H',
      '',
      '/proc/mdstat',
      glob('/sys/block/md*/md/level'),
      glob('/sys/block/md*/md/mismatch_cnt'),
      glob('/sys/block/md*/md/last_sync_action'),
      glob('/sys/block/md*/md/degraded'),
      glob('/sys/fs/btrfs/*/devinfo/*/error_stats'),
    ]),
  },
  parse: ({ counts }) =>
    grepIsComplete(counts) ? parseChecksumState(counts.text) : unknown('what arrays counted could not all be read'),
})

const COMPARABLE = /^raid(1|4|5|6|10)$/

export function parseChecksumState(text: string): Parsed<ChecksumState> {
  const arrays = new Map<string, Map<string, string>>()
  const btrfs = new Map<string, number>()
  for (const { path, line } of foundLines(text)) {
    const [, name, file = ''] = /^\/sys\/block\/(md[^/]*)\/md\/([a-z_]+)$/.exec(path) ?? []
    if (name !== undefined) arrays.set(name, (arrays.get(name) ?? new Map()).set(file, line.trim()))
    const id = /^\/sys\/fs\/btrfs\/([^/]+)\/devinfo\/[^/]+\/error_stats$/.exec(path)?.[1]
    if (id === undefined) continue
    const errors = /^[a-z_]+_errs (\d{1,15})$/.exec(line.trim())?.[1]
    // "invalid": the device never gave its counters.
    if (errors === undefined) return unknown('the error counters of a btrfs device have an unexpected format')
    btrfs.set(id, (btrfs.get(id) ?? 0) + Number(errors))
  }
  const number = (value: string | undefined): number | null =>
    value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : null
  return known({
    arrays: [...arrays]
      .map(([name, files]) => ({
        name,
        level: files.get('level') ?? '',
        mismatches: number(files.get('mismatch_cnt')),
        lastAction: files.get('last_sync_action') ?? '',
        degraded: number(files.get('degraded')),
      }))
      .filter(({ level }) => COMPARABLE.test(level)),
    btrfs: [...btrfs].map(([id, errors]) => ({ id, errors })),
  })
}
