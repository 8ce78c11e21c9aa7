import { useCallback, useState } from 'react'
import type { ExplanationView } from '../../schemas/ipc-register.ts'
import type { AssessmentView, CatalogView, NodeView, SignalView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import type { NodeAssessment } from '../../schemas/types.ts'
import { dayCount, type Property, propertyWords, tenancyWords, verdictWords } from '../../schemas/words.ts'
import { propertySentence } from '../models/ledger.ts'
import {
  type CheckOnNode,
  cellOfNode,
  checksOf,
  environmentLine,
  gradeLine,
  observedWords,
  tallyIn,
  wasReached,
  whyNotCollected,
} from '../models/model.ts'
import { day, plural, visible } from '../models/text.ts'
import { Ask } from '../parts/Ask.tsx'
import { Claim } from '../parts/Claim.tsx'
import { IsolationAnalysis } from '../parts/IsolationAnalysis.tsx'
import { Shape, VerdictMark } from '../parts/Mark.tsx'
import { NodeFigures } from '../parts/NodeLocation.tsx'
import { Page } from '../parts/Page.tsx'
import { useResults } from '../state/actions.ts'
import { both, useAnswer } from '../state/bridge.ts'
import { useSignal } from '../state/shortcuts.ts'
import { go, replace } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Fact } from '../ui/Fact.tsx'
import { EmptyState } from '../ui/Notice.tsx'

interface WhyProps {
  readonly of: Source
  readonly node: string
  readonly property: Property
  /** The check shown first; without it, the worst one. */
  readonly check?: string | undefined
}

/** Result details: each check of a property on a node, with its supporting, contradicting and unclear observations. */
export function Why({ of, node, property, check }: WhyProps) {
  const view = useResults('assessment.get', { of })
  const about = useResults('node.get', { of, node })
  const catalog = useAnswer('catalog.get', null)
  return (
    <Ask answer={both(view, both(about, catalog))}>
      {([found, [one, words]]) =>
        found === null || one === null ? (
          <Page title="Result details">
            <EmptyState
              title="No results for this node"
              action={<Button onPress={() => go({ screen: 'overview', of })}>Open overview</Button>}
            >
              Collect evidence from {visible(node)} to see its results.
            </EmptyState>
          </Page>
        ) : (
          <Argument of={of} node={node} property={property} view={found} about={one} catalog={words} check={check} />
        )
      }
    </Ask>
  )
}

const RIGHTS = {
  root: 'read as root',
  sudo: 'read with privileged checks (sudo)',
  none: 'read without privileged checks',
} as const

interface ArgumentProps extends Omit<WhyProps, 'check'> {
  readonly check: string | undefined
  readonly view: AssessmentView
  readonly about: NodeView
  readonly catalog: CatalogView
}

function Argument({ of, node, property, check, view, about, catalog }: ArgumentProps) {
  const { assessment } = about
  const checks = checksOf(view.checks, assessment, property)
  const choose = (id: string): void => replace({ screen: 'why', of, node, property, check: id })
  const at = Math.max(
    0,
    checks.findIndex((one) => one.check.id === check),
  )
  const current = checks[at]
  const { properties } = view
  const cell = cellOfNode(view, node, property)
  useFindingKeys({ of, node, property, checks, at, properties, onChoose: choose })
  useSignal(
    'show-evidence',
    useCallback(() => go({ screen: 'evidence', of, node, capture: null }), [of, node]),
  )
  const rights = assessment.privilege === null ? '' : `, ${RIGHTS[assessment.privilege]}`
  const age =
    assessment.stale && assessment.ageDays !== null
      ? ` Stale: ${dayCount(assessment.ageDays)} old, not counted as satisfied.`
      : ''
  return (
    <Page
      title={`${node} ▸ ${propertyWords[property].label}`}
      over="Result details"
      under={
        <>
          {observedWords(assessment)}
          {rights}.{age}
        </>
      }
      actions={
        <>
          <Button onPress={() => go({ screen: 'node', of, node })}>Open node</Button>
          <Button onPress={() => go({ screen: 'evidence', of, node, capture: null })}>Open raw evidence</Button>
        </>
      }
    >
      <p className="verdict-sentence">
        <VerdictMark verdict={cell?.verdict ?? 'not-tested'} />
        <span>{propertySentence(property, cell?.tally ?? tallyIn(null))}</span>
      </p>
      <nav className="property-tabs" aria-label="Properties of this node">
        {properties.map((other) => (
          <button
            key={other}
            type="button"
            aria-current={other === property ? 'page' : undefined}
            onClick={() => go({ screen: 'why', of, node, property: other })}
          >
            <Shape
              mark={verdictWords[cellOfNode(view, node, other)?.verdict ?? 'not-tested'].mark}
              tone={cellOfNode(view, node, other)?.verdict ?? 'not-tested'}
            />
            {propertyWords[other].label}
          </button>
        ))}
      </nav>
      {!wasReached(assessment) && <p className="empty">Not collected: {visible(whyNotCollected(assessment))}.</p>}
      {property === 'isolation' && wasReached(assessment) && (
        <>
          <IsolationAnswers of={of} assessment={assessment} />
          <Explanations explanations={about.explanations} signals={catalog.signals} />
        </>
      )}
      {property === 'encryption-at-rest' && <NodeFigures of={of} node={node} kinds={['block-stack']} />}
      <div className="why">
        <nav className="claims-list" aria-label={`Results: ${plural(checks.length, 'check')}`} data-pane tabIndex={-1}>
          <ul>
            {checks.map((one) => (
              <li key={one.check.id}>
                <button
                  type="button"
                  aria-current={one === current ? 'true' : undefined}
                  onClick={() => choose(one.check.id)}
                >
                  <VerdictMark verdict={one.verdict} />
                  <span className="claim-words">{one.check.expected}</span>
                  <Overlay view={view} node={node} one={one} />
                </button>
              </li>
            ))}
          </ul>
        </nav>
        {current !== undefined && (
          <Claim key={current.check.id} of={of} node={node} one={current} view={view} about={about} catalog={catalog} />
        )}
      </div>
      {property === 'isolation' && wasReached(assessment) && (
        <NodeIsolation of={of} assessment={assessment} catalog={catalog} />
      )}
    </Page>
  )
}

