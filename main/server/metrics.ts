/** Counters and gauges in the text format of Prometheus (0.0.4). Label values come from closed lists, never from requests. */
export interface Metrics {
  readonly count: (name: CounterName, labels?: Readonly<Record<string, string>>) => void
  /** Gauges that are null are omitted. */
  readonly text: (gauges: Readonly<Record<GaugeName, number | null>>) => string
}

const COUNTERS = {
  barewitness_requests_total: 'Requests by kind and status.',
  barewitness_calls_total: 'Calls of methods by outcome.',
  barewitness_sign_ins_total: 'Sign-ins by outcome.',
  barewitness_collector_requests_total: 'Requests of collectors by verb and outcome.',
  barewitness_sealer_requests_total: 'Requests of sealers by verb and outcome.',
} as const
export type CounterName = keyof typeof COUNTERS

const GAUGES = {
  barewitness_sessions: 'Sessions that were not ended.',
  barewitness_calls_going: 'Calls that are being answered.',
  barewitness_verifications_going: 'Packs that are being verified for auditors.',
  barewitness_verifications_waiting: 'Verifications of auditors that wait for their turn.',
  barewitness_event_streams: 'Open event streams.',
  barewitness_jobs_waiting: 'Jobs that no collector has leased.',
  barewitness_jobs_leased: 'Jobs that a collector has leased.',
  barewitness_objects_waiting: 'Files that the object store did not confirm yet.',
  barewitness_objects_waiting_since_seconds: 'When the file that waits longest was written, in seconds since 1970.',
  barewitness_objects_failing: 'Engagements whose last copy to the object store failed or was not made yet.',
  barewitness_outbox_waiting: 'Items that are not delivered to other systems yet.',
  barewitness_outbox_given_up: 'Items that were given up.',
  barewitness_outbox_failing: 'Engagements whose last sending was refused as a whole.',
  barewitness_objects_locked: 'Whether the object store refuses deletion until the end of retention.',
  barewitness_audit_entries_waiting: 'Entries of the audit log that the object store did not confirm yet.',
  barewitness_audit_copy_failing:
    'Whether the last copy of the audit log to the object store failed or was not made yet.',
} as const
type GaugeName = keyof typeof GAUGES

export function createMetrics(): Metrics {
  const counted = new Map<CounterName, Map<string, number>>()
  return {
    count: (name, labels = {}) => {
      const series = counted.get(name) ?? new Map<string, number>()
      const key = labelText(labels)
      series.set(key, (series.get(key) ?? 0) + 1)
      counted.set(name, series)
    },
    text: (gauges) =>
      [
        ...Object.entries(COUNTERS).flatMap(([name, help]) => [
          `# HELP ${name} ${help}`,
          `# TYPE ${name} counter`,
          ...[...(counted.get(name as CounterName) ?? [])].map(([labels, value]) => `${name}${labels} ${value}`),
        ]),
        ...Object.entries(GAUGES).flatMap(([name, help]) => {
          const value = gauges[name as GaugeName]
          return value === null ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${value}`]
        }),
        '',
      ].join('\n'),
  }
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${value.replaceAll(/[\\"\n]/g, '_')}"`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}
