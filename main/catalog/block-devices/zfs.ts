import { quote } from '../../core/plain-text.ts'
import { defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'

export interface ZfsDataset {
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

/** Reads `zpool list -HvPL` (zpool-list(8)): a pool per unindented line, its members on lines that start with a tab. */
export function parseZpool(text: string): Parsed<ZfsPools> {
  const members = new Map<string, string[]>()
  let pool: string | null = null
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const name = line.trim().split('\t')[0] ?? ''
    if (name.startsWith('/')) {
      if (pool === null) return unknown('a member was listed before its pool')
      members.get(pool)?.push(name)
    } else if (!/^\s/.test(line) && !/^(cache|logs|spare|special|dedup)$/.test(name)) {
      pool = name
      members.set(pool, members.get(pool) ?? [])
    }
  }
  return known({ members })
}
