import type { AssessmentView, NodeMoment, NodeView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import type { HostKey, Session } from '../../schemas/types.ts'
import { dayCount, propertyWords, verdictWords } from '../../schemas/words.ts'
import {
  type Cell,
  cellOfNode,
  environmentLine,
  observedWords,
  shareNote,
  shareOf,
  wasReached,
  whyNotCollected,
} from '../models/model.ts'
import { clockText, plural, visible, when } from '../models/text.ts'
import { Acceptances } from '../parts/Acceptances.tsx'
import { Ask } from '../parts/Ask.tsx'
import { Copy } from '../parts/Copy.tsx'
import { VerdictMark } from '../parts/Mark.tsx'
import { NodeFigures, NodeLocation } from '../parts/NodeLocation.tsx'
import { Page } from '../parts/Page.tsx'
import { useResults } from '../state/actions.ts'
import { both } from '../state/bridge.ts'
import { go } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Fact } from '../ui/Fact.tsx'
import { EmptyState } from '../ui/Notice.tsx'

interface NodeProps {
  readonly of: Source
  readonly node: string
}

/** One node: identity, results by property, figures, changes over time, and risk acceptances. */
export function Node({ of, node }: NodeProps) {
  const view = useResults('assessment.get', { of })
  const about = useResults('node.get', { of, node })
  return (
    <Ask answer={both(view, about)}>
      {([found, one]) =>
        one === null ? (
          <Page title={node}>
            <EmptyState title="No data for this node">
              {of === 'pack' ? 'This node is not declared in the pack.' : 'This node is not declared in the fleet.'}
            </EmptyState>
          </Page>
        ) : (
          <Known of={of} node={node} view={found} about={one} />
        )
      }
    </Ask>
  )
}

function Known({
  of,
  node,
  view,
  about,
}: NodeProps & { readonly view: AssessmentView | null; readonly about: NodeView }) {
  const timeline = useResults('node.timeline', { of, node })
  const { assessment, declared, recording, riskAcceptances } = about
  const role = declared?.role ?? recording?.node.role ?? null
  const isStale = assessment.stale && assessment.ageDays !== null
  return (
    <Page
      title={node}
      over={role === null ? 'Node' : `Node · ${visible(role)}`}
      under={
        <>
          {observedWords(assessment)}
          {isStale ? `. Stale: ${dayCount(assessment.ageDays)} old, not counted as satisfied` : ''}.
        </>
      }
      actions={
        <>
          <Button onPress={() => go({ screen: 'evidence', of, node, capture: null })}>Open raw evidence</Button>
          {of === 'run' && <Button onPress={() => go({ screen: 'nodes', edit: node })}>Edit node</Button>}
        </>
      }
    >
      {!wasReached(assessment) && (
        <p className="empty">
          Not collected: {visible(whyNotCollected(assessment))}. All its checks count as not tested.
        </p>
      )}
      <div className="node-page">
        <NodeIdentity about={about} earlier={timeline.state === 'here' ? timeline.value : []} />
        <section aria-labelledby="node-properties">
          <h2 id="node-properties">Results by property</h2>
          {view === null ? <p className="empty">No results yet.</p> : <Properties of={of} node={node} view={view} />}
          {assessment.isolation !== null && <p className="quiet">{environmentLine(assessment.isolation)}.</p>}
        </section>
      </div>
      {assessment.location != null && <NodeLocation of={of} node={node} location={assessment.location} />}
      <NodeFigures of={of} node={node} kinds={['topology', 'block-stack', 'isolation-families']} />
      <section aria-labelledby="node-exceptions">
        <h2 id="node-exceptions">
          Risk acceptances <span className="number quiet">{riskAcceptances.length}</span>
        </h2>
        {riskAcceptances.length === 0 ? (
          <p className="empty">{of === 'pack' ? 'None in this pack.' : 'None. Add one from the result’s page.'}</p>
        ) : (
          <Acceptances
            acceptances={riskAcceptances}
            of={of}
            titles={new Map(view?.checks.map(({ id, expected }) => [id, expected]))}
          />
        )}
      </section>
      <Ask answer={timeline}>{(moments) => <Timeline timeline={moments} view={view} />}</Ask>
    </Page>
  )
}

