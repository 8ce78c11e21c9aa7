import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { unitBlocks } from '../read-text.ts'

export interface ServiceState {
  /** Whether the service manager knows such a unit at all. */
  readonly loaded: boolean
  readonly active: boolean
  /** Started at boot. Static and generated units have no such setting of their own. */
  readonly enabled: boolean
}
export interface ServiceStates {
  readonly services: ReadonlyMap<string, ServiceState>
}

const UNITS = [
  'auditd',
  'rsyslog',
  'syslog-ng',
  'systemd-journal-upload',
  'fluent-bit',
  'td-agent',
  'vector',
  'filebeat',
  'splunk',
  'wazuh-agent',
  'chrony',
  'chronyd',
  'systemd-timesyncd',
  'ntp',
  'ntpd',
  'ntpsec',
  'ptp4l',
] as const

/** systemctl(1) show prints every unit requested, those unknown with LoadState=not-found, and changes nothing. */
export const servicesState = defineProbe({
  id: 'services.state',
  title: 'State of audit, log and time services',
  why: 'Shows which services that record, forward logs or keep time are installed, running, and started at boot.',
  commands: {
    units: run([
      'systemctl',
      'show',
      '--property=Id,LoadState,ActiveState,UnitFileState',
      ...UNITS.map((unit) => `${unit}.service`),
    ]),
  },
  parse({ units }) {
    if (units.exitCode !== 0) return unknown('the service manager did not respond')
    // An alias (chrony, chronyd) responses under its other name, hence the position.
    const blocks = unitBlocks(units.text, UNITS.length)
    if (blocks === null) return unknown('the service manager reported other units than requested')
    return known<ServiceStates>({
      services: new Map(
        UNITS.map((unit, index) => [
          unit,
          {
            loaded: blocks[index]?.get('LoadState') === 'loaded',
            active: blocks[index]?.get('ActiveState') === 'active',
            enabled:
              blocks[index]?.get('UnitFileState')?.startsWith('enabled') === true ||
              blocks[index]?.get('UnitFileState') === 'alias',
          },
        ]),
      ),
    })
  },
})

export type KnownService = (typeof UNITS)[number]

export const serviceIs = ({ services }: ServiceStates, unit: KnownService, state: keyof ServiceState): boolean =>
  services.get(unit)?.[state] === true
