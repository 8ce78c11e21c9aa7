import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { whether } from '../steady.ts'

export interface AuditStatus {
  /** 0 off, 1 on, 2 on and locked until the next boot (auditctl(8), -e). */
  readonly enabled: 0 | 1 | 2
  /** Process id of the audit daemon; 0 when none is registered with the kernel. */
  readonly pid: number
  readonly lost: number | null
  readonly backlogLimit: number | null
  /** Whether a login id, once set, can no longer be changed (auditctl(8), --loginuid-immutable); null where it is not printed. */
  readonly loginUidLocked: boolean | null
}

/** auditctl(8) -s: one `name value` pair per line, or all on one line in old versions (`name=value`). */
export const auditdStatus = defineProbe({
  id: 'auditd.status',
  title: 'State of the kernel’s audit system',
  why: 'Shows whether the kernel records audit events, who receives them, and whether any were lost.',
  ignoredInDrift: {
    why: 'The service has another process id at each start, and counts the events that it lost; only whether it lost some is compared.',
    normalize: ({ pid, lost, ...status }: AuditStatus) => ({
      ...status,
      isRegistered: pid !== 0,
      hasLost: whether(lost),
    }),
  },
  commands: { status: runAsRoot(['auditctl', '-s']) },
  parse({ status }) {
    if (status.exitCode !== 0) return unknown('the audit system did not respond')
    const value = (name: string): number | null => {
      const text = new RegExp(`(?:^|\\s)${name}[ =](\\d{1,10})(?:\\s|$)`).exec(status.text)?.[1]
      return text === undefined ? null : Number(text)
    }
    const enabled = value('enabled')
    const pid = value('pid')
    if ((enabled !== 0 && enabled !== 1 && enabled !== 2) || pid === null)
      return unknown('the output of auditctl has an unexpected format')
    const locked = value('loginuid_immutable')
    return known<AuditStatus>({
      enabled,
      pid,
      lost: value('lost'),
      backlogLimit: value('backlog_limit'),
      loginUidLocked: locked === null ? null : locked === 1,
    })
  },
})
