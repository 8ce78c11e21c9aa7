import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { type AuditStatus, auditdStatus } from '../probes/auditd-status.ts'
import { serviceIs, servicesState } from '../probes/services-state.ts'
import { contradicts, count, decide, supports, unclear } from '../steps.ts'

export const auditAuditdRunning = defineCheck({
  id: 'audit.auditd-running',
  property: 'audit',
  expected: 'The audit service runs, starts at boot, receives events from the kernel, and lost none.',
  limitations:
    'What is recorded depends on the loaded rules, and nothing here shows that anyone reads the records. Another program than auditd may receive the kernel’s events; it is not recognized.',
  requires: { services: servicesState },
  optional: { status: auditdStatus },
  evaluate({ services }, { status }) {
    if (!serviceIs(services, 'auditd', 'loaded')) {
      return decide([contradicts('No audit service (auditd) is installed.', servicesState), ...kernel(status)])
    }
    return decide([
      serviceIs(services, 'auditd', 'active')
        ? supports('The audit service is running.', servicesState)
        : contradicts('The audit service is installed but not running.', servicesState),
      serviceIs(services, 'auditd', 'enabled')
        ? supports('The audit service starts at boot.', servicesState)
        : contradicts('The audit service does not start at boot.', servicesState),
      ...kernel(status),
    ])
  },
})

function kernel(status: Parsed<AuditStatus>): readonly DraftObservation[] {
  if (!status.ok) return unclearAbout(auditdStatus, status)
  const { enabled, pid, lost } = status.fact
  return [
    enabled === 0
      ? contradicts('The kernel’s audit system is switched off.', auditdStatus)
      : supports('The kernel’s audit system is on.', auditdStatus),
    pid === 0
      ? contradicts('No program receives the kernel’s audit events.', auditdStatus)
      : supports('A program receives the kernel’s audit events.', auditdStatus),
    lost === null
      ? unclear('Whether events were lost was not printed.', auditdStatus)
      : lost > 0
        ? contradicts(`The kernel lost ${count(lost, 'audit event')} since it started.`, auditdStatus)
        : supports('No audit event was lost since the kernel started.', auditdStatus),
  ]
}
