import type { Isolation } from '../../../../schemas/types.ts'
import { plain } from '../../../core/base/plain-text.ts'
import type { Read } from '../../../core/recording/readings.ts'
import { compare } from '../../../core/recording/recording.ts'
import { lastingAddress, netInterfaces } from '../../data-protection/network/interfaces.ts'
import { inventoryDisks } from '../../hardware/drives/inventory.ts'
import { infiniband } from '../../hardware/fabric/index.ts'
import { gpuNvidia } from '../../hardware/gpu/nvidia.ts'
import { hostSerials } from '../../hardware/machine/identity.ts'
import { isInMachine, serviceOf } from './disk-attachment.ts'

export type HardwarePin = Isolation['pins'][number]

// Placeholders of manufacturers and firmware in place of a serial number.
const NO_SERIAL =
  /^(|0+|n\/?a|none|default string|not (specified|available|applicable)|to be filled by o\.?e\.?m\.?|system serial number|chassis serial number|base board serial number|unknown|\[?n\/a\]?|(?<c>\S)\k<c>+|0123456789|123456789)$/i
const LONGEST = 100

/** A pin, and whether its part stays in the machine: not a drive that is elsewhere, nor a function that this system made of an adapter. */
interface Part {
  readonly pin: HardwarePin
  readonly stays: boolean
}

/**
 * Serial numbers and fixed addresses of the parts of this machine, so that a later run notices a moved or swapped one. Only what is
 * fixed in the part: no address that an administrator sets. Sorted, so that two runs on an unchanged machine give the same list.
 */
export const hardwarePins = (read: Read): readonly HardwarePin[] => pinsOf(partsOf(read).filter(({ stays }) => stays))

/** What comes and goes while the machine stays the same: volumes over a network, images of its management controller, virtual functions. */
export const passingPins = (read: Read): readonly HardwarePin[] => pinsOf(partsOf(read).filter(({ stays }) => !stays))

const partsOf = (read: Read): readonly Part[] => [
  ...[...firmware(read), ...gpus(read)].map((pin): Part => ({ pin, stays: true })),
  ...disks(read),
  ...adapters(read),
]

const pinsOf = (parts: readonly Part[]): readonly HardwarePin[] =>
  parts
    .map(({ pin }) => pin)
    .filter(({ value }) => !NO_SERIAL.test(value.trim()))
    .map(({ kind, part, value }) => ({ kind, part: plain(part, 80), value: plain(value.trim(), LONGEST) }))
    .sort((a, b) => compare(a.kind, b.kind) || compare(a.part, b.part) || compare(a.value, b.value))

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

function disks(read: Read): readonly Part[] {
  const drives = read(inventoryDisks)
  if (!drives.ok) return []
  // The kernel numbers drives as it finds them, so the model names the part: a renumbered drive is not a swapped one.
  return drives.fact.disks.map((disk) => ({
    pin: { kind: 'disk', part: disk.model, value: disk.serial },
    stays: isInMachine(disk) && serviceOf(disk) === null,
  }))
}

// addr_assign_type 0: the address is the part's own (NET_ADDR_PERM); software can set every other kind. A pod that is given a virtual
// function takes it out of view, and the end of a management controller’s network over USB can have a new address at each of its starts.
function adapters(read: Read): readonly Part[] {
  const [nics, fabric] = [read(netInterfaces), read(infiniband)]
  return [
    ...(nics.ok
      ? nics.fact.interfaces
          .filter(({ driver, addressSource }) => driver !== null && addressSource === 0)
          .map(
            ({ name, mac, physicalFunction, path }): Part => ({
              pin: { kind: 'nic', part: name, value: lastingAddress(mac) },
              stays: physicalFunction === null && !path.includes('/usb'),
            }),
          )
      : []),
    ...(fabric.ok
      ? fabric.fact.adapters.map(
          ({ name, nodeGuid, physicalFunction }): Part => ({
            pin: { kind: 'hca', part: name, value: nodeGuid },
            stays: physicalFunction === null,
          }),
        )
      : []),
  ]
}

interface PinDifference {
  readonly pin: HardwarePin
  /** gone: declared and no longer there; new: there and not declared, of a kind that was declared. */
  readonly is: 'gone' | 'new'
}

/**
 * How the parts found now differ from those pinned before. Kinds that were not pinned are not compared. `passing`: parts that are there now and
 * may go, which are not new, and not gone where they were pinned.
 */
export function comparePins(
  before: readonly HardwarePin[],
  now: readonly HardwarePin[],
  passing: readonly HardwarePin[] = [],
): readonly PinDifference[] {
  const key = ({ kind, value }: HardwarePin): string => `${kind} ${kind === 'nic' ? lastingAddress(value) : value}`
  const [had, has] = [new Set(before.map(key)), new Set([...now, ...passing].map(key))]
  const kinds = new Set(before.map(({ kind }) => kind))
  return [
    ...before.filter((pin) => !has.has(key(pin))).map((pin): PinDifference => ({ pin, is: 'gone' })),
    ...now.filter((pin) => kinds.has(pin.kind) && !had.has(key(pin))).map((pin): PinDifference => ({ pin, is: 'new' })),
  ]
}
