import type { HistoryMethods } from './ipc-history.ts'
import { checkId, day, exactly, handle, identity, list, name, nothing, orNull, run, text } from './ipc-input-parts.ts'
import { LARGEST_PERIOD_SAMPLE, LONGEST_SEED, MOST_SAMPLES, type PeriodMethods } from './ipc-periods.ts'
import { CADENCE_KINDS, type ScheduleMethods, TIMER_KINDS } from './ipc-schedules.ts'
import { POPULATIONS } from './period-words.ts'

const instant = {
  type: 'string',
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{3})?Z$',
} as const
const schedule = { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]{0,62}$' } as const
const whole = (minimum: number, maximum: number): object => ({ type: 'integer', minimum, maximum })

const scheduleDraft = exactly({
  name: schedule,
  cadence: exactly({
    every: { enum: CADENCE_KINDS },
    hours: { enum: [1, 2, 3, 4, 6, 8, 12] },
    weekday: whole(1, 7),
    day: whole(1, 28),
    at: whole(0, 1439),
  }),
  zone: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_+/-]{0,59}$' },
  jitterMinutes: whole(0, 720),
  retries: exactly({ times: whole(0, 10), waitMinutes: whole(1, 720) }),
  sealHours: orNull(whole(1, 720)),
  catchUp: { type: 'boolean' },
  gapsExitZero: { type: 'boolean' },
  identity,
  passphrase: {
    oneOf: [exactly({ use: { enum: ['make', 'kept', 'none'] } }), exactly({ use: { const: 'file' }, handle })],
  },
  syslog: { type: 'boolean' },
  webhook: orNull({ type: 'string', pattern: '^https?://[!-~]{1,490}$' }),
  integrations: {
    oneOf: [exactly({ use: { enum: ['none', 'kept'] } }), exactly({ use: { const: 'file' }, handle })],
  },
})

/** JSON Schemas of what the methods about runs over time take; see INPUT_SCHEMAS. */
export const HISTORY_INPUTS: Readonly<
  Record<keyof HistoryMethods | keyof PeriodMethods | keyof ScheduleMethods, object>
> = {
  'history.get': exactly({ window: orNull(exactly({ from: day, to: day })) }),
  'history.deviations': exactly({ from: day, to: day }),
  'history.compare': exactly({ before: run, after: run }),
  'history.flip': exactly({ before: run, after: run, node: name, check: checkId }),
  'history.sending': nothing,
  'history.record-gap': exactly({ schedule: orNull(schedule), due: instant, why: text(1000, 3), identity }),
  'history.set-baseline': exactly({ run, why: text(1000, 3), identity }),
  'period.plan': nothing,
  'period.build': exactly({
    from: day,
    to: day,
    samples: list(
      exactly({
        population: { enum: POPULATIONS },
        size: whole(1, LARGEST_PERIOD_SAMPLE),
        seed: text(LONGEST_SEED),
      }),
      MOST_SAMPLES,
    ),
    identity,
    timestamp: { type: 'boolean' },
  }),
  'schedules.list': nothing,
  'schedules.add': scheduleDraft,
  'schedules.change': scheduleDraft,
  'schedules.run-now': exactly({ name: schedule }),
  'schedules.choose-passphrase': nothing,
  'schedules.choose-integrations': nothing,
  'schedules.remove': exactly({ name: schedule, identity }),
  'schedules.install': exactly({ name: schedule, kind: { enum: TIMER_KINDS } }),
  'schedules.preview': exactly({ name: schedule }),
  'schedules.status': exactly({ name: schedule }),
}
