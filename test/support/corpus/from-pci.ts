import { printed, type VirtualNode } from './virtual-node.ts'

/** One PCI function, in the kernel's words. */
export interface PciFunction {
  readonly address: string
  /** Class, subclass and interface, as the kernel prints them: hexadecimal, without leading zeros. */
  readonly kind: string
  readonly id: string
  readonly subsystem: string
  readonly driver: string | null
  /** Domain and bus that lie behind a bridge. */
  readonly behind: string | null
  readonly files: Readonly<Record<string, string>>
}

const SLOT = /^((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) /
const fullAddress = (slot: string): string => (slot.length === 7 ? `0000:${slot}` : slot)

interface Block {
  readonly address: string
  readonly heading: string
  readonly body: string
}

/** What lspci printed, in any of its forms: a heading per function, with or without its details below. */
export function lspciBlocks(text: string): readonly Block[] {
  return text.split(/^(?=(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] )/m).flatMap((block) => {
    const slot = SLOT.exec(block)?.[1]
    if (slot === undefined) return []
    const end = block.indexOf('\n')
    return [
      {
        address: fullAddress(slot),
        heading: end < 0 ? block : block.slice(0, end),
        body: end < 0 ? '' : block.slice(end + 1),
      },
    ]
  })
}

/** Class and ids in a heading: "[0600]: … [8086:29c0]" of -nn, or "0600: 8086:29c0" of -n. */
function idsOf(heading: string): { readonly kind: string; readonly id: string } | null {
  const [, slot, kind, id] =
    /^(\S+) (?:.*?\[([0-9a-f]{4})\]: .*\[([0-9a-f]{4}:[0-9a-f]{4})\])/.exec(heading) ??
    /^(\S+) (?:Class )?([0-9a-f]{4}): ([0-9a-f]{4}:[0-9a-f]{4})/.exec(heading) ??
    []
  return slot === undefined || kind === undefined || id === undefined ? null : { kind, id }
}

function functionsOf(texts: readonly string[]): readonly PciFunction[] {
  const byAddress = new Map<string, { heading: string; body: string }>()
  for (const block of texts.flatMap(lspciBlocks)) {
    const before = byAddress.get(block.address)
    byAddress.set(block.address, {
      heading: before !== undefined && idsOf(before.heading) !== null ? before.heading : block.heading,
      body: (before?.body.length ?? 0) >= block.body.length ? (before?.body ?? '') : block.body,
    })
  }
  return [...byAddress].flatMap(([address, { heading, body }]) => {
    const ids = idsOf(heading)
    if (ids === null) return []
    const interfaceOf = /prog-if ([0-9a-f]{2})/.exec(`${heading}\n${body}`)?.[1] ?? '00'
    const field = (pattern: RegExp): string | null => pattern.exec(body)?.[1] ?? null
    const secondary = field(/secondary=([0-9a-f]{2})/)
    return [
      {
        address,
        kind: (ids.kind + interfaceOf).replace(/^0+(?=.)/, ''),
        id: ids.id,
        subsystem:
          field(/^\s+(?:Subsystem|DeviceSubsystem): (?:.*\[)?([0-9a-f]{4}:[0-9a-f]{4})\]?\s*$/m) ?? '0000:0000',
        driver: field(/^\s+Kernel driver in use: (\S+)/m),
        behind: secondary === null ? null : `${address.slice(0, -7)}${secondary}`,
        files: linkFiles(body),
      },
    ]
  })
}

function linkFiles(body: string): Readonly<Record<string, string>> {
  const pair = (name: string): readonly [string, string] | null => {
    const [, speed, width] = new RegExp(`${name}:.*?Speed ([\\d.]+GT/s)[^,]*, Width (x\\d+)`).exec(body) ?? []
    return speed === undefined || width === undefined ? null : [speed.replace('GT/s', ' GT/s PCIe'), width.slice(1)]
  }
  const [most, now] = [pair('LnkCap'), pair('LnkSta')]
  const functions = /Number of VFs: (\d+)/.exec(body)?.[1]
  return {
    ...(most === null ? {} : { max_link_speed: most[0], max_link_width: most[1] }),
    ...(now === null ? {} : { current_link_speed: now[0], current_link_width: now[1] }),
    ...(functions === undefined ? {} : { sriov_numvfs: functions }),
  }
}

/** Everything lspci said of the bus, as the kernel's tree, and its own long listing for the bridges. */
export function putLspci(node: VirtualNode, texts: readonly string[]): void {
  putFunctions(node, functionsOf(texts))
  const detailed = texts.find((text) => /^\s+Control: /m.test(text))
  if (detailed === undefined) return
  putVirtioBus(node, functionsOf(texts))
  node.program('lspci', (argv) => {
    const wanted =
      argv[1] === '-Dnvvv' && argv[2] === '-d' ? (/^::([0-9a-f]{4})$/.exec(argv[3] ?? '')?.[1] ?? null) : null
    if (wanted === null) return null
    const listed = functionsOf(texts)
    const rows = lspciBlocks(detailed).flatMap(({ address, body }) => {
      const own = listed.find((one) => one.address === address)
      const kind = own?.kind.padStart(6, '0').slice(0, 4)
      return own === undefined || kind !== wanted ? [] : [`${address} ${kind}: ${own.id}\n${body.trimEnd()}\n\n`]
    })
    return printed(rows.join(''))
  })
}

/** Devices of the virtio bus that hang on PCI functions: where details are there, so are the drivers. */
function putVirtioBus(node: VirtualNode, functions: readonly PciFunction[]): void {
  node.folder('/sys/bus/virtio/devices', 'whole')
  const held = functions.filter(({ driver }) => driver === 'virtio-pci')
  for (const index of held.keys()) node.folder(`/sys/bus/virtio/devices/virtio${index}`, 'part')
}

/** Functions as the kernel shows them: a folder below the bridges above each, and a link to it. */
export function putFunctions(node: VirtualNode, functions: readonly PciFunction[]): void {
  if (functions.length === 0) return
  node.folder('/sys/bus/pci/devices', 'whole')
  const busOf = (address: string): string => address.slice(0, -5)
  // A short list names bridges and not what is behind them: then only a bus with a host bridge is known to be a root.
  const isPlaced = functions.some(({ behind }) => behind !== null) || !functions.some(({ kind }) => /^604/.test(kind))
  const roots = new Set(functions.flatMap(({ address, kind }) => (/^600../.test(kind) ? [busOf(address)] : [])))
  const above = (address: string, depth = 0): string => {
    const bus = busOf(address)
    const bridge = depth > 32 ? undefined : functions.find((one) => one.behind === bus && one.address !== address)
    if (bridge === undefined) return isPlaced || roots.has(bus) ? `pci${bus}` : 'unplaced'
    return `${above(bridge.address, depth + 1)}/${bridge.address}`
  }
  for (const { address, kind, id, subsystem, driver, files } of functions) {
    const path = `devices/${above(address)}/${address}`
    node.link(`/sys/bus/pci/devices/${address}`, `../../../${path}`)
    node.folder(`/sys/${path}`, 'whole')
    node.file(
      `/sys/${path}/uevent`,
      `${driver === null ? '' : `DRIVER=${driver}\n`}PCI_CLASS=${kind.toUpperCase()}\nPCI_ID=${id.toUpperCase()}\nPCI_SUBSYS_ID=${subsystem.toUpperCase()}\nPCI_SLOT_NAME=${address}\n`,
    )
    for (const [name, value] of Object.entries(files)) node.file(`/sys/${path}/${name}`, `${value}\n`)
  }
}
