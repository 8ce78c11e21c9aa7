import type { Parsed } from '../../core/probe.ts'
import type { Processes } from '../tenancy/processes.ts'
import type { AuditStatus } from './probes.ts'

/** Programs that do nothing but receive the kernel's events in the place of auditd, also by multicast, which registers no process. */
const RECEIVERS = /^(auditbeat|go-audit)$/

/**
 * The program other than auditd that receives the kernel's events, while auditd does not run: the process that auditctl(8) -s names, or one
 * of the known ones. Null where there is none. The process that is registered may be missing in the list.
 */
export function otherReceiver(status: Parsed<AuditStatus>, processes: Parsed<Processes>): string | null {
  const all = processes.ok ? processes.fact.processes : []
  const known = all.find(({ command }) => RECEIVERS.test(command))?.command ?? null
  if (!status.ok || status.fact.pid === 0) return known
  const registered = all.find(({ pid }) => pid === status.fact.pid)?.command
  return registered === 'auditd' ? null : (registered ?? `process ${status.fact.pid}`)
}
