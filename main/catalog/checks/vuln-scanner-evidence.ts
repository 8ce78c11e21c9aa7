import { type DraftObservation, defineCheck } from '../../core/check.ts'
import { type AgentName, integrityAgents } from '../probes/integrity-agents.ts'
import { daysBefore, integrityMarks, type MarkPath } from '../probes/integrity-marks.ts'
import { integritySchedules } from '../probes/integrity-schedules.ts'
import { count, named, supports } from '../steps.ts'
import { limitOf, limitText } from '../thresholds.ts'

const AGENTS: readonly (readonly [name: string, unit: AgentName, log: MarkPath | null])[] = [
  ['Nessus Agent', 'nessusagent.service', '/opt/nessus_agent/var/nessus/logs/nessusd.messages'],
  ['Qualys Cloud Agent', 'qualys-cloud-agent.service', '/var/log/qualys/qualys-cloud-agent.log'],
  ['Rapid7 Insight Agent', 'ir_agent.service', '/opt/rapid7/ir_agent/components/insight_agent/common/agent.log'],
  ['Tanium Client', 'taniumclient.service', null],
]

export const vulnScannerEvidence = defineCheck({
  id: 'vuln.scanner-evidence',
  property: 'integrity',
  expected: 'The vulnerability scanners with an agent or a report on the server are recorded.',
  ends: 'recorded',
  limitations:
    'The results of a scan, and the response to them, are shown only in the scanner’s own console or report. Scanners that test from outside, with or without a login, leave no agent here. No expected value is set.',
  requires: { agents: integrityAgents, marks: integrityMarks },
  optional: { schedules: integritySchedules },
  thresholds: ['scan.days'],
  evaluate({ agents: { units }, marks: { changedAt } }, { schedules }, context) {
    const limit = limitOf(context, 'scan.days')
    const ago = (path: MarkPath | null, what: string): string => {
      const at = path === null ? undefined : changedAt.get(path)
      if (at === undefined) return ''
      const days = Math.max(daysBefore(at, context.observedAt), 0)
      return ` ${what} ${count(days, 'day')} before the collection${days > limit.value ? `, more than ${limitText(limit)}` : ''}.`
    }
    const found: DraftObservation[] = AGENTS.filter(([, unit]) => units.get(unit)?.loaded === true).map(
      ([name, unit, log]) =>
        supports(
          `${name} is installed and ${units.get(unit)?.active === true ? 'running' : 'not running'}.${ago(log, 'Its log last changed')}`,
          integrityAgents,
        ),
    )
    if (changedAt.has('/var/log/lynis-report.dat'))
      found.push(
        supports(
          `Lynis has audited the server.${ago('/var/log/lynis-report.dat', 'Its report is of')}`,
          integrityMarks,
        ),
      )
    const oscap = schedules.ok ? (schedules.fact.tools.get('oscap') ?? []) : []
    if (oscap.length > 0) found.push(supports(`Cron starts OpenSCAP: ${named(oscap, 3)}.`, integritySchedules))
    return {
      verdict: 'informational',
      observations:
        found.length > 0
          ? found
          : [supports('No agent or report of a known vulnerability scanner is on the server.', integrityAgents)],
    }
  },
})
