import data from './end-of-life.json' with { type: 'json' }
import type { Distribution } from './probes/packages-distribution.ts'

/** One release and the last day on which its manufacturer maintains it for all users. Days are YYYY-MM-DD. */
export interface ReleaseEnd {
  readonly version: string
  readonly until: string
  /** Last day of the first phase, after which a part of the packages is left out (Debian LTS). */
  readonly regularUntil?: string
  /** Last day of what a paid subscription adds. Only named: a node's support is never taken from it. */
  readonly subscriptionUntil?: string
}
export interface SystemEnds {
  readonly id: string
  readonly name: string
  /** The manufacturer's own page. */
  readonly source: string
  readonly subscription?: string
  /** Each minor version has its own end (SUSE); else one end holds for a major version, or for a version with two parts (Ubuntu). */
  readonly exactVersion?: boolean
  readonly releases: readonly ReleaseEnd[]
}

/** Only dates that their manufacturers state; what is not here is not known. */
const TABLE: {
  readonly asOf: string
  readonly systems: readonly SystemEnds[]
  readonly nvidia: { readonly source: string; readonly branches: readonly ReleaseEnd[] }
} = data

/** The day on which the table was last compared with its sources. */
export const END_OF_LIFE_AS_OF: string = TABLE.asOf

/** The distribution's manufacturers and the end of this very release; null where the table has none. */
export function endOf({
  id,
  name,
  version,
}: Distribution): { readonly system: SystemEnds; readonly release: ReleaseEnd } | null {
  const wanted = id === 'centos' && /\bStream\b/.test(name) ? 'centos-stream' : id
  const system = TABLE.systems.find((one) => one.id === wanted)
  const release = system?.releases.find(
    (one) => one.version === version || (system.exactVersion !== true && one.version === version.split('.')[0]),
  )
  return system === undefined || release === undefined ? null : { system, release }
}

/**
 * What is known of a driver's branch: its end; `unlisted` for one older than the newest listed, which the manufacturer's list names no
 * more; null for a branch that is newer than the list, or for text that is no version.
 */
export function driverBranch(driver: string): ReleaseEnd | 'unlisted' | null {
  const branch = /^(\d{3})\./.exec(driver)?.[1]
  if (branch === undefined) return null
  const { branches } = TABLE.nvidia
  const own = branches.find(({ version }) => version === branch)
  if (own !== undefined) return own
  return branches.some(({ version }) => Number(version) > Number(branch)) ? 'unlisted' : null
}

export const DRIVER_SOURCE: string = TABLE.nvidia.source
