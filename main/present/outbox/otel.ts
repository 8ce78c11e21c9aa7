import type { Severity } from '../../../schemas/conclusion-words.ts'
import type { Json } from '../../core/base/canonical-json.ts'
import { fail, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import { type Exchange, json, memberOf } from '../../core/outbox/exchange.ts'
import type { OutboxItem } from '../../core/outbox/item.ts'
import { headline, linesOf } from './text.ts'

/**
 * Severity numbers of the OpenTelemetry log data model: 9 INFO, 13 WARN, 17 ERROR, 21 FATAL. A finding is not a failure of a program, so
 * ERROR is the highest.
 */
const NUMBERS: Readonly<Record<Severity, readonly [number: number, text: string]>> = {
  info: [9, 'INFO'],
  low: [9, 'INFO'],
  medium: [13, 'WARN'],
  high: [17, 'ERROR'],
  critical: [17, 'ERROR'],
}

const text = (key: string, value: string): Json => ({ key, value: { stringValue: value } })
const whole = (key: string, value: number): Json => ({ key, value: { intValue: String(value) } })
const texts = (key: string, values: readonly string[]): Json => ({
  key,
  value: { arrayValue: { values: values.map((one) => ({ stringValue: one })) } },
})

/** Nanoseconds since 1970 as a decimal string: 64-bit numbers are strings in the JSON of OTLP. */
const nanoseconds = (moment: string): string => `${Date.parse(moment)}000000`

/** A request with one log record (OTLP 1, JSON). Its time is that of the evidence. */
export function otelLogs(item: OutboxItem, version: string): Json {
  const [severityNumber, severityText] = NUMBERS[levelOf(item)]
  return {
    resourceLogs: [
      {
        resource: { attributes: [text('service.name', 'barewitness'), text('service.version', version)] },
        scopeLogs: [
          {
            scope: { name: 'barewitness.outbox', version },
            logRecords: [
              {
                timeUnixNano: nanoseconds(item.evidence?.to ?? item.asOf),
                observedTimeUnixNano: nanoseconds(item.asOf),
                severityNumber,
                severityText,
                body: { stringValue: [headline(item), ...linesOf(item)].join('\n') },
                attributes: attributesOf(item),
              },
            ],
          },
        ],
      },
    ],
  }
}

/** A finding that a later pack does not contain is no longer an error; one that it does not decide is a warning. */
function levelOf(item: OutboxItem): Severity {
  if (item.kind === 'pack' || item.outcome === 'none') return 'info'
  return item.outcome === 'undetermined' ? 'medium' : item.severity
}

const attributesOf = (item: OutboxItem): readonly Json[] => [
  text('barewitness.key', item.key),
  text('barewitness.kind', item.kind),
  text('barewitness.fleet', plain(item.fleet)),
  text('barewitness.run', plain(item.run)),
  text('barewitness.pack.name', plain(item.pack.name)),
  text('barewitness.pack.sha256', item.pack.sha256),
  ...(item.evidence === null
    ? []
    : [text('barewitness.evidence.from', item.evidence.from), text('barewitness.evidence.to', item.evidence.to)]),
  { key: 'barewitness.demo', value: { boolValue: item.demo } },
  ...(item.kind === 'finding'
    ? [
        text('barewitness.finding', item.reference),
        text('barewitness.check', item.check),
        text('barewitness.severity', item.severity),
        text('barewitness.outcome', item.outcome),
        texts('barewitness.nodes', item.nodes),
        whole('barewitness.deviations', item.deviations),
        whole('barewitness.tested', item.tested),
        ...(item.refused === undefined ? [] : [whole('barewitness.refused', item.refused)]),
        texts('barewitness.inconclusive', item.inconclusive),
        texts('barewitness.not_tested', item.notTested),
      ]
    : []),
]

/** Sends one log record to a collector. A collector that rejects it responds with status 200 and a count. */
export function* otelExchange(item: OutboxItem, version: string): Exchange {
  const answer = yield { method: 'POST', path: '/v1/logs', body: json(otelLogs(item, version)), assumed: {} }
  const rejected = memberOf(answer.value, 'partialSuccess', 'rejectedLogRecords')
  return rejected === undefined || Number(rejected) === 0
    ? ok(null)
    : fail('delivery.failed', 'the receiver rejected the log record')
}