function Properties({ of, node, view }: NodeProps & { readonly view: AssessmentView }) {
  return (
    <table className="node-properties">
      <thead>
        <tr>
          <th scope="col">Property</th>
          <th scope="col">Worst verdict</th>
          <th scope="col">Satisfied</th>
        </tr>
      </thead>
      <tbody>
        {view.properties.map((property) => {
          const cell = cellOfNode(view, node, property)
          return (
            <tr key={property}>
              <th scope="row">
                <Button kind="link" onPress={() => go({ screen: 'why', of, node, property })}>
                  {propertyWords[property].label}
                </Button>
              </th>
              <td>
                <VerdictMark verdict={cell?.verdict ?? 'not-tested'} />
                {cell?.accepted != null && <span className="accepted-tab">{cell.accepted.count} accepted</span>}
              </td>
              <td className="number">{cell !== null && <Share cell={cell} />}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

const Share = ({ cell }: { readonly cell: Cell }) => (
  <>
    {shareOf(cell.tally)}
    <span className="note">{shareNote(cell)}</span>
  </>
)

const RUN_STATUS = {
  complete: 'collected',
  partial: 'partially collected',
  failed: 'not collected',
  missing: 'not in this run',
} as const

function Timeline({
  timeline,
  view,
}: {
  readonly timeline: readonly NodeMoment[]
  readonly view: AssessmentView | null
}) {
  const claims = new Map(view?.checks.map(({ id, expected }) => [id, expected]))
  return (
    <section aria-labelledby="node-timeline">
      <h2 id="node-timeline">Changes over time</h2>
      {timeline.length === 0 ? (
        <p className="empty">No earlier run of this node on this computer.</p>
      ) : (
        <ol className="timeline">
          {timeline.map(({ run, at, status, changed }) => (
            <li key={run}>
              <p>
                <time dateTime={at}>{when(at)}</time> <span className="quiet">{RUN_STATUS[status]},</span>{' '}
                {changed.length === 0 ? (
                  <span className="quiet">no result changed</span>
                ) : (
                  `${plural(changed.length, 'result')} changed`
                )}
              </p>
              {changed.length > 0 && (
                <ul className="change-list">
                  {changed.map(({ check, before, after }) => (
                    <li key={check}>
                      <span>{claims.get(check) ?? check}</span>
                      <span className="change">
                        {verdictWords[before].label} → <VerdictMark verdict={after} />
                      </span>
                    </li>
                  ))}
                </ul>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

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
function NodeIdentity({
  about: { assessment, declared, recording },
  earlier,
}: {
  readonly about: NodeView
  readonly earlier: readonly NodeMoment[]
}) {
  const node = recording?.node
  const place = declared?.place ?? node?.location?.name ?? null
  const key = recording?.hostKey ?? null
  const since = earlier.at(-1)?.at ?? recording?.startedAt ?? null
  const address = declared ?? node ?? null
  return (
    <section aria-labelledby="node-identity">
      <h2 id="node-identity">Identity</h2>
      <dl className="facts">
        <Fact term="Address" className="mono">
          {address === null
            ? 'not declared'
            : visible(`${address.user === '' ? '' : `${address.user}@`}${address.address}:${address.port}`)}
        </Fact>
        <Fact term="Declared place">
          {place === null ? 'none' : visible(place)}
          {node?.location !== undefined && (
            <span className="note">
              within {node.location.radiusKm} km, declared by {visible(node.location.declaredBy)}
            </span>
          )}
        </Fact>
        <Fact term="Host key">
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
        </Fact>
        <Fact term="First seen">{when(since)}</Fact>
        <Fact term="Privilege">
          {assessment.privilege === null ? 'none: not reached' : RIGHTS[assessment.privilege]}
        </Fact>
        <Fact term="Collected">
          {recording === null ? 'never' : `${when(recording.startedAt)}, in ${tookOf(recording)}`}
          {recording?.outcome.status === 'partial' && (
            <span className="note">partial: some probes have no capture</span>
          )}
        </Fact>
        <Fact term="Access method">
          {recording?.session == null
            ? 'no session'
            : [
                recording.session.transport,
                `login by ${visible(recording.session.authMethod)}`,
                ...(recording.session.jump ?? []).map((jump) => `via ${visible(jump)}`),
              ].join(', ')}
        </Fact>
        <Fact term="Node clock">{clockText(recording)}</Fact>
        {assessment.recording !== null && (
          <Fact term="Recording" className="mono source">
            SHA-256 {assessment.recording.digest}
          </Fact>
        )}
        {assessment.synthetic !== null && <Fact term="Simulated">{visible(assessment.synthetic)}</Fact>}
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
