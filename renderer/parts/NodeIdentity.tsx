import type { NodeView } from '../../schemas/ipc-results.ts'
import type { HostKey, Session } from '../../schemas/types.ts'
import { visible, when } from '../text.ts'
import { Copy } from './Copy.tsx'

const TRUSTED: Readonly<Record<HostKey['trust']['how'], string>> = {
  'known-hosts': 'a known_hosts file',
  fingerprint: 'the fleet file',
  'host-ca': 'a host certificate',
  list: 'comparison with a list',
  decision: 'a recorded decision',
  demo: 'the demo',
}
const RIGHTS: Readonly<Record<Session['privilege'], string>> = {
  root: 'root login',
  sudo: 'privileged checks, with exact sudo rules',
  none: 'unprivileged: privileged checks not tested',
}

/** Identity of a node: address, declared place, and host key verification. */
export function NodeIdentity({ about: { assessment, declared, recording, timeline } }: { readonly about: NodeView }) {
  const node = recording?.node
  const place = declared?.place ?? node?.location?.name ?? null
  const key = recording?.hostKey ?? null
  const since = timeline.at(-1)?.at ?? recording?.startedAt ?? null
  const address = declared ?? node ?? null
  return (
    <section aria-labelledby="node-identity">
      <h2 id="node-identity">Identity</h2>
      <dl className="facts">
        <dt>Address</dt>
        <dd className="mono">
          {address === null
            ? 'not declared'
            : visible(`${address.user === '' ? '' : `${address.user}@`}${address.address}:${address.port}`)}
        </dd>
        <dt>Declared place</dt>
        <dd>
          {place === null ? 'none' : visible(place)}
          {node?.location !== undefined && (
            <span className="note">
              within {node.location.radiusKm} km, declared by {visible(node.location.declaredBy)}
            </span>
          )}
        </dd>
        <dt>Host key</dt>
        <dd>
          {key === null ? (
            'none: no login took place'
          ) : (
            <>
              <span className="mono source">
                {key.type} {key.fingerprint}
              </span>{' '}
              <Copy text={key.fingerprint} what="the fingerprint" />
              <span className="note">
                Verified by {TRUSTED[key.trust.how]}: {visible(key.trust.detail)}
              </span>
            </>
          )}
        </dd>
        <dt>First seen</dt>
        <dd>{when(since)}</dd>
        <dt>Privilege</dt>
        <dd>{assessment.privilege === null ? 'none: not reached' : RIGHTS[assessment.privilege]}</dd>
        <dt>Collected</dt>
        <dd>
          {recording === null ? 'never' : `${when(recording.startedAt)}, in ${tookOf(recording)}`}
          {recording?.outcome.status === 'partial' && (
            <span className="note">partial: some probes have no capture</span>
          )}
        </dd>
        <dt>Access method</dt>
        <dd>
          {recording?.session == null
            ? 'no session'
            : [
                recording.session.transport,
                `login by ${visible(recording.session.authMethod)}`,
                ...(recording.session.jump ?? []).map((jump) => `via ${visible(jump)}`),
              ].join(', ')}
        </dd>
        <dt>Node clock</dt>
        <dd>
          {recording?.clock == null
            ? 'not read'
            : `offset ${recording.clock.offsetSeconds} s, ± ${recording.clock.uncertaintySeconds} s`}
        </dd>
        {assessment.recording !== null && (
          <>
            <dt>Recording</dt>
            <dd className="mono source">SHA-256 {assessment.recording.digest}</dd>
          </>
        )}
        {assessment.synthetic !== null && (
          <>
            <dt>Simulated</dt>
            <dd>{visible(assessment.synthetic)}</dd>
          </>
        )}
      </dl>
    </section>
  )
}

function tookOf({ startedAt, endedAt }: { readonly startedAt: string; readonly endedAt: string }): string {
  const seconds = Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 1000)
  if (!Number.isFinite(seconds) || seconds < 0) return 'an unknown time'
  if (seconds < 1) return 'less than a second'
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}
