import { severityWords } from '../../schemas/conclusion-words.ts'
import type { ReviewFinding } from '../../schemas/ipc-packs.ts'
import type { AssessmentView, CatalogView, NodeView } from '../../schemas/ipc-results.ts'
import { stratumWords } from '../../schemas/review-words.ts'
import { both, useAnswer } from '../bridge.ts'
import { claimSentence, ledgerOf, weightsOf } from '../ledger.ts'
import { go } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { propertyOf, type SampleRow, sampleTitle } from '../worksheet-model.ts'
import { Acceptances } from './Acceptances.tsx'
import { Ask } from './Ask.tsx'
import { Ledger } from './Ledger.tsx'
import { ManagementResponse } from './ManagementResponse.tsx'
import { VerdictMark } from './Mark.tsx'

export interface SampleFindingProps {
  readonly row: SampleRow
  /** The finding that a deviation belongs to. */
  readonly finding: ReviewFinding | null
  readonly view: AssessmentView
}

/** One sampled result with its evidence, the first capture open, and what management states about it. */
export function SampleFinding({ row, finding, view }: SampleFindingProps) {
  const { node } = row
  const answer = both(useAnswer('node.get', { of: 'pack', node }), useAnswer('catalog.get', null))
  return (
    <article className="claim sample-finding" aria-label={`Evidence of ${visible(row.check)} on ${visible(node)}`}>
      <Ask answer={answer}>
        {([about, catalog]) =>
          about === null ? (
            <p className="empty">The pack has no results for this node.</p>
          ) : (
            <Evidence row={row} finding={finding} view={view} about={about} catalog={catalog} />
          )
        }
      </Ask>
    </article>
  )
}

function Evidence({
  row,
  finding,
  view,
  about,
  catalog,
}: SampleFindingProps & { readonly about: NodeView; readonly catalog: CatalogView }) {
  const { node, check, verdict, severity, stratum, place } = row
  const known = view.checks.find(({ id }) => id === check)
  const property = propertyOf(view, check)
  const result = about.assessment.results.find((one) => one.check === check)
  const weights = weightsOf(property === 'isolation' ? about.assessment.isolation : null)
  const sides = ledgerOf(result?.observations ?? [], catalog.probes, weights)
  const accepted = about.riskAcceptances.filter((one) => one.check === check)
  return (
    <>
      <header className="claim-head">
        <p className="sample-verdict">
          <VerdictMark verdict={verdict} />
          {severity !== null && <span className="severity">Severity: {severityWords[severity]}</span>}
          {finding !== null && <span className="quiet">Finding {finding.reference}</span>}
        </p>
        <h3>{visible(sampleTitle(row, finding, known?.expected ?? ''))}</h3>
        <p className="quiet">
          Expected: {known?.expected ?? 'unknown check'} · <span className="mono source">{visible(check)}</span> on{' '}
          {visible(node)} · position {place} · {stratumWords[stratum]}
        </p>
        <p>{claimSentence(verdict, sides)}</p>
      </header>
      <Ledger sides={sides} of="pack" node={node} onAllow={null} opensFirst />
      <Acceptances acceptances={accepted} of="pack" />
      <dl className="claim-notes">
        {finding !== null && (
          <div>
            <dt>Management response</dt>
            <dd>
              <ManagementResponse finding={finding} />
            </dd>
          </div>
        )}
        <div>
          <dt>Limitations</dt>
          <dd>{known?.limitations ?? 'This version has no such check.'}</dd>
        </div>
      </dl>
      <div className="actions">
        {property !== null && (
          <Button small onPress={() => go({ screen: 'why', of: 'pack', node, property, check })}>
            Open result details
          </Button>
        )}
        <Button small onPress={() => go({ screen: 'evidence', of: 'pack', node, capture: null })}>
          Open raw evidence
        </Button>
      </div>
    </>
  )
}
