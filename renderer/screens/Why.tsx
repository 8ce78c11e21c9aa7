import type { AssessmentView, Source } from '../../schemas/ipc-views.ts'
import type { NodeAssessment } from '../../schemas/types.ts'
import { type Property, propertyWords } from '../../schemas/words.ts'
import { useAnswer } from '../bridge.ts'
import {
  cellOf,
  gradeLine,
  layerLine,
  propertiesOf,
  TENANCY,
  verdictCounts,
  wasReached,
  whatWouldChange,
  whyNotCollected,
} from '../model.ts'
import { Ask } from '../parts/Ask.tsx'
import { Dossier } from '../parts/Dossier.tsx'
import { VerdictMark } from '../parts/Mark.tsx'
import { Page } from '../parts/Page.tsx'
import { Reasons } from '../parts/Reasons.tsx'
import { go, useStore } from '../store.ts'
import { plural, visible, when } from '../text.ts'

export interface WhyProps {
  readonly of: Source
  readonly node: string
  readonly property: Property
}

/** "Why do we believe this?": evidence for, against and unclear; what it does not show; what would change it; how we decided. */
export function Why({ of, node, property }: WhyProps) {
  const { runs } = useStore()
  const answer = useAnswer('assessment.get', { of }, runs)
  return (
    <Ask answer={answer}>
      {(view) => {
        const found = view?.assessment.nodes.find((one) => one.node === node)
        if (view === null || found === undefined)
          return (
            <Page title="Why do we believe this?">
              <p className="empty">There is no assessment of this node.</p>
            </Page>
          )
        return <Argument view={view} of={of} node={found} property={property} />
      }}
    </Ask>
  )
}

const RIGHTS = {
  root: 'read as root',
  sudo: 'read with administrator rights',
  none: 'read without administrator rights',
} as const

interface ArgumentProps {
  readonly view: AssessmentView
  readonly of: Source
  readonly node: NodeAssessment
  readonly property: Property
}

function Argument({ view, of, node, property }: ArgumentProps) {
  const cell = cellOf(view, node, property)
  const argued = cell.checks.flatMap(({ check, finding }) =>
    (finding?.reasons ?? []).map((reason) => ({ ...reason, check: check.id })),
  )
  const isolation = property === 'isolation' ? (node.isolation?.reasons ?? []) : []
  const known = new Set(argued.map(({ says, text }) => `${says} ${text}`))
  const reasons = [
    ...argued,
    ...isolation
      .filter(({ says, text }) => !known.has(`${says} ${text}`))
      .map((reason) => ({ ...reason, check: 'isolation' })),
  ]
  const rights = node.privilege === null ? '' : `, ${RIGHTS[node.privilege]}`
  return (
    <Page
      title={`${node.node} ▸ ${propertyWords[property].label}`}
      over="Why do we believe this?"
      under={
        <>
          <VerdictMark verdict={cell.verdict} /> Observed {when(node.observedAt)}
          {rights}. {plural(cell.total, 'check')}: {verdictCounts(cell.checks)}.
        </>
      }
      actions={
        <button type="button" onClick={() => go({ screen: 'evidence', of, node: node.node, capture: null })}>
          All evidence of this node
        </button>
      }
    >
      <nav className="tabs" aria-label="Properties of this node">
        {propertiesOf(view).map((other) => (
          <button
            key={other}
            type="button"
            aria-current={other === property ? 'page' : undefined}
            onClick={() => go({ screen: 'why', of, node: node.node, property: other })}
          >
            {propertyWords[other].label}
          </button>
        ))}
      </nav>
      {!wasReached(node) && <p className="empty">Not collected: {visible(whyNotCollected(node))}.</p>}
      {property === 'isolation' && wasReached(node) && <Isolation node={node} />}
      <Reasons
        reasons={reasons}
        probes={view.probes}
        onEvidence={(capture) => go({ screen: 'evidence', of, node: node.node, capture })}
      />
      {property === 'isolation' && node.isolation !== null && wasReached(node) && (
        <Dossier isolation={node.isolation} signals={view.signals} />
      )}
      <section aria-labelledby="claims">
        <h2 id="claims">How we decided</h2>
        <div className="scroll">
          <table className="claims">
            <thead>
              <tr>
                <th scope="col">Claim</th>
                <th scope="col">Verdict</th>
                <th scope="col">What this does not show</th>
                <th scope="col">What would change this</th>
              </tr>
            </thead>
            <tbody>
              {cell.checks.map((one) => (
                <tr key={one.check.id}>
                  <th scope="row">
                    {one.check.claim}
                    <span className="note mono">{one.check.id}</span>
                  </th>
                  <td>
                    <VerdictMark verdict={one.verdict} />
                  </td>
                  <td>{one.check.limits}</td>
                  <td>{whatWouldChange(one)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <p className="quiet">
          Catalog {view.assessment.catalog.version}, digest{' '}
          <span className="mono">{view.assessment.catalog.digest.slice(0, 16)}…</span>, rules engine{' '}
          {view.assessment.engine}. The same evidence gives the same verdicts again, here or anywhere else.
          {node.synthetic === null ? '' : ` ${node.synthetic}`}
        </p>
      </section>
    </Page>
  )
}

function Isolation({ node }: { readonly node: NodeAssessment }) {
  const devices = node.isolation?.locality ?? []
  return (
    <dl className="answers" aria-label="Four answers about isolation">
      <div>
        <dt>Execution layer</dt>
        <dd>{layerLine(node)}</dd>
      </div>
      <div>
        <dt>Tenancy on the system</dt>
        <dd>{TENANCY[node.isolation?.tenancy ?? 'unknown']}</dd>
      </div>
      <div>
        <dt>Devices</dt>
        <dd>
          {devices.length === 0 ? (
            'Not decided'
          ) : (
            <details>
              <summary>
                {devices.filter(({ is }) => is === 'native').length} of {plural(devices.length, 'device')} native
              </summary>
              <ul>
                {devices.map((device) => (
                  <li key={`${device.kind} ${device.device}`}>
                    {device.kind.toUpperCase()} <span className="mono">{visible(device.device)}</span>: {device.is}.{' '}
                    {visible(device.text)}
                  </li>
                ))}
              </ul>
            </details>
          )}
        </dd>
      </div>
      <div>
        <dt>Grade of the evidence</dt>
        <dd>{gradeLine(node)}</dd>
      </div>
    </dl>
  )
}
