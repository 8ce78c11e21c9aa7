import type { RequestListener } from 'node:http'
import { secondsOf } from '../../../core/objects.ts'
import type { JobCounts } from '../../../core/team/jobs.ts'
import type { ServerParts } from '../services/parts.ts'
import type { SenderState } from '../services/senders.ts'

/** Answers /healthz, /readyz and /metrics, for programs on this computer. */
export const monitor =
  (parts: ServerParts): RequestListener =>
  (request, response) => {
    void watched(parts, request.method, request.url)
      .catch(() => [500, ''] as const)
      .then(([status, body]) =>
        response.writeHead(status, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }).end(body),
      )
  }

async function watched(
  parts: ServerParts,
  verb: string | undefined,
  target: string | undefined,
): Promise<readonly [status: number, body: string]> {
  const { audit, signIn, sessions, calls, verifications, streams, metrics, jobs, database } = parts
  const { copies, auditCopies, senders } = parts
  if (verb !== 'GET') return [405, '']
  switch (target) {
    case '/healthz':
      return [200, 'ok\n']
    case '/readyz':
      return (await audit.isUsable()) &&
        (await signIn.isReady()) &&
        (database === null || (await database.isReachable()))
        ? [200, `ready\n${copiesText(copies)}`]
        : [503, 'not ready\n']
    case '/metrics': {
      const counts = await Promise.all([...jobs.values()].map((one) => one.queue.counts()))
      // Null omits the gauge where a queue cannot be read.
      const sum = (of: keyof JobCounts): number | null =>
        counts.reduce<number | null>((all, one) => (all === null || !one.ok ? null : all + one.value[of]), 0)
      return [
        200,
        metrics.text({
          barewitness_sessions: sessions.count(),
          barewitness_calls_going: calls.count(),
          barewitness_verifications_going: verifications.counts().going,
          barewitness_verifications_waiting: verifications.counts().waiting,
          barewitness_event_streams: streams.count(),
          barewitness_jobs_waiting: sum('waiting'),
          barewitness_jobs_leased: sum('leased'),
          ...copyGauges(copies),
          ...auditCopyGauges(auditCopies()),
          ...senderGauges(senders()),
        }),
      ]
    }
    default:
      return [404, '']
  }
}

/** State of the copies. An unreachable store does not stop collection: waiting files stay in the folder until it is reachable again. */
function copiesText(copies: ServerParts['copies']): string {
  if (copies === null) return ''
  const { files, since, failing } = copies.state()
  const waiting = files === 0 ? 'no file waits' : `${files} files wait, since ${since ?? 'an unknown time'}`
  return `objects: ${waiting}; engagements failing: ${failing}\n`
}

function copyGauges(copies: ServerParts['copies']) {
  const state = copies?.state() ?? null
  return {
    barewitness_objects_waiting: state?.files ?? null,
    barewitness_objects_waiting_since_seconds: state?.since == null ? null : secondsOf(state.since),
    barewitness_objects_failing: state?.failing ?? null,
    barewitness_objects_locked: state?.locked == null ? null : Number(state.locked),
  }
}

function auditCopyGauges(copies: ReturnType<ServerParts['auditCopies']>) {
  const state = copies?.state() ?? null
  return {
    barewitness_audit_entries_waiting: state?.waiting ?? null,
    barewitness_audit_copy_failing: state === null ? null : Number(state.isFailing),
  }
}

function senderGauges(senders: ReturnType<ServerParts['senders']>) {
  const states = senders?.states() ?? null
  const sum = (of: (state: SenderState) => number): number | null =>
    states === null ? null : states.reduce((all, one) => all + of(one), 0)
  return {
    barewitness_outbox_waiting: sum(({ waiting }) => waiting),
    barewitness_outbox_given_up: sum(({ givenUp }) => givenUp),
    barewitness_outbox_failing: sum(({ failed }) => (failed === null ? 0 : 1)),
  }
}
