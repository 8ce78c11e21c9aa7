import type { RequestListener } from 'node:http'
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
  { audit, signIn, sessions, calls, streams, metrics }: ServerParts,
  verb: string | undefined,
  target: string | undefined,
): Promise<readonly [status: number, body: string]> {
  if (verb !== 'GET') return [405, '']
  switch (target) {
    case '/healthz':
      return [200, 'ok\n']
    case '/readyz':
      return audit.isUsable() && (await signIn.isReady()) ? [200, 'ready\n'] : [503, 'not ready\n']
    case '/metrics':
      return [
        200,
        metrics.text({
          barewitness_sessions: sessions.count(),
          barewitness_calls_going: calls.count(),
          barewitness_event_streams: streams.count(),
        }),
      ]
    default:
      return [404, '']
  }
}
