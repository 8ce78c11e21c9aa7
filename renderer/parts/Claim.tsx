import { useState } from 'react'
import type { AssessmentView, CatalogView, NodeView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { claimSentence, ledgerOf, weightsOf } from '../ledger.ts'
import { type CheckOnNode, whatWouldChange } from '../model.ts'
import { outdated } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Acceptances } from './Acceptances.tsx'
import { AllowDialog } from './AllowDialog.tsx'
import { RiskAcceptanceDialog } from './ExceptionDialog.tsx'
import { Ledger } from './Ledger.tsx'
import { VerdictMark } from './Mark.tsx'
import { Recheck } from './Recheck.tsx'
import { UsualDocuments } from './UsualDocuments.tsx'

export interface ClaimProps {
  readonly of: Source
  readonly node: string
  readonly one: CheckOnNode
  readonly view: AssessmentView
  readonly about: NodeView
  readonly catalog: CatalogView
}

const ACCEPTABLE: readonly CheckOnNode['verdict'][] = ['not-satisfied', 'inconclusive', 'not-tested']

/** One check result: verdict, observations, limitations, recommendation, method, risk acceptances. */
export function Claim({ of, node, one, view, about, catalog }: ClaimProps) {
  const [open, setOpen] = useState<'accept' | null>(null)
  const [allow, setAllow] = useState<string | null>(null)
  const { check, finding, verdict } = one
  const weights = weightsOf(check.property === 'isolation' ? about.assessment.isolation : null)
  const sides = ledgerOf(finding?.observations ?? [], catalog.probes, weights)
  const accepted = about.riskAcceptances.filter((exception) => exception.check === check.id)
  const at = view.checks.findIndex(({ id }) => id === check.id)
  const alike = view.rows.filter(({ verdicts }) => verdicts[at] === verdict).map((row) => row.node)
  return (
    <article className="claim" aria-label={check.expected} data-pane tabIndex={-1}>
      <header className="claim-head">
        <VerdictMark verdict={verdict} />
        <h2>{check.expected}</h2>
        <p>{claimSentence(verdict, sides)}</p>
      </header>
      {(accepted.length > 0 || (of === 'run' && ACCEPTABLE.includes(verdict))) && (
        <div className="claim-acceptance">
          <Acceptances exceptions={accepted} of={of} />
          {of === 'run' &&
            ACCEPTABLE.includes(verdict) &&
            !accepted.some(({ standing }) => standing === 'in-force') && (
              <Button small onPress={() => setOpen('accept')}>
                Add risk acceptance…
              </Button>
            )}
        </div>
      )}
      <Ledger sides={sides} of={of} node={node} onAllow={of === 'run' ? setAllow : null} />
      <dl className="claim-notes">
        <div>
          <dt>Limitations</dt>
          <dd>{check.limitations}</dd>
        </div>
        <div>
          <dt>Recommendation</dt>
          <dd>{whatWouldChange(one)}</dd>
        </div>
        <div>
          <dt>Related evidence</dt>
          <dd>
            <UsualDocuments view={view} check={check.id} of={of} />
          </dd>
        </div>
        <div>
          <dt>Method</dt>
          <dd>
            <p>
              Check <span className="mono">{check.id}</span> · catalog {view.catalog.version} · digest{' '}
              <span className="mono source">{view.catalog.digest}</span> · rules engine {view.engine}
            </p>
            {about.assessment.synthetic !== null && <p>{visible(about.assessment.synthetic)}</p>}
            <Recheck of={of} run={view.run} node={node} check={check.id} finding={finding} />
          </dd>
        </div>
      </dl>
      {open === 'accept' && (
        <RiskAcceptanceDialog
          check={check}
          node={node}
          verdict={verdict}
          alike={alike}
          onClose={() => setOpen(null)}
          onDone={() => {
            setOpen(null)
            outdated()
          }}
        />
      )}
      {allow !== null && (
        <AllowDialog
          node={node}
          probe={catalog.probes.find(({ id }) => id === allow) ?? null}
          onClose={() => setAllow(null)}
        />
      )}
    </article>
  )
}
