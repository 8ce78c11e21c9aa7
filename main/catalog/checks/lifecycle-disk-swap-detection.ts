import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { plain } from '../../core/plain-text.ts'
import type { Parsed, Probe } from '../../core/probe.ts'
import { comparePins, type HardwarePin, hardwarePins } from '../isolation/pins.ts'
import type { Read } from '../isolation/signal.ts'
import { gpuNvidia } from '../probes/gpu-nvidia.ts'
import { hostSerials } from '../probes/host-identity.ts'
import { infiniband } from '../probes/infiniband.ts'
import { inventoryDisks } from '../probes/inventory-disks.ts'
import { netInterfaces } from '../probes/net-interfaces.ts'
import { contradicts, count, decide, supports, unclear } from '../steps.ts'

const PROBES = { hostSerials, gpuNvidia, inventoryDisks, netInterfaces, infiniband } as const

/** Which question a kind of part is read by. */
const ASKED: Readonly<Partial<Record<HardwarePin['kind'], Probe<unknown>>>> = {
  system: hostSerials,
  board: hostSerials,
  chassis: hostSerials,
  gpu: gpuNvidia,
  disk: inventoryDisks,
  nic: netInterfaces,
  hca: infiniband,
}

export const lifecycleDiskSwapDetection = defineCheck({
  id: 'lifecycle.disk-swap-detection',
  property: 'evidence',
  expected: 'Every drive, GPU, adapter and board pinned at an earlier collection is present, and no other of its kind.',
  limitations:
    'A part that was removed and returned between two collections is not detected. Serial numbers are self-reported by the node.',
  requires: {},
  optional: PROBES,
  evaluate(_, wanted, { node }) {
    const pinned = node.hardware ?? []
    if (pinned.length === 0)
      return decide([unclear('No parts of this node were pinned: there is nothing to compare with.', null)])
    const readings = new Map(Object.values(PROBES).map((probe, index) => [probe.id, Object.values(wanted)[index]]))
    const read: Read = <F, C extends string>(probe: Probe<F, C>) =>
      (readings.get(probe.id) ?? { ok: false, reason: 'this was not collected' }) as Parsed<F>
    const kinds = [...new Set(pinned.map(({ kind }) => kind))]
    return decide(kinds.flatMap((kind) => stepsFor(kind, pinned, read)))
  },
})

function stepsFor(kind: HardwarePin['kind'], pinned: readonly HardwarePin[], read: Read): readonly DraftObservation[] {
  const probe = ASKED[kind]
  if (probe === undefined) return [unclear(`Pinned parts of the kind “${kind}” are not read by this catalog.`, null)]
  const reading = read(probe)
  if (!reading.ok) return unclearAbout(probe, reading)
  const before = pinned.filter((pin) => pin.kind === kind)
  const now = hardwarePins(read).filter((pin) => pin.kind === kind)
  const differences = comparePins(before, now)
  return differences.length === 0
    ? [
        supports(
          `${count(before.length, `${kind} serial number or address`, `${kind} serial numbers and addresses`)} pinned, all found again.`,
          probe,
        ),
      ]
    : differences.map(({ pin, is }) =>
        contradicts(
          is === 'gone'
            ? `Pinned and not found: ${kind} “${plain(pin.part, 80)}” with “${plain(pin.value, 100)}”.`
            : `Found and not pinned: ${kind} “${plain(pin.part, 80)}” with “${plain(pin.value, 100)}”.`,
          probe,
        ),
      )
}
