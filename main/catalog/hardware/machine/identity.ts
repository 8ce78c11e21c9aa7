import type { MachineMark } from '../../../../schemas/types.ts'
import { serialKey } from '../../../core/engagement/same.ts'
import { defineProbe, known, type Parsed, type Probe, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import type { Read } from '../../../core/recording/readings.ts'
import type { Catalog, ReportedIdentity } from '../../../core/rules/catalog.ts'
import { grepIsComplete, oneLineFiles, properties } from '../../base/read-text.ts'
import { systemLoad } from '../../operations/availability/probes.ts'
import { sshSession } from '../../operations/evidence/probes.ts'
import { dmiTable } from './dmi.ts'

export interface HostIdentity {
  readonly hostname: string
  /** Random at each boot (random(4)). machine-id(5) is not read: it is confidential. */
  readonly bootId: string
}

export const hostIdentity = defineProbe({
  id: 'host.identity',
  title: 'Name and boot of the server',
  why: 'Ties the captures of one run to one boot of one server.',
  ignoredInDrift: {
    why: 'The boot ID is generated at each start.',
    normalize: ({ hostname }: HostIdentity) => ({ hostname }),
  },
  commands: { ids: run(['grep', '-H', '', '/proc/sys/kernel/hostname', '/proc/sys/kernel/random/boot_id']) },
  parse({ ids }) {
    const values = oneLineFiles(ids.text)
    const hostname = values.get('/proc/sys/kernel/hostname')
    const bootId = values.get('/proc/sys/kernel/random/boot_id')
    if (hostname === undefined || bootId === undefined || !/^[0-9a-f-]{36}$/.test(bootId))
      return unknown('the server did not name itself and its boot')
    return known<HostIdentity>({ hostname, bootId })
  },
})

export interface HostSerials {
  readonly product: string
  readonly board: string
  readonly chassis: string
}

const FOLDER = '/sys/class/dmi/id/'

/** drivers/firmware/dmi-id.c: serial numbers are open to root only. */
export const hostSerials = defineProbe({
  id: 'host.serials',
  title: 'Serial numbers reported by firmware',
  why: 'Allows comparison with the provider’s inventory and with later runs.',
  commands: {
    serials: runAsRoot([
      'grep',
      '-H',
      '.',
      `${FOLDER}product_serial`,
      `${FOLDER}board_serial`,
      `${FOLDER}chassis_serial`,
    ]),
  },
  parse({ serials }) {
    if (!grepIsComplete(serials)) return unknown('the serial numbers could not be read')
    const values = oneLineFiles(serials.text)
    const field = (name: string): string => values.get(FOLDER + name) ?? ''
    if (values.size === 0) return unknown('the firmware gives no serial number')
    return known<HostSerials>({
      product: field('product_serial'),
      board: field('board_serial'),
      chassis: field('chassis_serial'),
    })
  },
})

export interface OsIdentity {
  readonly name: string
  readonly kernel: string
  readonly machine: string
}

/** os-release(5), uname(1). */
export const osIdentity = defineProbe({
  id: 'os.identity',
  title: 'Operating system',
  why: 'Shows the distribution and kernel that produced all other captures.',
  commands: { release: run(['cat', '/etc/os-release']), kernel: run(['uname', '-srm']) },
  parse({ release, kernel }) {
    const [system, version, machine] = kernel.text.trim().split(/\s+/)
    if (kernel.exitCode !== 0 || system === undefined || version === undefined || machine === undefined)
      return unknown('the kernel did not name itself')
    const fields = properties(release.text)
    const name = (fields.get('PRETTY_NAME') ?? fields.get('NAME') ?? '').replace(/^["']|["']$/g, '')
    if (release.exitCode !== 0 || name === '') return unknown('the distribution did not name itself')
    return known<OsIdentity>({ name, kernel: `${system} ${version}`, machine })
  },
})

/**
 * What a node reports about its machine. The serial number of the chassis is excluded, because all servers of one
 * chassis share it; so is machine-id(5), which all machines made from one image can share and which is confidential.
 */
export const identity: Catalog['identity'] = {
  probes: [
    hostIdentity,
    hostSerials,
    dmiTable,
    sshSession,
    systemLoad,
  ] as readonly unknown[] as readonly Probe<unknown>[],
  read: identityIn,
}

function identityIn(readings: ReadonlyMap<string, Parsed<unknown>>): ReportedIdentity {
  const read: Read = <F, C extends string>({ id }: Probe<F, C>) =>
    (readings.get(id) ?? unknown('this was not collected')) as Parsed<F>
  const [host, serials, table, session, load] = [
    read(hostIdentity),
    read(hostSerials),
    read(dmiTable),
    read(sshSession),
    read(systemLoad),
  ]
  const marks: readonly { readonly part: MachineMark['part']; readonly value: string | null }[] = [
    { part: 'board-serial', value: serials.ok ? serialKey(serials.fact.board) : null },
    { part: 'system-serial', value: serials.ok ? serialKey(serials.fact.product) : null },
    { part: 'system-uuid', value: table.ok ? usableUuid(table.fact.systemUuid) : null },
  ]
  return {
    boot: host.ok ? host.fact.bootId : null,
    marks: marks.flatMap(({ part, value }) => (value === null ? [] : [{ part, value }])),
    hostKey: session.ok ? session.fact.fingerprint : null,
    uptimeSeconds: load.ok ? load.fact.uptimeSeconds : null,
  }
}

/**
 * Default UUIDs of firmware without a UUID of its own, as left by AMI’s and Supermicro’s tools (a single repeated
 * digit does not count either).
 */
const NO_UUID = new Set(['03000200-0400-0500-0006-000700080009', '12345678-1234-5678-90ab-cddeefaabbcc'])

function usableUuid(text: string | null): string | null {
  const uuid = text?.toLowerCase() ?? ''
  const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid)
  return !isUuid || NO_UUID.has(uuid) || new Set(uuid.replaceAll('-', '')).size === 1 ? null : uuid
}
