import type { RequestListener } from 'node:http'
import type { JobCounts } from '../../core/jobs.ts'
import type { ServerParts } from './parts.ts'

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
  { audit, signIn, sessions, calls, streams, metrics, engagements }: ServerParts,
  verb: string | undefined,
  target: string | undefined,
): Promise<readonly [status: number, body: string]> {
  if (verb !== 'GET') return [405, '']
  switch (target) {
    case '/healthz':
      return [200, 'ok\n']
    case '/readyz':
      return audit.isUsable() && (await signIn.isReady()) ? [200, 'ready\n'] : [503, 'not ready\n']
    case '/metrics': {
      const jobs = await Promise.all([...engagements.values()].map((one) => one.jobs?.queue.counts()))
      const sum = (count: keyof JobCounts): number => jobs.reduce((all, one) => all + (one?.[count] ?? 0), 0)
      return [
        200,
        metrics.text({
          barewitness_sessions: sessions.count(),
          barewitness_calls_going: calls.count(),
          barewitness_event_streams: streams.count(),
          barewitness_jobs_waiting: sum('waiting'),
          barewitness_jobs_leased: sum('leased'),
        }),
      ]
    }
    default:
      return [404, '']
  }
}
