import { catalog } from '../../../main/catalog/definition/index.ts'
import { SIGNALS } from '../../../main/catalog/single-tenancy/isolation/signals.ts'
import type { Probe } from '../../../main/core/recording/probe.ts'

/** Every question of the catalog and of its signals, each once. */
export const CATALOG_PROBES: readonly Probe<unknown>[] = [
  ...new Map(
    [...catalog.probes, ...SIGNALS.flatMap(({ probes }) => probes)].map((probe) => [probe.id, probe]),
  ).values(),
]
