import { defineProbe, glob, known, run, unknown } from '../../../core/recording/probe.ts'
import { defineCheck } from '../../../core/rules/check.ts'
import { listedFolders, listingIsComplete, sysfsFound, wholeNumber } from '../../base/read-listing.ts'
import {
  ALWAYS_FILE,
  ALWAYS_FOLDER,
  inOrder,
  lines,
  OF_ALWAYS_FILE,
  OF_ALWAYS_FOLDER,
  whether,
} from '../../base/read-text.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { portsOfBoard } from '../gpu/models.ts'
import { pciDevices } from '../pci/probes.ts'
import data from './checks.json' with { type: 'json' }
import { encryptionInTransitFabric, rdmaGpudirect, rdmaLinks } from './rdma.ts'

export interface FabricPort {
  readonly adapter: string
  readonly port: string
  readonly linkLayer: string
  readonly isActive: boolean
  readonly rate: string
  /** Partition keys in the port's table, without empty slots: four lower-case hex digits. */
  readonly partitionKeys: readonly string[]
  /**
   * Address in the subnet, and that of the subnet manager; null where the kernel did not state it, 0 where there is
   * none.
   */
  readonly lid: number | null
  readonly managerLid: number | null
}

export interface FabricAdapter {
  readonly name: string
  readonly boardId: string
  readonly firmware: string
  readonly nodeGuid: string
  /** Same for all functions of one card. */
  readonly systemGuid: string
  /**
   * The PCI function behind it, with ids and driver; null where the kernel did not state it, or for software
   * adapters.
   */
  readonly pciAddress: string | null
  readonly pciId: string | null
  readonly driver: string | null
  /** PCI address of the physical function that this one is a part of. */
  readonly physicalFunction: string | null
  /** Virtual functions that it can be divided into; null where it cannot. */
  readonly divisibleInto: number | null
}

export interface Fabric {
  readonly adapters: readonly FabricAdapter[]
  readonly ports: readonly FabricPort[]
}

const ADAPTERS = '/sys/class/infiniband'

