import { useState } from 'react'
import type { DecisionView } from '../../schemas/ipc-register.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { decisionWords, statusWords } from '../../schemas/words.ts'
import { signedLine } from '../models/register-model.ts'
import { day, visible } from '../models/text.ts'
import { go } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Fact } from '../ui/Fact.tsx'
import { NoSegregation } from './Acceptances.tsx'
import { SignEntry } from './SignEntry.tsx'
import { WithdrawDialog } from './WithdrawDialog.tsx'

interface DecisionsProps {
  readonly decisions: readonly DecisionView[]
  readonly of: Source
  /** The name of the control; null on the page of the control itself. */
  readonly rowName: ((decision: DecisionView) => string) | null
}

/** Control decisions with all their fields; they can be withdrawn, except in a pack. */
export function Decisions({ decisions, of, rowName }: DecisionsProps) {
  const [withdrawn, setWithdrawn] = useState<DecisionView | null>(null)
  return (
    <>
      <ul className="acceptances">
        {decisions.map((one) => (
          <li key={one.id} className={`acceptance status-${one.status}`}>
            <p className="acceptance-head">
              <span className="accepted-tab">
                {decisionWords[one.decision]} · {statusWords[one.status]}, until {day(one.expiresAt)}
              </span>
              {rowName !== null && (
                <Button
                  kind="link"
                  small
                  onPress={() => go({ screen: 'control', of, framework: one.framework, key: one.control })}
                >
                  {rowName(one)}
                </Button>
              )}
              {one.status !== 'withdrawn' && of === 'run' && (
                <Button small kind="quiet" onPress={() => setWithdrawn(one)}>
                  Withdraw decision
                </Button>
              )}
            </p>
            <dl className="facts">
              <Fact term="Reason">{visible(one.reason)}</Fact>
              <Optional label="Factors considered" text={one.factors} />
              <Optional label="Equivalent alternative measure" text={one.alternativeMeasure} />
              <Optional label="Risk analysis" text={one.riskAnalysis} />
              <Fact term="Owner">{visible(one.owner)}</Fact>
              <Fact term="Requested by">{visible(one.requestedBy)}</Fact>
              <Fact term="Approved by">
                {visible(one.approvedBy)}, {visible(one.approverRole)}, {day(one.decidedAt)}
                <NoSegregation of={one} />
              </Fact>
              <Fact term="Signatures">
                {signedLine(one.signatures)}
                {one.status !== 'withdrawn' && of === 'run' && <SignEntry id={one.id} signatures={one.signatures} />}
              </Fact>
              {one.withdrawn !== null && (
                <Fact term="Withdrawn">
                  {visible(one.withdrawn.by)}, {day(one.withdrawn.at)}: {visible(one.withdrawn.reason)}
                </Fact>
              )}
            </dl>
          </li>
        ))}
      </ul>
      {withdrawn !== null && (
        <WithdrawDialog
          what="decision"
          id={withdrawn.id}
          about={`${decisionWords[withdrawn.decision]}: ${visible(withdrawn.reason)}`}
          onClose={() => setWithdrawn(null)}
        />
      )}
    </>
  )
}

const Optional = ({ label, text }: { readonly label: string; readonly text: string | null }) =>
  text === null ? null : <Fact term={label}>{visible(text)}</Fact>
