import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { severityWords } from '../../schemas/conclusion-words.ts'
import type { FindingRow } from '../../schemas/ipc-findings.ts'
import type { Sample, Worksheet } from '../../schemas/ipc-packs.ts'
import type { AssessmentView, CatalogView, NodeView } from '../../schemas/ipc-results.ts'
import { samplePopulationWords, stratumWords, type WorkState, workStateWords } from '../../schemas/review-words.ts'
import { claimSentence, ledgerOf, weightsOf } from '../models/ledger.ts'
import { plural, visible, when } from '../models/text.ts'
import {
  DECISIONS,
  findingOn,
  firstOpen,
  propertyOf,
  type SampleRow,
  sampleTitle,
  tallyLine,
} from '../models/worksheet-model.ts'
import { useAction } from '../state/actions.ts'
import { both, useAnswer } from '../state/bridge.ts'
import { useSignal } from '../state/shortcuts.ts'
import { announce, go, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { RadioGroup } from '../ui/Choice.tsx'
import { Fact } from '../ui/Fact.tsx'
import { TextArea } from '../ui/Field.tsx'
import { Acceptances } from './Acceptances.tsx'
import { Ask, FailureNote } from './Ask.tsx'
import { ManagementResponse } from './FindingParts.tsx'
import { Ledger } from './Ledger.tsx'
import { VerdictMark } from './Mark.tsx'

interface SampleNavigatorProps {
  readonly rows: readonly SampleRow[]
  readonly sample: Sample
  readonly view: AssessmentView
  readonly onSheet: (sheet: Worksheet) => void
  /** Opens the selection of another sample. */
  readonly change: ReactNode
}

/** The samples side by side: the list, the current one with its evidence, and the decision on it. */
export function SampleNavigator({ rows, sample, view, onSheet, change }: SampleNavigatorProps) {
  const [at, setAt] = useState(() => firstOpen(rows))
  const heading = useRef<HTMLHeadingElement>(null)
  const moved = useRef(false)
  const findings = useAnswer('findings.get', { of: 'pack', node: null })
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
            <Fact key={stratum} term={stratumWords[stratum]} className="number">
              {sampled} of {population}
            </Fact>
          ))}
        </dl>
      )}
    </section>
  )
}

interface SampleDecisionProps {
  readonly row: SampleRow
  readonly isLast: boolean
  readonly onSheet: (sheet: Worksheet) => void
  readonly onNext: () => void
}

/** The auditor’s decision and note on the sample that is shown. A decision is saved at once, a note with the next step. */
function SampleDecision({ row, isLast, onSheet, onNext }: SampleDecisionProps) {
  const { settings } = useStore()
  const { node, check, state, at } = row
  const [note, setNote] = useState(row.note)
  const keep = useAction('review.note')
  const whole = useRef<HTMLDivElement>(null)
  const save = async (decision: WorkState): Promise<boolean> => {
    const sheet = await keep.run({ node, check, state: decision, note: note.trim() })
    if (sheet === null) return false
    onSheet(sheet)
    announce(`Saved: ${workStateWords[decision]}.`)
    return true
  }
  const saveAndNext = async (): Promise<void> => {
    const changed = note.trim() !== row.note
    if (changed && !(await save(state))) return
    if (!isLast) onNext()
  }
  const decide = (place: number) => (): void => {
    const decision = DECISIONS[place]
    if (decision !== undefined) void save(decision)
  }
  useSignal('decide-1', decide(0))
  useSignal('decide-2', decide(1))
  useSignal('decide-3', decide(2))
  useSignal('write-note', () => whole.current?.querySelector('textarea')?.focus())
  useSignal('save-and-next', () => void saveAndNext())
  return (
    <div className="sample-decision" ref={whole}>
      <RadioGroup
        label="Your decision"
        value={state === 'open' ? null : state}
        onChange={(decision) => void save(decision)}
        options={DECISIONS.map((id) => ({ id, title: workStateWords[id] }))}
      />
      <TextArea
        label="Note"
        description="Printed on the worksheet with your name and the time."
        rows={5}
        maxLength={4000}
        isRequired={false}
        value={note}
        onChange={setNote}
      />
      <Button kind="primary" busy={keep.busy} onPress={() => void saveAndNext()}>
        {isLast ? 'Save' : 'Save and next'}
      </Button>
      {keep.error !== null && <FailureNote error={keep.error} />}
      <p className="quiet">{at === null ? 'No decision yet.' : `Saved ${when(at)}.`}</p>
      <p className="quiet">
        {settings.singleKeys && 'Keys: 1, 2, 3 decide, N note, J next, K previous. '}Ctrl Enter saves and continues.
      </p>
    </div>
  )
}

interface SampleFindingProps {
  readonly row: SampleRow
  /** The finding that a deviation belongs to. */
  readonly finding: FindingRow | null
  readonly view: AssessmentView
}

/** One sampled result with its evidence, the first capture open, and what management states about it. */
function SampleFinding({ row, finding, view }: SampleFindingProps) {
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
          <Fact term="Management response">
            <ManagementResponse finding={finding} />
          </Fact>
        )}
        <Fact term="Limitations">{known?.limitations ?? 'This version has no such check.'}</Fact>
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