/** Documentation/ABI/stable/sysfs-class-infiniband. Empty slots of the partition tables are left out by the command itself. */
export const infiniband = defineProbe({
  id: 'infiniband',
  title: 'Fabric adapters and their partitions',
  why: 'The partition keys of an InfiniBand port show with which other servers of the fabric it can communicate.',
  ignoredInDrift: {
    why: 'The subnet manager assigns addresses, and another may replace it.',
    normalize: ({ adapters, ports }: Fabric) => ({
      adapters: inOrder(adapters),
      ports: inOrder(
        ports.map(({ lid, managerLid, partitionKeys, ...port }) => ({
          ...port,
          partitionKeys: inOrder(partitionKeys),
          hasLid: whether(lid),
          hasManager: whether(managerLid),
        })),
      ),
    }),
  },
  commands: {
    adapters: run(['ls', '-1', ADAPTERS, ALWAYS_FOLDER], OF_ALWAYS_FOLDER),
    values: run(
      [
        'grep',
        '-sHvx',
        '0x0000',
        glob('/sys/class/infiniband/*/board_id'),
        glob('/sys/class/infiniband/*/fw_ver'),
        glob('/sys/class/infiniband/*/node_guid'),
        glob('/sys/class/infiniband/*/sys_image_guid'),
        glob('/sys/class/infiniband/*/device/uevent'),
        glob('/sys/class/infiniband/*/device/physfn/uevent'),
        glob('/sys/class/infiniband/*/device/sriov_totalvfs'),
        glob('/sys/class/infiniband/*/ports/*/link_layer'),
        glob('/sys/class/infiniband/*/ports/*/state'),
        glob('/sys/class/infiniband/*/ports/*/rate'),
        glob('/sys/class/infiniband/*/ports/*/lid'),
        glob('/sys/class/infiniband/*/ports/*/sm_lid'),
        glob('/sys/class/infiniband/*/ports/*/pkeys/*'),
        ALWAYS_FILE,
      ],
      OF_ALWAYS_FILE,
    ),
  },
  parse({ adapters, values }) {
    if (!listingIsComplete(adapters)) return unknown('the fabric adapters could not be listed')
    const names = listedFolders(adapters.text).get(ADAPTERS)
    if (names === undefined) return known<Fabric>({ adapters: [], ports: [] })
    const read = new Map(foundValues(values.text))
    const pairs = [...read.keys()].flatMap((path) => {
      const [, adapter, port] = /^\/sys\/class\/infiniband\/([^/]+)\/ports\/(\d+)\/link_layer$/.exec(path) ?? []
      return adapter === undefined || port === undefined ? [] : [{ adapter, port }]
    })
    const having = new Set(pairs.map(({ adapter }) => adapter))
    if (names.some((name) => !having.has(name)))
      return unknown('the ports of a listed fabric adapter could not be read')
    const keys = keysByPort(read)
    const at = (adapter: string, file: string): string => read.get(`/sys/class/infiniband/${adapter}/${file}`) ?? ''
    return known<Fabric>({
      adapters: names.map((name) => ({
        name,
        boardId: at(name, 'board_id'),
        firmware: at(name, 'fw_ver'),
        nodeGuid: at(name, 'node_guid'),
        systemGuid: at(name, 'sys_image_guid'),
        pciAddress: at(name, 'device PCI_SLOT_NAME') || null,
        pciId: at(name, 'device PCI_ID').toLowerCase() || null,
        driver: at(name, 'device DRIVER') || null,
        physicalFunction: at(name, 'device/physfn PCI_SLOT_NAME') || null,
        divisibleInto: wholeNumber(at(name, 'device/sriov_totalvfs')),
      })),
      ports: pairs.map(({ adapter, port }) => ({
        adapter,
        port,
        linkLayer: at(adapter, `ports/${port}/link_layer`),
        isActive: /^4: ACTIVE/.test(at(adapter, `ports/${port}/state`)),
        rate: at(adapter, `ports/${port}/rate`),
        partitionKeys: keys.get(`${adapter}/${port}`) ?? [],
        lid: wholeNumber(at(adapter, `ports/${port}/lid`)),
        managerLid: wholeNumber(at(adapter, `ports/${port}/sm_lid`)),
      })),
    })
  },
})

const KEY = /^(\/sys\/class\/infiniband\/[^/]+\/ports\/\d+\/pkeys\/\d+):(.*)$/
const FILES = [
  'board_id',
  'fw_ver',
  'node_guid',
  'sys_image_guid',
  'sriov_totalvfs',
  'link_layer',
  'state',
  'rate',
  'lid',
  'sm_lid',
]

/** Path of a file → its value; of a uevent, path of its folder, a space and the key → the value. */
function foundValues(text: string): readonly (readonly [string, string])[] {
  const named = sysfsFound(text, FILES)
  const keys = lines(text).flatMap((line) => {
    const [, path, key] = KEY.exec(line) ?? []
    return path === undefined || key === undefined ? [] : [[path, key.trim()] as const]
  })
  const devices = sysfsFound(text, ['uevent']).flatMap(({ path, line }) => {
    const equals = line.indexOf('=')
    return equals < 1
      ? []
      : [[`${path.slice(0, -'/uevent'.length)} ${line.slice(0, equals)}`, line.slice(equals + 1).trim()] as const]
  })
  return [...named.map(({ path, line }) => [path, line.trim()] as const), ...keys, ...devices]
}

function keysByPort(read: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const [path, key] of read) {
    const [, adapter, port] = /^\/sys\/class\/infiniband\/([^/]+)\/ports\/(\d+)\/pkeys\/\d+$/.exec(path) ?? []
    if (adapter === undefined || port === undefined || !/^0x[0-9a-f]{4}$/i.test(key)) continue
    const own = found.get(`${adapter}/${port}`) ?? []
    own.push(key.slice(2).toLowerCase())
    found.set(`${adapter}/${port}`, own)
  }
  return found
}

