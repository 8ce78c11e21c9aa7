import { useState } from 'react'
import type { PackReview, Sample, Worksheet as Sheet, Worksheet, WorksheetLine } from '../../schemas/ipc-packs.ts'
import type { AssessmentView } from '../../schemas/ipc-results.ts'
import type { SavedFile } from '../../schemas/ipc-views.ts'
import {
  SAMPLE_POPULATIONS,
  type SamplePopulation,
  samplePopulationWords,
  workStateWords,
} from '../../schemas/review-words.ts'
import { isAuditorPage } from '../models/team.ts'
import { plural, shellLine, visible, when } from '../models/text.ts'
import { LARGEST_SAMPLE, otherLines, propertyOf, sampleRows, seedOf, sizeFrom } from '../models/worksheet-model.ts'
import { useAction } from '../state/actions.ts'
import { both, useAnswer } from '../state/bridge.ts'
import { announce, go } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { TextField } from '../ui/Field.tsx'
import { Menu } from '../ui/Menu.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { NumberField } from '../ui/NumberField.tsx'
import { Ask, FailureNote } from './Ask.tsx'
import { submitOnce } from './FormDialog.tsx'
import { Page } from './Page.tsx'
import { SampleNavigator } from './SampleNavigator.tsx'
import { textColumn, type WholeColumn, WholeTable } from './WholeTable.tsx'

/** The auditor’s work on the pack: results sampled with a printed seed, and decisions stored outside the pack. */
export function Sampling({ review }: { readonly review: PackReview }) {
  const sheet = useAnswer('review.worksheet', null)
  const populations = useAnswer('review.populations', null)
  const [later, setLater] = useState<Sheet | null>(null)
  const { view, report } = review
  const altered = report.checks.some(({ check, outcome }) => check === 'integrity' && outcome === 'failed')
  if (view === null || altered)
    return (
      <Page title="Sampling">
        <EmptyState title={altered ? 'Sampling is not available' : 'No results to sample'}>
          {altered
            ? 'The contents of this pack were altered after sealing. Ask for the original pack.'
            : 'This file contains no readable results.'}
        </EmptyState>
      </Page>
    )
  return (
    <Page
      title="Sampling"
      under={
        isAuditorPage()
          ? 'Decisions and notes are stored on the server in your own folder. No page shows them to officers or other auditors; administrators of the server can read its files.'
          : 'Decisions and notes are stored on this computer only. The pack is not changed.'
      }
      actions={<SaveWorksheet />}
    >
      <Ask answer={both(sheet, populations)}>
        {([before, sizes]) => (
          <Work
            sheet={later ?? before}
            sizes={sizes}
            view={view}
            startSeed={seedOf(report.verifiedAt)}
            onSheet={setLater}
          />
        )}
      </Ask>
    </Page>
  )
}

function Work({
  sheet,
  sizes,
  view,
  startSeed,
  onSheet,
}: {
  readonly sheet: Sheet | null
  readonly sizes: SampleChoices['sizes']
  readonly view: AssessmentView
  readonly startSeed: string
  readonly onSheet: (sheet: Sheet) => void
}) {
  const [choosing, setChoosing] = useState(sheet?.sample == null)
  const rows = sheet === null ? [] : sampleRows(sheet)
  const others = sheet === null ? [] : otherLines(sheet)
  return (
    <>
      {choosing || sheet?.sample == null ? (
        <SampleForm
          sizes={sizes}
          sheet={sheet}
          startSeed={startSeed}
          onSheet={(drawn) => {
            onSheet(drawn)
            setChoosing(false)
          }}
          onCancel={sheet?.sample == null ? null : () => setChoosing(false)}
        />
      ) : (
        <>
          <SampleNavigator
            key={`${sheet.sample.seed} ${sheet.sample.from} ${rows.length}`}
            rows={rows}
            sample={sheet.sample}
            view={view}
            onSheet={onSheet}
            change={
              <Button kind="link" onPress={() => setChoosing(true)}>
                Change sample
              </Button>
            }
          />
          <Redraw sample={sheet.sample} />
        </>
      )}
      {others.length > 0 && (
        <section aria-labelledby="others">
          <h2 id="others">Notes on {plural(others.length, 'other result')}</h2>
          <OtherNotes lines={others} view={view} />
        </section>
      )}
    </>
  )
}

/** Saves the worksheet as a workbook, a PDF document or CSV. */
function SaveWorksheet() {
  const xlsx = useAction('review.save-workbook')
  const pdf = useAction('review.save-worksheet-pdf')
  const csv = useAction('review.save-worksheet')
  const error = xlsx.error ?? pdf.error ?? csv.error
  const save = async (saving: Promise<SavedFile | null>): Promise<void> => {
    const saved = await saving
    if (saved !== null) announce(`Worksheet saved as ${visible(saved.file)}.`)
  }
  return (
    <>
      <Menu
        title="Save worksheet…"
        entries={[
          { id: 'xlsx', title: 'Workbook (XLSX)', onAction: () => void save(xlsx.run(null)) },
          { id: 'pdf', title: 'PDF document', onAction: () => void save(pdf.run(null)) },
          { id: 'csv', title: 'CSV', onAction: () => void save(csv.run(null)) },
        ]}
      />
      {error !== null && <FailureNote error={error} />}
    </>
  )
}

/** Notes outside the current sample. A new sample deletes no note. */
const OtherNotes = ({ lines, view }: { readonly lines: readonly WorksheetLine[]; readonly view: AssessmentView }) => (
  <WholeTable
    table="other-results"
    columns={[
      {
        id: 'result',
        title: 'Result',
        isRowHeader: true,
        cellClass: 'source',
        text: ({ node, check }) => `${check} on ${node}`,
        cell: ({ node, check }) => <Opens node={node} check={check} view={view} />,
      },
      ...NOTE_COLUMNS,
    ]}
    rows={lines}
    keyOf={({ node, check }) => `${node} ${check}`}
  />
)

