import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { unitBlocks } from '../read-text.ts'
import { inOrder } from '../steady.ts'

export interface AgentUnit {
  readonly loaded: boolean
  /** A process of it runs, or the timer waits: “active (exited)”, as systemd shows a daemon of an old start script that ended, is not. */
  readonly active: boolean
  /** Day (YYYY-MM-DD, the node's zone) on which a timer last started its service, or a service last ended; null where it never did. */
  readonly lastDay: string | null
  /** Exit status of the last run; null where the service has not run since the start, or is still running. */
  readonly exitStatus: number | null
}
export interface AgentUnits {
  readonly units: ReadonlyMap<string, AgentUnit>
}

const UNITS = [
  'dailyaidecheck.timer',
  'dailyaidecheck.service',
  'aidecheck.timer',
  'aidecheck.service',
  'aide.timer',
  'wazuh-agent.service',
  'ossec.service',
  'samhain.service',
  'clamav-daemon.service',
  'clamd@scan.service',
  'clamav-clamonacc.service',
  'clamonacc.service',
  'clamav-freshclam.service',
  'falcon-sensor.service',
  'sentinelone.service',
  'mdatp.service',
  'sophos-spl.service',
  'sav-protect.service',
  'ds_agent.service',
  'efs.service',
  'eea.service',
  'cbdaemon.service',
  'cbagentd.service',
  'cylancesvc.service',
  'traps_pmd.service',
  'xagt.service',
  'mfetpd.service',
  'bdsec.service',
  'ElasticEndpoint.service',
  'nessusagent.service',
  'qualys-cloud-agent.service',
  'ir_agent.service',
  'taniumclient.service',
  'lynis.timer',
] as const
export type AgentName = (typeof UNITS)[number]

/** systemctl(1) show prints every unit requested, those unknown with LoadState=not-found, and changes nothing. */
export const integrityAgents = defineProbe({
  id: 'integrity.agents',
  title: 'File integrity, malware and vulnerability agents',
  why: 'Shows which known agents for file integrity, malware and vulnerability scans are installed and running.',
  ignoredInDrift: {
    why: 'Timers run, and the units they start end.',
    normalize: ({ units }: AgentUnits) => ({
      units: inOrder(
        [...units].map(([unit, { loaded, active }]) => [unit, loaded, STARTED_BY_TIMERS.test(unit) ? null : active]),
      ),
    }),
  },
  commands: {
    units: run([
      'systemctl',
      'show',
      '--property=Id,LoadState,ActiveState,SubState,LastTriggerUSec,ExecMainStatus,ExecMainExitTimestamp',
      ...UNITS,
    ]),
  },
  parse({ units }) {
    if (units.exitCode !== 0) return unknown('the service manager did not respond')
    const blocks = unitBlocks(units.text, UNITS.length)
    if (blocks === null) return unknown('the service manager reported other units than requested')
    return known<AgentUnits>({
      units: new Map(UNITS.map((unit, index) => [unit, readUnit(blocks[index] ?? new Map())])),
    })
  },
})

function readUnit(block: ReadonlyMap<string, string>): AgentUnit {
  const ended = block.get('ExecMainExitTimestamp') ?? ''
  const status = block.get('ExecMainStatus') ?? ''
  return {
    loaded: block.get('LoadState') === 'loaded',
    active: block.get('ActiveState') === 'active' && /^(running|waiting)$/.test(block.get('SubState') ?? ''),
    // "Fri 2026-11-20 02:13:55 UTC"; empty or n/a where it never happened.
    lastDay: /\b(\d{4}-\d{2}-\d{2})\b/.exec(block.get('LastTriggerUSec') ?? ended)?.[1] ?? null,
    exitStatus: /\d{4}-/.test(ended) && /^\d{1,3}$/.test(status) ? Number(status) : null,
  }
}

/** The units among those named that are in the given state. */
export const agentsThat = (
  { units }: AgentUnits,
  names: readonly AgentName[],
  state: 'loaded' | 'active',
): readonly AgentName[] => names.filter((name) => units.get(name)?.[state] === true)

/** Such a service runs for a while when its timer goes off. */
const STARTED_BY_TIMERS = /check\.service$/
