import { useState } from 'react'
import type { RiskAcceptanceView } from '../../schemas/ipc-register.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { signedLine } from '../register-model.ts'
import { go, outdated } from '../store.ts'
import { day, plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { SignEntry } from './SignEntry.tsx'
import { WithdrawDialog } from './WithdrawDialog.tsx'

export const STATUS = {
  'in-force': 'In effect',
  'not-begun': 'Not yet effective',
  expired: 'Expired',
  withdrawn: 'Withdrawn',
} as const

/** "Risk accepted until 1 Mar 2027 · M. Ortiz", or its end. */
function standingLine({ status, expiresAt, owner, withdrawn }: RiskAcceptanceView): string {
  if (status === 'withdrawn')
    return `Withdrawn ${day(withdrawn?.at ?? '')} by ${visible(withdrawn?.by ?? '')}: ${visible(withdrawn?.reason ?? '')}`
  const words = {
    expired: 'Acceptance expired',
    'in-force': 'Risk accepted until',
    'not-begun': 'Not yet effective, until',
  }
  return `${words[status]} ${day(expiresAt)} · ${visible(owner)}`
}

/** Nodes listed by name; the others are counted. */
const MOST_NODES = 8

export const NamedNodes = ({ of, nodes }: { readonly of: Source; readonly nodes: readonly string[] }) => (
  <span className="acceptance-nodes note">
    {nodes.slice(0, MOST_NODES).map((node) => (
      <Button key={node} kind="link" small onPress={() => go({ screen: 'node', of, node })}>
        {visible(node)}
      </Button>
    ))}
    {nodes.length > MOST_NODES && `and ${plural(nodes.length - MOST_NODES, 'more node')}`}
  </span>
)

export interface AcceptancesProps {
  readonly acceptances: readonly RiskAcceptanceView[]
  readonly of: Source
  /** Whether to show the check: where the acceptances concern several checks. */
  readonly withChecks?: boolean
}

/** Risk acceptances with all their fields; they can be withdrawn, except in a pack. */
export function Acceptances({ acceptances: exceptions, of, withChecks = false }: AcceptancesProps) {
  const [withdrawn, setWithdrawn] = useState<RiskAcceptanceView | null>(null)
  return (
    <>
      <ul className="acceptances">
        {exceptions.map((one) => (
          <li key={one.id} className={`acceptance status-${one.status}`}>
            <p className="acceptance-head">
              <span className="accepted-tab">{standingLine(one)}</span>
              {withChecks && <span className="mono">{one.check}</span>}
              <NamedNodes of={of} nodes={one.nodes} />
              {one.status !== 'withdrawn' && of === 'run' && (
                <Button small kind="quiet" onPress={() => setWithdrawn(one)}>
                  Withdraw acceptance
                </Button>
              )}
            </p>
            <dl className="facts">
              <dt>Reason</dt>
              <dd>{visible(one.reason)}</dd>
              <dt>Compensating control</dt>
              <dd>{visible(one.compensatingControl)}</dd>
              <dt>Requested by</dt>
              <dd>{visible(one.requestedBy)}</dd>
              <dt>Approved by</dt>
              <dd>
                {visible(one.approvedBy)}
                {one.approverRole !== undefined && `, ${visible(one.approverRole)}`}, {day(one.acceptedAt)}
              </dd>
              <dt>Signatures</dt>
              <dd>
                {signedLine(one.signatures)}
                {one.status !== 'withdrawn' && of === 'run' && <SignEntry id={one.id} signatures={one.signatures} />}
              </dd>
            </dl>
          </li>
        ))}
      </ul>
      {withdrawn !== null && (
        <WithdrawDialog
          what="acceptance"
          id={withdrawn.id}
          about={`${withdrawn.check}: ${standingLine(withdrawn)}`}
          onClose={() => setWithdrawn(null)}
          onDone={() => {
            setWithdrawn(null)
            outdated()
          }}
        />
      )}
    </>
  )
}