function Overlay({
  view,
  node,
  one,
}: {
  readonly view: AssessmentView
  readonly node: string
  readonly one: CheckOnNode
}) {
  const cell = cellOfNode(view, node, one.check.property)?.checks.find(({ check }) => check.id === one.check.id)
  if (cell === undefined || (cell.accepted === null && !cell.expired)) return null
  return <span className="accepted-tab">{cell.accepted === null ? 'Acceptance expired' : 'Risk accepted'}</span>
}

interface FindingKeys {
  readonly of: Source
  readonly node: string
  readonly property: Property
  readonly checks: readonly CheckOnNode[]
  readonly at: number
  readonly properties: readonly Property[]
  readonly onChoose: (check: string) => void
}

/** `[` and `]`: the previous or next check; past either end, the neighboring property. */
function useFindingKeys({ of, node, property, checks, at, properties, onChoose }: FindingKeys): void {
  const step = (by: 1 | -1): void => {
    const next = checks[at + by]
    const other = properties[properties.indexOf(property) + by]
    if (next !== undefined) onChoose(next.check.id)
    else if (other !== undefined) go({ screen: 'why', of, node, property: other })
  }
  useSignal('finding-before', () => step(-1))
  useSignal('finding-next', () => step(1))
}

interface ExplanationsProps {
  readonly explanations: readonly ExplanationView[]
  readonly signals: readonly SignalView[]
}

/** Explanations of single facts by named people. They change no result. Not shown if there are none. */
function Explanations({ explanations, signals }: ExplanationsProps) {
  if (explanations.length === 0) return null
  const titles = new Map(signals.map(({ id, title }) => [id, title]))
  return (
    <section aria-labelledby="explanations">
      <h2 id="explanations">
        Explanations <span className="number quiet">{explanations.length}</span>
      </h2>
      <p className="quiet">Not evaluated; explanations do not change a verdict.</p>
      <ul className="acceptances">
        {explanations.map((one) => (
          <li key={one.id} className="acceptance">
            <dl className="facts">
              <Fact term="Fact">{titles.get(one.signal) ?? visible(one.signal)}</Fact>
              <Fact term="Explanation">{visible(one.text)}</Fact>
              <Fact term="Explained by">
                {visible(one.explainedBy)}, {visible(one.role)}, {day(one.explainedAt)}, until {day(one.expiresAt)}
              </Fact>
              <Fact term="Document">
                {visible(one.document.name)}, SHA-256 <span className="mono">{one.document.sha256}</span>
              </Fact>
            </dl>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface IsolationAnswersProps {
  readonly of: Source
  readonly assessment: NodeAssessment
  readonly catalog: CatalogView
}

/** Four separate isolation results, never combined into one number, and the figure of their evidence. */
function IsolationAnswers({ of, assessment }: Omit<IsolationAnswersProps, 'catalog'>) {
  const { isolation, node } = assessment
  const devices = isolation?.attachments ?? []
  return (
    <>
      <dl className="four-answers" aria-label="Isolation results">
        <div>
          <dt>Execution environment</dt>
          <dd>{environmentLine(isolation)}</dd>
          {isolation?.environment === 'undetermined' && <dd className="quiet">{visible(isolation.rule.text)}</dd>}
        </div>
        <Fact term="Tenancy">{tenancyWords[isolation?.tenancy ?? 'undetermined']}</Fact>
        <Fact term="Device attachment">
          {devices.length === 0
            ? 'Undetermined'
            : `${devices.filter(({ attachment }) => attachment === 'physical').length} of ${plural(devices.length, 'device')} physical`}
        </Fact>
        <Fact term="Evidence grade">{gradeLine(assessment)}</Fact>
      </dl>
      <NodeFigures of={of} node={node} kinds={['isolation-families']} />
    </>
  )
}

/** The isolation analysis. It is long, so it is folded and rendered only when opened. */
function NodeIsolation({ of, assessment, catalog }: IsolationAnswersProps) {
  const { isolation, node } = assessment
  const [wasOpened, setOpened] = useState(false)
  if (isolation === null) return null
  const devices = isolation.attachments
  return (
    <Disclosure
      level={2}
      title="Isolation analysis"
      aside={`Rule ${isolation.rule.id} · ${plural(isolation.signals.length, 'signal')} · ${isolation.anomalies.length} ${isolation.anomalies.length === 1 ? 'anomaly' : 'anomalies'}`}
      onToggle={(open) => setOpened(wasOpened || open)}
    >
      {wasOpened && devices.length > 0 && (
        <ul className="device-list">
          {devices.map((device) => (
            <li key={`${device.kind} ${device.device}`}>
              {device.kind.toUpperCase()} <span className="mono">{visible(device.device)}</span>:{' '}
              {device.attachment.replaceAll('-', ' ')}. {visible(device.text)}
            </li>
          ))}
        </ul>
      )}
      {wasOpened && (
        <IsolationAnalysis
          isolation={isolation}
          signals={catalog.signals}
          probes={catalog.probes}
          of={of}
          node={node}
        />
      )}
    </Disclosure>
  )
}
