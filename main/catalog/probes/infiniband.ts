import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { sysfsFound } from '../isolation/listing.ts'
import { isAbsent, lines } from '../read-text.ts'

export interface FabricPort {
  readonly adapter: string
  readonly port: string
  readonly linkLayer: string
  readonly isActive: boolean
  readonly rate: string
  /** Partition keys in the port's table, without empty slots: four lower-case hex digits. */
  readonly partitionKeys: readonly string[]
}
export interface Fabric {
  readonly adapters: readonly {
    readonly name: string
    readonly boardId: string
    readonly firmware: string
    readonly nodeGuid: string
  }[]
  readonly ports: readonly FabricPort[]
}

/** Documentation/ABI/stable/sysfs-class-infiniband. Empty slots of the partition tables are left out by the command itself. */
export const infiniband = defineProbe({
  id: 'infiniband',
  title: 'Fabric adapters and their partitions',
  why: 'The partition keys of an InfiniBand port say with which other servers of the fabric it can talk.',
  commands: {
    adapters: run(['ls', '-1', '/sys/class/infiniband']),
    values: run([
      'grep',
      '-sHvx',
      '0x0000',
      glob('/sys/class/infiniband/*/board_id'),
      glob('/sys/class/infiniband/*/fw_ver'),
      glob('/sys/class/infiniband/*/node_guid'),
      glob('/sys/class/infiniband/*/ports/*/link_layer'),
      glob('/sys/class/infiniband/*/ports/*/state'),
      glob('/sys/class/infiniband/*/ports/*/rate'),
      glob('/sys/class/infiniband/*/ports/*/pkeys/*'),
    ]),
  },
  parse({ adapters, values }) {
    if (isAbsent(adapters)) return known<Fabric>({ adapters: [], ports: [] })
    if (adapters.exitCode !== 0) return unknown('the fabric adapters could not be listed')
    const names = lines(adapters.text)
    const read = new Map(foundValues(values.text))
    const pairs = [...read.keys()].flatMap((path) => {
      const [, adapter, port] = /^\/sys\/class\/infiniband\/([^/]+)\/ports\/(\d+)\/link_layer$/.exec(path) ?? []
      return adapter === undefined || port === undefined ? [] : [{ adapter, port }]
    })
    if (names.some((name) => !pairs.some(({ adapter }) => adapter === name)))
      return unknown('the ports of a listed fabric adapter could not be read')
    const at = (adapter: string, file: string): string => read.get(`/sys/class/infiniband/${adapter}/${file}`) ?? ''
    return known<Fabric>({
      adapters: names.map((name) => ({
        name,
        boardId: at(name, 'board_id'),
        firmware: at(name, 'fw_ver'),
        nodeGuid: at(name, 'node_guid'),
      })),
      ports: pairs.map(({ adapter, port }) => ({
        adapter,
        port,
        linkLayer: at(adapter, `ports/${port}/link_layer`),
        isActive: /^4: ACTIVE/.test(at(adapter, `ports/${port}/state`)),
        rate: at(adapter, `ports/${port}/rate`),
        partitionKeys: [...read].flatMap(([path, key]) =>
          path.startsWith(`/sys/class/infiniband/${adapter}/ports/${port}/pkeys/`) && /^0x[0-9a-f]{4}$/i.test(key)
            ? [key.slice(2).toLowerCase()]
            : [],
        ),
      })),
    })
  },
})

const KEY = /^(\/sys\/class\/infiniband\/[^/]+\/ports\/\d+\/pkeys\/\d+):(.*)$/

function foundValues(text: string): readonly (readonly [string, string])[] {
  const named = sysfsFound(text, ['board_id', 'fw_ver', 'node_guid', 'link_layer', 'state', 'rate'])
  const keys = lines(text).flatMap((line) => {
    const [, path, key] = KEY.exec(line) ?? []
    return path === undefined || key === undefined ? [] : [[path, key.trim()] as const]
  })
  return [...named.map(({ path, line }) => [path, line.trim()] as const), ...keys]
}
