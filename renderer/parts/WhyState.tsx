import { useState } from 'react'
import { rowStateWords } from '../../schemas/conclusion-words.ts'
import type { ControlRow, FrameworkView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { useAnswer } from '../bridge.ts'
import { stateOf } from '../control-tree.ts'
import { useKept } from '../kept.ts'
import { decisionChoices, decisionsFor, stateReasons } from '../register-model.ts'
import { outdated, useStore } from '../store.ts'
import { Button } from '../ui/Button.tsx'
import { Ask } from './Ask.tsx'
import { DecisionDialog } from './DecisionDialog.tsx'
import { Decisions } from './Decisions.tsx'

export interface WhyStateProps {
  readonly of: Source
  readonly frame: FrameworkView
  readonly row: ControlRow
}

/** Basis of a conclusion, how the control is counted, and its decisions. */
export function WhyState({ of, frame, row }: WhyStateProps) {
  const { runs } = useStore()
  const register = useKept(useAnswer('register.get', { of }, runs), of)
  const [decides, setDecides] = useState(false)
  return (
    <section aria-labelledby="why-state">
      <h2 id="why-state">Basis and decisions</h2>
      <Ask answer={register}>
        {(said) => {
          const reasons = stateReasons(row, said)
          const counted = rowStateWords[stateOf(row)]
          const decisions = decisionsFor(said, frame.id, row.key)
          const addressable = decisionChoices(row).length > 1
          const undecided = addressable && !decisions.some(({ standing }) => standing === 'in-force')
          return (
            <>
              <ul className="plain-list state-reasons">
                {reasons.map((reason) => (
                  <li key={reason}>{reason}</li>
                ))}
                {reasons.length === 0 && <li>This run has no conclusion for this control.</li>}
                <li>
                  Counted as “{counted.label}”. {counted.meaning}
                </li>
                {undecided && (
                  <li>
                    This specification is addressable, and no control decision is in effect. Addressable does not mean
                    optional.
                  </li>
                )}
              </ul>
              {decisions.length > 0 && <h3>Decisions</h3>}
              <Decisions decisions={decisions} of={of} rowName={null} />
              {of === 'run' && (
                <p>
                  <Button small onPress={() => setDecides(true)}>
                    {addressable ? 'Add control decision…' : 'Document non-applicability…'}
                  </Button>
                </p>
              )}
            </>
          )
        }}
      </Ask>
      {decides && (
        <DecisionDialog
          framework={frame.id}
          control={row}
          onClose={() => setDecides(false)}
          onDone={() => {
            setDecides(false)
            outdated()
          }}
        />
      )}
    </section>
  )
}
