import { dmTargets, storageDmTable } from '../probes/dm-table.ts'
import { gradeCipher, type Strength } from './cipher.ts'
import type { BlockDevice } from './graph.ts'
import { end, type Outcome, rank, type Walked, worstOf } from './outcome.ts'
import type { Trail, View } from './view.ts'
import { followZvol } from './walk-zfs.ts'

/** One device, down to what it is built on. */
export function followLayer(view: View, device: BlockDevice, trail: Trail): Walked {
  if (device.isDm) return followDm(view, device, trail)
  if (/^zram\d+$/.test(device.kernelName)) {
    if (device.zramBacking === 'none') return end('volatile', 'it is compressed memory without a backing drive')
    return device.zramBacking === null || device.zramBacking === ''
      ? end('unknown', 'whether this compressed memory is written back to a drive was not shown')
      : view.named(device.zramBacking, trail)
  }
  if (/^loop\d+$/.test(device.kernelName)) {
    const file = device.backingFile
    if (file === null || !file.startsWith('/')) return end('unknown', 'the file behind this loop device was not shown')
    const path = file.replace(/ \(deleted\)$/, '')
    return path.startsWith('/dev/') ? view.named(path, trail) : view.path(path, trail)
  }
  if (/^ram\d+$/.test(device.kernelName)) return end('volatile', 'it is a disk in memory')
  if (/^drbd\d+$/.test(device.kernelName)) {
    const copy = end('external-unverified', 'a copy of it is on another system, which this node cannot show')
    return worstOf([device.below.length > 0 ? followBelow(view, device, trail) : NOT_SHOWN, copy])
  }
  if (/^zd\d+$/.test(device.kernelName)) return followZvol(view, trail)
  if (device.below.length > 0) return followBelow(view, device, trail)
  if (/^(md|bcache)\d+/.test(device.kernelName)) return NOT_SHOWN
  const remote = /^(iscsi|fc|nbd|rbd|tcp|rdma)$/.test(device.transport) || /^(nbd|rbd)\d+/.test(device.kernelName)
  return {
    ...end(
      'exposed',
      remote
        ? 'a drive on another system, without an encrypting layer on this node'
        : 'there is no encrypting layer above the drive',
    ),
    remote,
  }
}

const NOT_SHOWN = end('unknown', 'the layers below this device were not shown')

/** Every device below counts; the path shows the worst and reports about how many it is one. */
function followBelow(view: View, { below }: BlockDevice, trail: Trail): Walked {
  const worst = worstOf(below.map((number) => view.device(number, trail)))
  const [first = '', ...rest] = worst.path
  return below.length < 2 ? worst : { ...worst, path: [`one of ${below.length}: ${first}`, ...rest] }
}

/** Kinds by the prefix of the device-mapper UUID. CRYPT-INTEGRITY, -VERITY and -SUBDEV share the crypt prefix but hide nothing. */
export const ENCRYPTING = /^CRYPT-(LUKS1|LUKS2|PLAIN|TCRYPT|LOOPAES|BITLK|FVAULT2)-/
const PLAIN_LAYER = /^(LVM-|mpath-|stratis-|DMRAID-|part\d+-|CRYPT-(INTEGRITY|VERITY|SUBDEV)-|LVMRAID-)/

function followDm(view: View, device: BlockDevice, trail: Trail): Walked {
  const below = device.below.length > 0 ? followBelow(view, device, trail) : NOT_SHOWN
  const targets = view.dmTable.ok ? dmTargets(view.dmTable.fact, device.name) : undefined
  if (targets !== undefined && targets.length > 0) {
    const layers = targets.flatMap((target) =>
      target.kind === 'crypt' ? [gradeCipher(target.cipher, target.keyBytes)] : [],
    )
    if (layers.length < targets.length) return below
    const layer = worstOf(
      layers.map(({ strength, says }) =>
        end(
          WORTH[strength],
          strength === 'none' ? `the layer uses ${says}` : `encrypted by dm-crypt, ${says}`,
          below.path,
        ),
      ),
    )
    // A layer below may do what this one does not.
    return rank(below) < rank(layer) ? below : { ...layer, remote: below.remote, readFrom: storageDmTable.id }
  }
  const type = device.dmUuid ?? (device.type === 'crypt' ? 'CRYPT-LUKS2-' : device.type === 'lvm' ? 'LVM-' : '')
  if (PLAIN_LAYER.test(type) || below.outcome === 'encrypted') return below
  const unread = ENCRYPTING.test(type)
    ? 'an encrypting layer is present; its cipher needs administrator rights to read'
    : 'a device-mapper layer of unread kind is above the drive'
  return {
    ...end(ENCRYPTING.test(type) ? 'layer-present-cipher-unverified' : 'unknown', unread, below.path),
    remote: below.remote,
  }
}

const WORTH: Readonly<Record<Strength, Outcome>> = {
  sound: 'encrypted',
  unapproved: 'encrypted',
  weak: 'encrypted-weak',
  broken: 'encrypted-broken',
  none: 'exposed',
}
