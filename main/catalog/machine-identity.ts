import type { MachineMark } from '../../schemas/types.ts'
import type { Catalog, ReportedIdentity } from '../core/catalog.ts'
import { serialKey } from '../core/engagement/same.ts'
import { type Parsed, type Probe, unknown } from '../core/probe.ts'
import type { Read } from './isolation/signal.ts'
import { dmiTable } from './probes/dmi-table.ts'
import { hostIdentity, hostSerials } from './probes/host-identity.ts'
import { sshSession } from './probes/ssh-session.ts'
import { systemLoad } from './probes/system-load.ts'

/**
 * What a node reports about the machine that it is. The serial number of the chassis is left out: all servers of one chassis have it. So is
 * machine-id(5): every machine made from one image can have it, and it is confidential.
 */
export const identity: Catalog['identity'] = {
  probes: [
    hostIdentity,
    hostSerials,
    dmiTable,
    sshSession,
    systemLoad,
  ] as readonly unknown[] as readonly Probe<unknown>[],
  read: told,
}

function told(readings: ReadonlyMap<string, Parsed<unknown>>): ReportedIdentity {
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

/** UUIDs that firmware has in place of one of its own: defaults of AMI’s and of Supermicro’s tools (one digit over and over is none either). */
const NO_UUID = new Set(['03000200-0400-0500-0006-000700080009', '12345678-1234-5678-90ab-cddeefaabbcc'])

function usableUuid(text: string | null): string | null {
  const uuid = text?.toLowerCase() ?? ''
  const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid)
  return !isUuid || NO_UUID.has(uuid) || new Set(uuid.replaceAll('-', '')).size === 1 ? null : uuid
}
