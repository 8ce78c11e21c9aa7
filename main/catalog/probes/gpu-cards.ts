import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { longListing, sysfsFound, sysfsValues } from '../isolation/listing.ts'
import { isAbsent, lines } from '../read-text.ts'
import { inOrder } from '../steady.ts'

/** A GPU as the kernel's graphics layer knows it, with no tool of its manufacturer. */
export interface GpuCard {
  readonly name: string
  readonly address: string
  /** Four lower-case hex digits each. */
  readonly vendor: string
  readonly device: string
  /** What AMD's driver gives away: an id of the chip, its serial, BIOS, and how it is divided. */
  readonly uniqueId: string | null
  readonly serial: string | null
  readonly productName: string | null
  readonly vbios: string | null
  /** SPX for a whole accelerator; DPX, QPX, CPX for one cut into two, four or all its chips. */
  readonly partition: string | null
  /** PCI address of the physical function that this one is a part of. */
  readonly physicalFunction: string | null
}
export interface GpuCards {
  readonly cards: readonly GpuCard[]
}

const FILES = [
  'vendor',
  'device',
  'unique_id',
  'serial_number',
  'product_name',
  'vbios_version',
  'current_compute_partition',
]
const CARD = /^card\d{1,3}$/

/**
 * Documentation/gpu/amdgpu/driver-misc.rst; Documentation/ABI/testing/sysfs-bus-pci. Works for every manufacturer whose driver is a
 * graphics driver.
 */
export const gpuCards = defineProbe({
  id: 'gpu.cards',
  title: 'GPUs known to the graphics layer',
  why: 'Shows IDs and partitions of AMD and Intel GPUs, and whether one is only a part of another, without vendor tools.',
  ignoredInDrift: {
    why: 'Cards are numbered in the order in which their drivers start.',
    normalize: ({ cards }: GpuCards) => ({ cards: inOrder(cards.map(({ name: _, ...card }) => card)) }),
  },
  commands: {
    list: run(['ls', '-l', '/sys/class/drm']),
    values: run([
      'grep',
      '-sH',
      '',
      ...FILES.map((name) => glob(`/sys/class/drm/card*/device/${name}`)),
      glob('/sys/class/drm/card*/device/physfn/uevent'),
    ]),
  },
  parse({ list, values }) {
    if (isAbsent(list)) return known<GpuCards>({ cards: [] })
    if (list.exitCode !== 0) return unknown('the graphics cards could not be listed')
    const read = sysfsValues(values.text, FILES)
    const parents = new Map(
      sysfsFound(values.text, ['uevent']).flatMap(({ path, line }) => {
        const address = /^PCI_SLOT_NAME=([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])$/.exec(line)?.[1]
        return address === undefined ? [] : [[path.split('/')[4] ?? '', address] as const]
      }),
    )
    const cards = longListing(lines(list.text)).flatMap(({ name, target }) => {
      const address = /\/([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\/drm\/card\d{1,3}$/.exec(target ?? '')?.[1]
      return CARD.test(name) && address !== undefined ? [readCard(name, address, read, parents)] : []
    })
    if (cards.includes(null)) return unknown('the ids of a listed graphics card could not be read')
    return known<GpuCards>({ cards: cards.filter((card) => card !== null) })
  },
})

function readCard(
  name: string,
  address: string,
  read: ReadonlyMap<string, string>,
  parents: ReadonlyMap<string, string>,
): GpuCard | null {
  const at = (file: string): string | null => {
    const value = read.get(`/sys/class/drm/${name}/device/${file}`)?.slice(0, 200)
    return value === undefined || value === '' ? null : value
  }
  const id = (file: string): string | undefined => /^0x([0-9a-f]{4})$/.exec(at(file)?.toLowerCase() ?? '')?.[1]
  const [vendor, device] = [id('vendor'), id('device')]
  if (vendor === undefined || device === undefined) return null
  return {
    name,
    address,
    vendor,
    device,
    uniqueId: at('unique_id'),
    serial: at('serial_number'),
    productName: at('product_name'),
    vbios: at('vbios_version'),
    partition: at('current_compute_partition'),
    physicalFunction: parents.get(name) ?? null,
  }
}
