import type { Parsed } from '../../core/probe.ts'
import type { DmTable } from '../probes/dm-table.ts'
import type { Mount } from '../probes/storage-mounts.ts'
import type { Swaps } from '../probes/swaps.ts'
import type { ZfsEncryption } from '../probes/zfs-encryption.ts'
import type { ZfsPools } from '../probes/zfs-pools.ts'
import type { BlockGraph } from './graph.ts'
import type { Walked } from './outcome.ts'

/** What a walk reads. Readings that failed stay failures, so that a walk ends in `unknown` instead of guessing. */
export interface StorageFacts {
  readonly mounts: readonly Mount[]
  readonly graph: BlockGraph
  readonly swaps: Parsed<Swaps>
  readonly dmTable: Parsed<DmTable>
  readonly zfs: Parsed<ZfsEncryption>
  readonly zpool: Parsed<ZfsPools>
}

/** What was passed on the way down, so that a circle is noticed. */
export type Trail = ReadonlySet<string>

/** One walk's view: what it reads, and how it continues from any layer to the next. */
export interface View extends StorageFacts {
  /** To the mount that holds a path. */
  readonly path: (path: string, trail: Trail) => Walked
  /** To a device by its path, such as /dev/sda1. */
  readonly named: (path: string, trail: Trail) => Walked
  /** To a device by its number. */
  readonly device: (number: string, trail: Trail) => Walked
}
