import type { Isolation } from '../../../../schemas/types.ts'
import { plain } from '../../../core/base/plain-text.ts'
import type { Read } from '../../../core/recording/readings.ts'
import { compare } from '../../../core/recording/recording.ts'
import { netInterfaces } from '../../data-protection/network/interfaces.ts'
import { inventoryDisks } from '../../hardware/drives/inventory.ts'
import { infiniband } from '../../hardware/fabric/index.ts'
import { gpuNvidia } from '../../hardware/gpu/nvidia.ts'
import { hostSerials } from '../../hardware/machine/identity.ts'

export type HardwarePin = Isolation['pins'][number]

// Placeholders of manufacturers and firmware in place of a serial number.
const NO_SERIAL =
  /^(|0+|n\/?a|none|default string|not (specified|available|applicable)|to be filled by o\.?e\.?m\.?|system serial number|chassis serial number|base board serial number|unknown|\[?n\/a\]?|(?<c>\S)\k<c>+|0123456789|123456789)$/i
const LONGEST = 100

/**
 * Serial numbers and fixed addresses of the parts of this machine, so that a later run notices a moved or swapped one. Only what is
 * fixed in the part: no address that an administrator sets. Sorted, so that two runs on an unchanged machine give the same list.
 */
export function hardwarePins(read: Read): readonly HardwarePin[] {
  return [...firmware(read), ...gpus(read), ...disks(read), ...adapters(read)]
    .filter(({ value }) => !NO_SERIAL.test(value.trim()))
    .map(({ kind, part, value }) => ({ kind, part: plain(part, 80), value: plain(value.trim(), LONGEST) }))
    .sort((a, b) => compare(a.kind, b.kind) || compare(a.part, b.part) || compare(a.value, b.value))
}

function firmware(read: Read): readonly HardwarePin[] {
  const serials = read(hostSerials)
  return serials.ok
    ? [
        { kind: 'system', part: 'product', value: serials.fact.product },
        { kind: 'board', part: 'board', value: serials.fact.board },
        { kind: 'chassis', part: 'chassis', value: serials.fact.chassis },
      ]
    : []
}

function gpus(read: Read): readonly HardwarePin[] {
  const driver = read(gpuNvidia)
  return driver.ok ? driver.fact.gpus.map(({ address, uuid }) => ({ kind: 'gpu', part: address, value: uuid })) : []
}

function disks(read: Read): readonly HardwarePin[] {
  const drives = read(inventoryDisks)
  // The kernel numbers drives as it finds them, so the model names the part: a renumbered drive is not a swapped one.
  return drives.ok ? drives.fact.disks.map(({ model, serial }) => ({ kind: 'disk', part: model, value: serial })) : []
}

// addr_assign_type 0: the address is the part's own (NET_ADDR_PERM); software can set every other kind.
function adapters(read: Read): readonly HardwarePin[] {
  const [nics, fabric] = [read(netInterfaces), read(infiniband)]
  return [
    ...(nics.ok
      ? nics.fact.interfaces
          .filter(({ driver, addressSource }) => driver !== null && addressSource === 0)
          .map(({ name, mac }): HardwarePin => ({ kind: 'nic', part: name, value: mac }))
      : []),
    ...(fabric.ok
      ? fabric.fact.adapters.map(({ name, nodeGuid }): HardwarePin => ({ kind: 'hca', part: name, value: nodeGuid }))
      : []),
  ]
}

interface PinDifference {
  readonly pin: HardwarePin
  /** gone: declared and no longer there; new: there and not declared, of a kind that was declared. */
  readonly is: 'gone' | 'new'
}

/** How the parts found now differ from those pinned before. Kinds that were not pinned are not compared. */
export function comparePins(before: readonly HardwarePin[], now: readonly HardwarePin[]): readonly PinDifference[] {
  const key = ({ kind, value }: HardwarePin): string => `${kind} ${value}`
  const [had, has] = [new Set(before.map(key)), new Set(now.map(key))]
  const kinds = new Set(before.map(({ kind }) => kind))
  return [
    ...before.filter((pin) => !has.has(key(pin))).map((pin): PinDifference => ({ pin, is: 'gone' })),
    ...now.filter((pin) => kinds.has(pin.kind) && !had.has(key(pin))).map((pin): PinDifference => ({ pin, is: 'new' })),
  ]
}