const NOTE_COLUMNS: readonly WholeColumn<WorksheetLine>[] = [
  textColumn('decision', 'Your decision', ({ state }) => workStateWords[state]),
  textColumn('note', 'Your note', ({ note }) => note, { cellClass: 'source' }),
  { id: 'saved', title: 'Saved', cellClass: 'number', text: ({ at }) => at, cell: ({ at }) => when(at) },
]

/** A result by name, with a link to its details. */
function Opens({
  node,
  check,
  view,
}: {
  readonly node: string
  readonly check: string
  readonly view: AssessmentView
}) {
  const property = propertyOf(view, check)
  const name = `${visible(check)} on ${visible(node)}`
  if (property === null) return <>{name}</>
  return (
    <Button kind="link" onPress={() => go({ screen: 'why', of: 'pack', node, property, check })}>
      {name}
    </Button>
  )
}

interface SampleChoices {
  /** Results of each population. */
  readonly sizes: Readonly<Record<SamplePopulation, number>>
  readonly sheet: Worksheet | null
  readonly startSeed: string
  readonly onSheet: (sheet: Worksheet) => void
  /** Null where there is no sample to go back to. */
  readonly onCancel: (() => void) | null
}

const USUAL_SIZE = 5

/** Population, strata, size and seed of a sample. The seed is printed with it, so that anyone can select the same sample. */
function SampleForm({ sizes, sheet, startSeed, onSheet, onCancel }: SampleChoices) {
  const before = sheet?.sample ?? null
  const [auditor, setAuditor] = useState(sheet?.auditor ?? '')
  const [from, setFrom] = useState<SamplePopulation>(before?.from ?? 'deciding')
  const [stratified, setStratified] = useState(before?.stratified ?? true)
  const [size, setSize] = useState(before?.sampled.length ?? Math.min(USUAL_SIZE, Math.max(1, sizes[from])))
  const [seed, setSeed] = useState(before?.seed ?? startSeed)
  const draw = useAction('review.sample')
  const found = sizeFrom(size, sizes[from])
  const isComplete = found.ok && seed.trim() !== ''
  const run = async (): Promise<void> => {
    if (!found.ok || !isComplete) return
    const drawn = await draw.run({ auditor: auditor.trim(), size: found.size, seed: seed.trim(), from, stratified })
    if (drawn === null) return
    onSheet(drawn)
    announce(`${plural(drawn.sample?.sampled.length ?? 0, 'result')} sampled with seed ${seed.trim()}.`)
  }
  return (
    <section aria-labelledby="draw" className="sample-form">
      <h2 id="draw">Select sample</h2>
      <form className="form" onSubmit={submitOnce(draw, run)} noValidate>
        <RadioGroup
          label="Population"
          value={from}
          onChange={setFrom}
          options={SAMPLE_POPULATIONS.map((id) => ({
            id,
            title: `${samplePopulationWords[id].label} (${sizes[id]})`,
            note: samplePopulationWords[id].note,
          }))}
        />
        <Checkbox
          isSelected={stratified}
          onChange={setStratified}
          note="One from each in turn: not satisfied critical or high, other not satisfied, inconclusive, satisfied."
        >
          Stratify by verdict and severity
        </Checkbox>
        <div className="draw-form">
          <NumberField
            label="Sample size"
            value={size}
            onChange={setSize}
            minValue={1}
            maxValue={Math.max(1, Math.min(LARGEST_SAMPLE, sizes[from]))}
            error={found.ok ? undefined : found.why}
          />
          <TextField
            label="Seed"
            description="The date of this review, or any other text."
            mono
            maxLength={64}
            value={seed}
            onChange={setSeed}
            error={seed.trim() === '' ? 'Enter a seed.' : undefined}
          />
          <TextField
            label="Your name"
            description="Printed on the worksheet."
            maxLength={200}
            isRequired={false}
            value={auditor}
            onChange={setAuditor}
          />
        </div>
        {draw.error !== null && <FailureNote error={draw.error} />}
        <div className="actions">
          <Button kind="primary" type="submit" busy={draw.busy} isDisabled={!isComplete}>
            Select sample
          </Button>
          {onCancel !== null && <Button onPress={onCancel}>Cancel</Button>}
        </div>
      </form>
      {onCancel !== null && <p className="quiet">A new sample deletes no decision and no note.</p>}
    </section>
  )
}

/** How to select the same sample without Barewitness (AU-C 530: the selection is reproducible). */
const Redraw = ({ sample: { seed, sampled, from, stratified } }: { readonly sample: Sample }) => (
  <Disclosure title="Manual reproduction of the sample">
    <div className="prose">
      <ol>
        <li>
          List the population as node and check. {samplePopulationWords[from].label}: {samplePopulationWords[from].note}
        </li>
        <li>
          For each result, compute the SHA-256 of three lines: the seed, the node, the check, without a final line end.
        </li>
        {stratified ? (
          <>
            <li>
              Divide the results into strata: not satisfied with a finding of critical or high severity, other not
              satisfied, inconclusive, satisfied, others. Sort each by digest.
            </li>
            <li>
              Take the first of each stratum in that order, then the second of each, until there are {sampled.length}. A
              stratum without further results is passed over.
            </li>
          </>
        ) : (
          <li>Sort by digest. The first {sampled.length} are the sample, in that order.</li>
        )}
      </ol>
      <p>Positions count in the population, sorted by node, then check.</p>
      <pre className="mono command">printf '%s\n%s\n%s' {visible(shellLine([seed]))} "$node" "$check" | sha256sum</pre>
    </div>
  </Disclosure>
)
