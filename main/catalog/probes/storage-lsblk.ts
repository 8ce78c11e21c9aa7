import { defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { inOrder } from '../steady.ts'

/** A block device as lsblk describes it. Empty strings where lsblk has nothing to state. */
export interface ListedDevice {
  readonly number: string
  readonly name: string
  readonly kernelName: string
  /** disk, part, crypt, lvm, raid1, loop, mpath, … `crypt` alone does not mean encrypted: null ciphers and dm-integrity state this too. */
  readonly type: string
  readonly fsType: string
  readonly transport: string
  readonly model: string
  readonly serial: string
  readonly partitionType: string
  /** major:minor of the devices it is listed under. */
  readonly parents: readonly string[]
}

export interface Lsblk {
  readonly devices: ReadonlyMap<string, ListedDevice>
}

/** More nodes than any real server has; a larger response is not read. */
const MAX_NODES = 50_000

export const storageLsblk = defineProbe({
  id: 'storage.lsblk',
  title: 'Block devices and drives',
  why: 'Shows the drives, partitions and layers, with model and serial number, so that a finding identifies a device.',
  ignoredInDrift: {
    why: 'The kernel numbers devices in the order of detection; a drive is identified by its serial number.',
    normalize: ({ devices }: Lsblk) => {
      const named = (number: string): string => {
        const device = devices.get(number)
        return device === undefined ? '' : device.serial === '' ? device.name : `${device.model} ${device.serial}`
      }
      return {
        devices: inOrder(
          [...devices.values()].map(({ number, name: _, kernelName: __, parents, ...device }) => ({
            ...device,
            name: device.type === 'part' ? '' : named(number),
            parents: inOrder(parents.map(named)),
          })),
        ),
      }
    },
  },
  commands: { lsblk: run(['lsblk', '-J', '-b', '-O']) },
  parse: ({ lsblk }) => (lsblk.exitCode === 0 ? parseLsblk(lsblk.text) : unknown('lsblk did not list the devices')),
})

/** Reads `lsblk -J -O`. A device with several parents appears under each of them and is joined by its number. */
export function parseLsblk(text: string): Parsed<Lsblk> {
  const document = parseJson(text)
  const top = isRecord(document) ? document.blockdevices : null
  if (!Array.isArray(top)) return unknown('the output of lsblk is not the expected JSON')
  const devices = new Map<string, ListedDevice>()
  const waiting: { readonly node: unknown; readonly parent: string | null }[] = top.map((node) => ({
    node,
    parent: null,
  }))
  for (let at = 0; at < waiting.length; at += 1) {
    if (at >= MAX_NODES) return unknown(`lsblk listed more than ${MAX_NODES} devices`)
    const { node, parent } = waiting[at] ?? { node: null, parent: null }
    const device = readDevice(node)
    if (device === null) return unknown('a device listed by lsblk has no number or name')
    const before = devices.get(device.number)
    const parents = new Set([...(before?.parents ?? []), ...(parent === null ? [] : [parent])])
    devices.set(device.number, { ...device, parents: [...parents].sort() })
    const children = isRecord(node) ? node.children : undefined
    if (Array.isArray(children)) for (const child of children) waiting.push({ node: child, parent: device.number })
  }
  return devices.size > 0 ? known({ devices }) : unknown('lsblk listed no devices')
}

function readDevice(node: unknown): Omit<ListedDevice, 'parents'> | null {
  if (!isRecord(node)) return null
  const column = (name: string): string => {
    const value = node[name]
    return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
  }
  const number = column('maj:min')
  const name = column('name')
  if (!/^\d+:\d+$/.test(number) || name === '') return null
  return {
    number,
    name,
    kernelName: column('kname') || name,
    type: column('type'),
    fsType: column('fstype'),
    transport: column('tran'),
    model: column('model'),
    serial: column('serial'),
    partitionType: column('parttype').toLowerCase(),
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