// InfiniBand Architecture Specification vol. 1, 10.9: bit 15 of a key is full membership; 0x7fff is the default partition.
const isDefault = (key: string): boolean => (Number.parseInt(key, 16) & 0x7fff) === 0x7fff
/** Whether a partition key is of a full member (bit 15; InfiniBand Architecture Specification vol. 1, 10.9). */
export const isFull = (key: string): boolean => (Number.parseInt(key, 16) & 0x8000) !== 0
const name = ({ adapter, port }: FabricPort): string => `${adapter}/${port}`

const tenancyFabricPartition = defineCheck({
  id: 'tenancy.fabric-partition',
  property: 'isolation',
  expected:
    'Every active InfiniBand port is a member of its own partition, and not a full member of the fabric’s default partition.',
  limitations:
    'The node’s own partition tables only. Which other servers are in the partition, and what the fabric’s switches enforce, is on the side of the provider. VLANs of Ethernet fabrics are not visible here.',
  requires: { fabric: infiniband, pci: pciDevices },
  evaluate({ fabric, pci }) {
    const cards = pci.devices.filter((device) => device.class.startsWith('0207'))
    if (fabric.adapters.length === 0)
      return pci.devices.length > 0 && cards.length === 0
        ? {
            verdict: 'not-applicable',
            observations: [
              supports(
                `No fabric adapter: none of the ${count(pci.devices.length, 'PCI device')} is one, and the kernel has none.`,
                infiniband,
                'adapters',
              ),
            ],
          }
        : decide([
            unclear(
              `${count(cards.length, 'InfiniBand adapter')} on the PCI bus, and the kernel drives none.`,
              infiniband,
              'adapters',
            ),
          ])
    const active = fabric.ports.filter(({ isActive }) => isActive)
    const ports = active.filter(({ linkLayer }) => linkLayer === 'InfiniBand')
    const others = active.filter(({ linkLayer }) => linkLayer !== 'InfiniBand')
    const open = ports.filter(({ partitionKeys }) => partitionKeys.some((key) => isDefault(key) && isFull(key)))
    const isOfBoard = open.length <= portsOfBoard(pci.devices)
    const own = ports.filter(
      (port) => port.partitionKeys.some((key) => !isDefault(key)) && !(isOfBoard && open.includes(port)),
    )
    const bare = ports.filter((port) => !own.includes(port) && !open.includes(port))
    const keys = [...new Set(own.flatMap(({ partitionKeys }) => partitionKeys.filter((key) => !isDefault(key))))].sort()
    return decide([
      ...(open.length > 0
        ? [
            isOfBoard
              ? unclear(
                  `Full members of the default partition (${open.length} of ${count(ports.length, 'port')}): ${named(open.map(name))}. The board of these GPUs has such ports, which lead to its NVSwitches alone; which ones they are was not read.`,
                  infiniband,
                  'values',
                )
              : contradicts(
                  `Full members of the default partition, which reaches every other member of the fabric (${open.length} of ${count(ports.length, 'port')}): ${named(open.map(name))}.`,
                  infiniband,
                  'values',
                ),
          ]
        : []),
      ...(own.length > 0 && (open.length === 0 || isOfBoard)
        ? [
            supports(
              `Members of a partition of their own, and not in full of the default one (${own.length} of ${count(ports.length, 'port')}): ${named(keys.map((key) => `0x${key}`))}.`,
              infiniband,
              'values',
            ),
          ]
        : []),
      ...(bare.length > 0
        ? [
            unclear(
              `No partition but limited membership of the default one (${bare.length} of ${count(ports.length, 'port')}).`,
              infiniband,
              'values',
            ),
          ]
        : []),
      ...(others.length > 0
        ? [
            unclear(
              `Fabric ports over Ethernet, where partitions are VLANs on the switch (${others.length}): ${named(others.map(name))}.`,
              infiniband,
              'values',
            ),
          ]
        : []),
      ...(active.length === 0
        ? [unclear(`None of ${count(fabric.ports.length, 'fabric port')} is active.`, infiniband, 'values')]
        : []),
    ])
  },
})

export const fabricSubject = defineSubject({
  id: 'fabric',
  title: 'RDMA fabric',
  probes: [infiniband, rdmaGpudirect, rdmaLinks],
  checks: [tenancyFabricPartition, encryptionInTransitFabric],
  data,
})
