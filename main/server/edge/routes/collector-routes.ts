import type {
  CollectorAsk,
  CollectorDelivery,
  CollectorOffer,
  CollectorRefusal,
  CollectorRenewal,
  TeamCollector,
} from '../../../../schemas/types.ts'
import { isSameJson } from '../../../core/base/canonical-json.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { plain } from '../../../core/base/plain-text.ts'
import { type HeldJob, LARGEST_PACKED, unpackParts } from '../../../core/team/jobs.ts'
import type { AuditEvent } from '../../audit.ts'
import { COLLECTOR_VERBS, holderOf } from '../../program-access.ts'
import type { Wanted } from '../../routes.ts'
import { type Exchange, headerOf, readAll, type Sent } from '../services/http.ts'
import type { EngagementJobs } from '../services/jobs.ts'
import { auditEvent, type ServerParts } from '../services/parts.ts'
import { answerProgram, inputOf, isEncoded, unknownToken } from './programs.ts'

type OfCollector = Extract<Wanted, { readonly kind: 'collector' }>

/** A collector that presented its token, and the jobs of its engagement. */
interface Known {
  readonly collector: TeamCollector
  readonly jobs: EngagementJobs
}

const LEASE_HEADER = 'x-barewitness-lease'

/** Answers a request of a collector. All requests without a known token are answered in the same way. */
export async function fromCollector(parts: ServerParts, exchange: Exchange, wanted: OfCollector): Promise<Sent> {
  const collector = collectorOf(parts, exchange)
  const jobs = collector === null ? undefined : parts.jobs.get(collector.engagement)
  if (collector === null || jobs === undefined)
    return await unknownToken(parts, exchange, 'collector-refused', 'no collector has this token')
  const limit = wanted.verb === 'ask' ? parts.collectorAsks : parts.collectorCalls
  const how = { name: collector.name, verb: wanted.verb, limit } as const
  return await answerProgram(parts, exchange, { ...how, counter: 'barewitness_collector_requests_total' }, () =>
    answered(parts, exchange, wanted, { collector, jobs }),
  )
}

const collectorOf = (parts: ServerParts, exchange: Exchange): TeamCollector | null =>
  holderOf(headerOf(exchange, 'authorization'), parts.settings().config.collectors)

async function answered(
  parts: ServerParts,
  exchange: Exchange,
  wanted: OfCollector,
  known: Known,
): Promise<Outcome<unknown>> {
  if (isEncoded(exchange)) return fail('input.refused', 'encoded bodies are not read')
  if (wanted.verb === 'parts') return await takeParts(exchange, wanted, known)
  const body = await inputOf(parts, exchange, COLLECTOR_VERBS[wanted.verb].input)
  if (!body.ok) return body
  if (wanted.verb === 'ask') return await ask(parts, exchange, known, body.value as CollectorAsk)
  const input = body.value as CollectorRenewal | CollectorOffer | CollectorDelivery | CollectorRefusal
  const held: HeldJob = { id: wanted.job, lease: input.lease, holder: known.collector.name }
  const view = await known.jobs.heldJob(held)
  if (!view.ok) return view
  const { job } = view.value
  const of = { job: job.id, run: job.run, node: job.node.name }
  const note = (event: Partial<AuditEvent> & Pick<AuditEvent, 'kind'>) => audit(parts, known, { of, ...event })
  switch (wanted.verb) {
    case 'renew':
      return await known.jobs.renew(held, input as CollectorRenewal)
    case 'offer': {
      const { recording, digests } = input as CollectorOffer
      const { state } = view.value
      if (state.is === 'completed' && state.recording !== recording)
        return fail('job.completed', 'the run holds another recording of this node')
      if (state.is === 'completed') return ok({ missing: [] })
      const missing = await known.jobs.incoming.missing(job.id, held.holder, digests)
      return missing.ok ? ok({ missing: missing.value }) : missing
    }
    case 'deliver': {
      const delivery = input as CollectorDelivery
      const recording = { ...of, recording: delivery.recording }
      const done = await known.jobs.deliver(held, delivery, () => note({ kind: 'delivery', of: recording }))
      if (!done.ok)
        await note({ kind: 'delivery', of: recording, outcome: 'refused', reason: plain(done.error.detail, 200) })
      if (done.ok) parts.copies?.soon(known.collector.engagement)
      return done
    }
    case 'refuse': {
      const reason = plain((input as CollectorRefusal).reason, 300)
      await note({ kind: 'job-refused', outcome: 'refused', reason })
      return await known.jobs.refuse(held, reason)
    }
  }
}

const audit = (
  parts: ServerParts,
  { collector }: Known,
  event: Partial<AuditEvent> & Pick<AuditEvent, 'kind'>,
): Promise<void> =>
  parts.audit.append(
    auditEvent(parts, null, {
      subject: collector.name,
      role: 'collector',
      engagement: collector.engagement,
      ...event,
    }),
  )

async function ask(
  parts: ServerParts,
  exchange: Exchange,
  known: Known,
  { zone, catalogDigest, waitSeconds }: CollectorAsk,
): Promise<Outcome<unknown>> {
  if (zone !== known.collector.zone) return fail('input.refused', `this collector is enrolled for another zone`)
  if (catalogDigest !== parts.collecting.catalogDigest)
    return fail('input.refused', 'collector and server have different rules; install the same version on both')
  let isGone = false
  exchange.response.once('close', () => {
    isGone = true
  })
  // A reload may remove or change a collector while it waits.
  const isEnrolled = (): boolean => isSameJson(collectorOf(parts, exchange), known.collector)
  const lease = await known.jobs.ask(known.collector, waitSeconds, () => isGone || !isEnrolled())
  if (lease.ok && lease.value !== null) {
    const { job } = lease.value
    await audit(parts, known, { kind: 'lease', of: { job: job.id, run: job.run, node: job.node.name } })
  }
  return lease
}

async function takeParts(exchange: Exchange, { job }: OfCollector, known: Known): Promise<Outcome<unknown>> {
  if (headerOf(exchange, 'content-type') !== 'application/octet-stream')
    return fail('input.refused', 'the body must be application/octet-stream')
  const held = { id: job, lease: headerOf(exchange, LEASE_HEADER) ?? '', holder: known.collector.name }
  const view = await known.jobs.heldJob(held)
  if (!view.ok) return view
  if (view.value.state.is === 'completed') return fail('job.completed', 'the job has its recording')
  const packed = await readAll(exchange, LARGEST_PACKED)
  if (packed === null) return fail('input.refused', 'the files are larger than a capture can be')
  const parts = unpackParts(packed)
  if (!parts.ok) return parts
  const stored = await Promise.all(
    parts.value.map(({ digest, bytes }) => known.jobs.incoming.put(job, held.holder, digest, bytes)),
  )
  return stored.find((one) => !one.ok) ?? ok(null)
}
