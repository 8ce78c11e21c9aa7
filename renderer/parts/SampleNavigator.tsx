import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Sample, Worksheet } from '../../schemas/ipc-packs.ts'
import type { AssessmentView } from '../../schemas/ipc-results.ts'
import { samplePopulationWords, stratumWords, workStateWords } from '../../schemas/review-words.ts'
import { useAnswer } from '../bridge.ts'
import { useSignal } from '../shortcuts.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { findingOn, firstOpen, type SampleRow, tallyLine } from '../worksheet-model.ts'
import { Ask } from './Ask.tsx'
import { VerdictMark } from './Mark.tsx'
import { SampleDecision } from './SampleDecision.tsx'
import { SampleFinding } from './SampleFinding.tsx'

export interface SampleNavigatorProps {
  readonly rows: readonly SampleRow[]
  readonly sample: Sample
  readonly view: AssessmentView
  readonly onSheet: (sheet: Worksheet) => void
  /** Leads to another selection. */
  readonly change: ReactNode
}

/** The samples beside each other: the list, the current one with its evidence, and the decision on it. */
export function SampleNavigator({ rows, sample, view, onSheet, change }: SampleNavigatorProps) {
  const [at, setAt] = useState(() => firstOpen(rows))
  const heading = useRef<HTMLHeadingElement>(null)
  const moved = useRef(false)
  const findings = useAnswer('review.findings', null)
  const current = rows[at]
  const show = (place: number): void => {
    if (place < 0 || place >= rows.length) return
    moved.current = true
    setAt(place)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: each sample takes the focus, but not the first one shown
  useEffect(() => {
    if (moved.current) heading.current?.focus()
  }, [at])
  useSignal('sample-before', () => show(at - 1))
  useSignal('sample-next', () => show(at + 1))
  if (current === undefined) return <p className="empty">The population has no results.</p>
  return (
    <section aria-labelledby="sample-at" className="samples">
      <header className="samples-head">
        <h2 id="sample-at" ref={heading} tabIndex={-1}>
          Sample {at + 1} of {rows.length}
        </h2>
        <p>
          <span role="status">{tallyLine(rows)}</span> · selected from {plural(sample.population, 'result')} (
          {samplePopulationWords[sample.from].label.toLowerCase()}
          {sample.stratified && `, ${sample.strata.length} strata`}) · seed{' '}
          <span className="mono source">{visible(sample.seed)}</span> · {change}
        </p>
        <div className="actions">
          <Button small icon={IconChevronLeft} isDisabled={at === 0} onPress={() => show(at - 1)}>
            Previous sample
          </Button>
          <Button small icon={IconChevronRight} isDisabled={at === rows.length - 1} onPress={() => show(at + 1)}>
            Next sample
          </Button>
        </div>
      </header>
      <div className="samples-body">
        <nav className="claims-list samples-list" aria-label={plural(rows.length, 'sample')} data-pane tabIndex={-1}>
          <ol>
            {rows.map((row, place) => (
              <li key={`${row.node} ${row.check}`}>
                <button type="button" aria-current={place === at ? 'true' : undefined} onClick={() => show(place)}>
                  <span className="samples-place">
                    <span>Sample {place + 1}</span>
                    <span>{workStateWords[row.state]}</span>
                  </span>
                  <span className="claim-words source">
                    {visible(row.node)} · {visible(row.check)}
                  </span>
                  <VerdictMark verdict={row.verdict} />
                </button>
              </li>
            ))}
          </ol>
        </nav>
        <Ask answer={findings}>
          {(all) => (
            <SampleFinding
              key={`${current.node} ${current.check}`}
              row={current}
              finding={findingOn(all, current)}
              view={view}
            />
          )}
        </Ask>
        <SampleDecision
          key={`${current.node} ${current.check}`}
          row={current}
          isLast={at === rows.length - 1}
          onSheet={onSheet}
          onNext={() => show(at + 1)}
        />
      </div>
      {sample.strata.length > 0 && (
        <dl className="samples-strata">
          {sample.strata.map(({ stratum, population, sampled }) => (
            <div key={stratum}>
              <dt>{stratumWords[stratum]}</dt>
              <dd className="number">
                {sampled} of {population}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}
