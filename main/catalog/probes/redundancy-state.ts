import { defineProbe, glob, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { foundLines, grepIsComplete } from '../read-text.ts'
import { inOrder } from '../steady.ts'

/** An md array as /proc/mdstat lists it. */
export interface MdArray {
  readonly name: string
  /** raid1, raid5, … Empty where the array is not running. */
  readonly level: string
  readonly isActive: boolean
  /** A container of firmware RAID: inactive by its nature, its arrays are listed on their own. */
  readonly isContainer: boolean
  /** Members it should have and those that work, of levels that count them. */
  readonly wanted: number | null
  readonly working: number | null
  /** Members marked (F). */
  readonly failed: readonly string[]
  readonly isRebuilding: boolean
}
/** A bond as /proc/net/bonding shows it. */
export interface Bond {
  readonly name: string
  readonly mode: string
  readonly links: readonly { readonly name: string; readonly isUp: boolean; readonly failures: number | null }[]
}
export interface RedundancyState {
  readonly arrays: readonly MdArray[]
  readonly bonds: readonly Bond[]
  /** ZFS pools in use and the state that the kernel gives them. */
  readonly pools: readonly { readonly name: string; readonly state: string }[]
  /** Btrfs file systems with a device that is missing, and how many devices of each. */
  readonly btrfs: readonly { readonly id: string; readonly devices: number; readonly missing: number }[]
}

/**
 * drivers/md/md.c (md_seq_show), drivers/net/bonding/bond_procfs.c, OpenZFS spl-kstat (state), fs/btrfs/sysfs.c (devinfo). The kernel
 * itself responses, so that no tool needs to be there: a file that does not exist means that the kernel has no such thing.
 */
export const redundancyState = defineProbe({
  id: 'storage.redundancy',
  title: 'Arrays, pools and bonded links, as reported by the kernel',
  why: 'Shows whether a part of an array, a pool or a bonded link has failed.',
  ignoredInDrift: {
    why: 'Link failures and recoveries are counted.',
    normalize: ({ arrays, bonds, pools, btrfs }: RedundancyState) => ({
      arrays: inOrder(arrays),
      bonds: inOrder(
        bonds.map(({ links, ...bond }) => ({ ...bond, links: inOrder(links.map(({ failures: _, ...link }) => link)) })),
      ),
      pools: inOrder(pools),
      btrfs: inOrder(btrfs),
    }),
  },
  commands: {
    state: run([
      'grep',
      '-H',
      '',
      // Always there: without it the kernel's files cannot be seen, and a missing one shows nothing.
      '/proc/sys/kernel/random/boot_id',
      '/proc/mdstat',
      glob('/proc/net/bonding/*'),
      glob('/proc/spl/kstat/zfs/*/state'),
      glob('/sys/fs/btrfs/*/devinfo/*/missing'),
    ]),
  },
  parse: ({ state }) =>
    grepIsComplete(state) && /^\/proc\/sys\/kernel\/random\/boot_id:./m.test(state.text)
      ? parseRedundancy(state.text)
      : unknown('the state of arrays, pools and bonds could not all be read'),
})

export function parseRedundancy(text: string): Parsed<RedundancyState> {
  const files = new Map<string, string[]>()
  for (const { path, line } of foundLines(text)) {
    const own = files.get(path)
    if (own === undefined) files.set(path, [line])
    else own.push(line)
  }
  const arrays = readMdstat(files.get('/proc/mdstat') ?? [])
  if (arrays === null) return unknown('the list of arrays has an unexpected format')
  const bonds: Bond[] = []
  const pools: { name: string; state: string }[] = []
  const btrfs = new Map<string, { devices: number; missing: number }>()
  for (const [path, own] of files) {
    const bond = /^\/proc\/net\/bonding\/([^/]+)$/.exec(path)?.[1]
    const pool = /^\/proc\/spl\/kstat\/zfs\/([^/]+)\/state$/.exec(path)?.[1]
    const volume = /^\/sys\/fs\/btrfs\/([^/]+)\/devinfo\/[^/]+\/missing$/.exec(path)?.[1]
    if (bond !== undefined) bonds.push(readBond(bond, own))
    if (pool !== undefined) pools.push({ name: pool, state: own[0]?.trim() ?? '' })
    if (volume !== undefined) {
      const before = btrfs.get(volume) ?? { devices: 0, missing: 0 }
      // Anything but a plain 0 counts: what is not understood must not pass for a device that is there.
      const missing = own[0]?.trim() === '0' ? 0 : 1
      btrfs.set(volume, { devices: before.devices + 1, missing: before.missing + missing })
    }
  }
  return known({ arrays, bonds, pools, btrfs: [...btrfs].map(([id, found]) => ({ id, ...found })) })
}

/** An array takes a line that begins with its name, and indented lines after it. Null where a line fits neither. */
function readMdstat(all: readonly string[]): readonly MdArray[] | null {
  const blocks: { head: string; body: string[] }[] = []
  for (const line of all) {
    if (line.trim() === '' || /^(Personalities|unused devices|read_ahead)\b/.test(line)) continue
    if (/^md[^\s:]* : /.test(line)) blocks.push({ head: line, body: [] })
    else if (/^\s/.test(line) && blocks.length > 0) blocks.at(-1)?.body.push(line)
    else return null
  }
  return blocks.map(({ head, body }) => {
    const [name = '', rest = ''] = head.split(' : ', 2)
    const words = rest.split(/\s+/)
    const details = body.join('\n')
    const [, wanted, working] = /\[(\d{1,4})\/(\d{1,4})\]/.exec(details) ?? []
    return {
      name,
      level: words.find((word) => /^(raid\d{1,2}|linear|multipath|faulty)$/.test(word)) ?? '',
      isActive: words[0] === 'active',
      isContainer: / super external:(?!\/)/.test(details),
      wanted: wanted === undefined ? null : Number(wanted),
      working: working === undefined ? null : Number(working),
      failed: words.flatMap((word) => /^([^[\s]{1,64})\[\d+\](?:\([A-Z]\))*\(F\)/.exec(word)?.[1] ?? []),
      isRebuilding: /\b(recovery|resync|reshape)\s*=/.test(details),
    }
  })
}

/** "MII Status" stands once for the bond, before the first link, and once for each link. */
function readBond(name: string, all: readonly string[]): Bond {
  let mode = ''
  const links: { name: string; isUp: boolean; failures: number | null }[] = []
  for (const line of all) {
    const colon = line.indexOf(': ')
    const [key, value] = colon < 0 ? ['', ''] : [line.slice(0, colon).trim(), line.slice(colon + 2).trim()]
    const link = links.at(-1)
    if (key === 'Bonding Mode') mode = value
    else if (key === 'Slave Interface') links.push({ name: value, isUp: false, failures: null })
    else if (key === 'MII Status' && link !== undefined) link.isUp = value === 'up'
    else if (key === 'Link Failure Count' && link !== undefined && /^\d{1,9}$/.test(value))
      link.failures = Number(value)
  }
  return { name, mode, links }
}
