import { quote } from '../../../core/base/plain-text.ts'
import { defineProbe, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'

interface ZfsDataset {
  /** `off`, or an algorithm such as aes-256-gcm. */
  readonly encryption: string
  /** `available` when the key is loaded. */
  readonly keyStatus: string
}

export interface ZfsEncryption {
  readonly datasets: ReadonlyMap<string, ZfsDataset>
}

export const storageZfs = defineProbe({
  id: 'storage.zfs',
  title: 'ZFS encryption',
  why: 'ZFS encrypts inside the file system, where the block layer cannot show it.',
  commands: {
    properties: run([
      'zfs',
      'get',
      '-Hp',
      '-t',
      'filesystem,volume',
      '-o',
      'name,property,value',
      'encryption,keystatus',
    ]),
  },
  parse: ({ properties }) =>
    properties.exitCode === 0 ? parseZfs(properties.text) : unknown(`zfs failed: ${quote(properties.errorText)}`),
})

/** Reads tab-separated name, property, value (zfsprops(7)). No datasets gives an empty map. */
export function parseZfs(text: string): Parsed<ZfsEncryption> {
  const datasets = new Map<string, ZfsDataset>()
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [name = '', property, value] = line.split('\t')
    if (value === undefined) return unknown(`a line of the output could not be read: ${quote(line)}`)
    const before = datasets.get(name) ?? { encryption: '', keyStatus: '' }
    if (property === 'encryption') datasets.set(name, { ...before, encryption: value })
    else if (property === 'keystatus') datasets.set(name, { ...before, keyStatus: value })
  }
  return known({ datasets })
}

export interface ZfsPools {
  /** Device paths of every member of each pool, caches and logs included. */
  readonly members: ReadonlyMap<string, readonly string[]>
}

export const storageZpool = defineProbe({
  id: 'storage.zpool',
  title: 'ZFS pool members',
  why: 'Shows which drives an unencrypted ZFS data set is written to.',
  commands: { pools: run(['zpool', 'list', '-HvPL']) },
  parse: ({ pools }) =>
    pools.exitCode === 0 ? parseZpool(pools.text) : unknown(`zpool failed: ${quote(pools.errorText)}`),
})

/**
 * Reads `zpool list -HvPL` (zpool-list(8); cmd/zpool/zpool_main.c, print_list_stats): an unindented line for each pool, its members on
 * lines that start with a tab. The heading of a class of members (special, dedup, logs, cache, spare) is unindented too, padded with blanks
 * and without a size; what follows it belongs to the pool above. Spares are left out: one that is in use is listed among the members as well.
 */
export function parseZpool(text: string): Parsed<ZfsPools> {
  const members = new Map<string, string[]>()
  let [pool, isSpare]: [string | null, boolean] = [null, false]
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const [name = '', size] = line.trim().split('\t')
    if (!/^\s/.test(line)) {
      // A pool can have the name of a class; a pool that failed has no size.
      const isHeading = CLASS.test(name) && (size === undefined || size === '-')
      isSpare = isHeading && name.startsWith('spare')
      if (isHeading) continue
      pool = name
      members.set(pool, members.get(pool) ?? [])
    } else if (name.startsWith('/') || GONE.test(name)) {
      if (pool === null) return unknown('a member was listed before its pool')
      if (!isSpare) members.get(pool)?.push(name)
    }
  }
  return known({ members })
}

/** Classes of members, as zpool prints them in place of a pool. */
const CLASS = /^(special|dedup|logs?|cache|spares?)(?=\s|$)/

/** In place of the path of a member that could not be opened, ZFS prints its number (zpool_vdev_name, ZPOOL_CONFIG_NOT_PRESENT). */
const GONE = /^\d{6,20}$/
