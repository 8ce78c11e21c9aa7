import { type Figure, NODE_FIGURES, type NodeFigureKind } from '../../../schemas/figure.ts'
import type { Assessment, NodeAssessment, ResidencyPolicy, Scope } from '../../../schemas/types.ts'
import { withMappedPaths } from '../../core/engagement/ephi.ts'
import { askedFor, readProbe } from '../../core/recording/probe.ts'
import type { Read } from '../../core/recording/readings.ts'
import { capturesByKey } from '../../core/recording/readings.ts'
import type { LoadedRecording } from '../../core/recording/recording.ts'
import {
  storageBlockDevices,
  storageDmTable,
  storageLsblk,
  storageSwaps,
} from '../data-protection/block-devices/index.ts'
import { storageZfs, storageZpool } from '../data-protection/block-devices/zfs.ts'
import {
  mountRoots,
  openVolumeRoots,
  pathRoots,
  readStorage,
  swapRoots,
} from '../data-protection/disk-encryption/roots.ts'
import { coredumpSettings } from '../data-protection/dumps/coredump.ts'
import { coreDumpPattern, kernelDumpRoots, kernelDumps, programDumpRoots } from '../data-protection/dumps/dumps.ts'
import { storageMounts } from '../data-protection/mounts/probes.ts'
import { infiniband } from '../hardware/fabric/index.ts'
import { gpuNvidia } from '../hardware/gpu/nvidia.ts'
import { gpuTopology } from '../hardware/gpu/topology.ts'
import { pciDevices } from '../hardware/pci/probes.ts'
import { policiesFor, policyQuestion } from '../location/answers.ts'
import { drawnLand } from '../location/peers.ts'
import { blockStack } from './block-stack.ts'
import { fleetMap } from './fleet-map.ts'
import { isolationFamilies } from './isolation-families.ts'
import { type DrawnPolicy, locationMap } from './location-map.ts'
import { topology } from './topology.ts'

/**
 * The pictures of one node: its isolation signals by family, its data down to the drives, how its GPUs are connected, and where it can be.
 * A picture whose probes were not collected is left out, and so is a kind that is not asked for. Pure: the same recording gives the same
 * pictures. Never throws.
 */
export function figuresOf(
  { recording, captures }: LoadedRecording,
  { isolation, location }: NodeAssessment,
  { location: declared, engagement }: Pick<Scope, 'location' | 'engagement'> = {},
  kinds: readonly NodeFigureKind[] = NODE_FIGURES,
): readonly Figure[] {
  const byKey = capturesByKey(captures)
  const read: Read = (probe) => readProbe(probe, byKey, askedFor(recording))
  const draw: Readonly<Record<NodeFigureKind, () => Figure | null>> = {
    'isolation-families': () => (isolation === null ? null : isolationFamilies(isolation)),
    'block-stack': () => blockStackOf(read, withMappedPaths(recording.node, engagement?.ephi).ephiPaths ?? []),
    topology: () => topologyOf(read),
    'location-map': () =>
      location == null
        ? null
        : locationMap(location, policiesOf(recording.node.name, declared?.residency ?? []), drawnLand()),
  }
  return NODE_FIGURES.filter((kind) => kinds.includes(kind))
    .map((kind) => draw[kind]())
    .filter((figure) => figure !== null)
}

/** The picture of all nodes together: where they are stated to be. */
export function fleetFiguresOf({ nodes }: Pick<Assessment, 'nodes'>): readonly Figure[] {
  const map = nodes.some(({ location }) => location?.claim != null) ? fleetMap(nodes, drawnLand()) : null
  return map === null ? [] : [map]
}

const policiesOf = (node: string, residency: readonly ResidencyPolicy[]): readonly DrawnPolicy[] =>
  policiesFor(node, residency)
    .map(policyQuestion)
    .flatMap(({ title, asked }) => (asked.ok ? [{ title, region: asked.value.region }] : []))

function blockStackOf(read: Read, ephiPaths: readonly string[]): Figure | null {
  const [mounts, devices, swaps] = [read(storageMounts), read(storageBlockDevices), read(storageSwaps)]
  if (!mounts.ok || !devices.ok || !swaps.ok) return null
  const storage = readStorage(mounts.fact, devices.fact, swaps.fact, {
    lsblk: read(storageLsblk),
    dmTable: read(storageDmTable),
    zfs: read(storageZfs),
    zpool: read(storageZpool),
  })
  const [core, kernel] = [read(coreDumpPattern), read(kernelDumps)]
  return blockStack(storage, [
    ...mountRoots(storage),
    ...swapRoots(storage),
    ...openVolumeRoots(storage),
    ...pathRoots(storage, ephiPaths, 'declared ePHI path'),
    ...(core.ok ? programDumpRoots(storage, core.fact, read(coredumpSettings)) : []),
    ...(kernel.ok ? kernelDumpRoots(storage, kernel.fact) : []),
  ])
}

function topologyOf(read: Read): Figure | null {
  const matrix = read(gpuTopology)
  if (!matrix.ok) return null
  const [gpus, fabric, pci] = [read(gpuNvidia), read(infiniband), read(pciDevices)]
  return topology(
    matrix.fact,
    { gpus: gpus.ok ? gpus.fact.gpus : [], adapters: fabric.ok ? fabric.fact.adapters : [] },
    pci.ok ? pci.fact.devices : null,
  )
}

/** A layer in its place: `depth` counts from the drives, `row` is the row it is in. */
