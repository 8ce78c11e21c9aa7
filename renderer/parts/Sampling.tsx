import { IconDeviceFloppy } from '@tabler/icons-react'
import { useState } from 'react'
import type { PackReview, Worksheet as Sheet } from '../../schemas/ipc-packs.ts'
import type { AssessmentView } from '../../schemas/ipc-results.ts'
import { useAction } from '../actions.ts'
import { useAnswer } from '../bridge.ts'
import { announce } from '../store.ts'
import { plural, shellLine, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { NumberField } from '../ui/NumberField.tsx'
import { TextField } from '../ui/TextField.tsx'
import { LARGEST_SAMPLE, otherLines, sampleRows, seedOf, sizeFrom, tallyLine } from '../worksheet-model.ts'
import { Ask, FailureNote } from './Ask.tsx'
import { Page } from './Page.tsx'
import { OtherNotes, SampleTable } from './SampleTable.tsx'

/** The auditor’s work on the pack: results sampled with a printed seed, and notes stored outside the pack. */
export function Sampling({ review }: { readonly review: PackReview }) {
  const sheet = useAnswer('review.worksheet', null)
  const [later, setLater] = useState<Sheet | null>(null)
  const save = useAction('review.save-worksheet')
  const { view } = review
  if (view === null)
    return (
      <Page title="Sampling">
        <EmptyState title="No results to sample">This file contains no readable results.</EmptyState>
      </Page>
    )
  const saveSheet = async (): Promise<void> => {
    const saved = await save.run(null)
    if (saved !== null) announce(`Worksheet saved as ${visible(saved.file)}.`)
  }
  return (
    <Page
      title="Sampling"
      under="Your notes are stored on this computer only. The pack is not changed."
      actions={
        <Button icon={IconDeviceFloppy} busy={save.busy} onPress={() => void saveSheet()}>
          Save worksheet
        </Button>
      }
    >
      {save.error !== null && <FailureNote error={save.error} />}
      <Ask answer={sheet}>
        {(before) => (
          <Work
            sheet={later ?? before}
            stated={review.verdicts.stated}
            view={view}
            startSeed={seedOf(review.report.verifiedAt)}
            onSheet={setLater}
          />
        )}
      </Ask>
    </Page>
  )
}

function Work({
  sheet,
  stated,
  view,
  startSeed,
  onSheet,
}: {
  readonly sheet: Sheet | null
  /** Number of results in the pack. */
  readonly stated: number
  readonly view: AssessmentView
  readonly startSeed: string
  readonly onSheet: (sheet: Sheet) => void
}) {
  const drawn = sheet?.sample ?? null
  const rows = sheet === null ? [] : sampleRows(sheet)
  const others = sheet === null ? [] : otherLines(sheet)
  return (
    <>
      <Draw
        population={drawn?.population ?? stated}
        view={view}
        startSize={drawn?.sampled.length ?? Math.min(5, stated)}
        startSeed={drawn?.seed ?? startSeed}
        onSheet={onSheet}
      />
      {drawn === null ? (
        <EmptyState title="No sample yet">Sampled results are listed here with your decisions and notes.</EmptyState>
      ) : (
        <section aria-labelledby="drawn">
          <h2 id="drawn">
            Sample of {rows.length}, seed <span className="mono">{visible(drawn.seed)}</span>
          </h2>
          <p role="status">{tallyLine(rows)}</p>
          <SampleTable rows={rows} view={view} onSheet={onSheet} />
          <Redraw seed={drawn.seed} size={rows.length} />
        </section>
      )}
      {others.length > 0 && (
        <section aria-labelledby="others">
          <h2 id="others">Notes on other results</h2>
          <OtherNotes lines={others} view={view} />
        </section>
      )}
    </>
  )
}

/** Sample size and seed. The seed is printed with the sample, so that anyone can select the same sample. */
function Draw({
  population,
  view,
  startSize,
  startSeed,
  onSheet,
}: {
  readonly population: number
  readonly view: AssessmentView
  readonly startSize: number
  readonly startSeed: string
  readonly onSheet: (sheet: Sheet) => void
}) {
  const [size, setSize] = useState(startSize)
  const [seed, setSeed] = useState(startSeed)
  const draw = useAction('review.sample')
  const found = sizeFrom(size, population)
  const run = async (): Promise<void> => {
    if (!found.ok) return
    const sheet = await draw.run({ size: found.size, seed: seed.trim() })
    if (sheet === null) return
    onSheet(sheet)
    announce(`${plural(sheet.sample?.sampled.length ?? 0, 'result')} sampled with seed ${seed.trim()}.`)
  }
  return (
    <section aria-labelledby="draw">
      <h2 id="draw">Select sample</h2>
      <p>
        Population: {plural(population, 'result')} from {plural(view.rows.length, 'node')} and{' '}
        {plural(view.checks.length, 'check')}.
      </p>
      <div className="draw-form">
        <NumberField
          label="Sample size"
          value={size}
          onChange={setSize}
          minValue={1}
          maxValue={Math.max(1, Math.min(LARGEST_SAMPLE, population))}
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
        <Button kind="primary" busy={draw.busy} isDisabled={!found.ok || seed.trim() === ''} onPress={() => void run()}>
          Select sample
        </Button>
      </div>
      {draw.error !== null && <FailureNote error={draw.error} />}
    </section>
  )
}

/** How to select the same sample without Barewitness (AU-C 530: the selection is reproducible). */
const Redraw = ({ seed, size }: { readonly seed: string; readonly size: number }) => (
  <Disclosure title="Manual reproduction of the sample">
    <div className="prose">
      <ol>
        <li>List every result of the pack as node and check.</li>
        <li>
          For each result, compute the SHA-256 of three lines: the seed, the node, the check, without a final line end.
        </li>
        <li>Sort by digest. The first {size} are the sample, in that order.</li>
      </ol>
      <p>The selection does not depend on verdicts. “Position” counts in the list by node, then check.</p>
      <pre className="mono command">printf '%s\n%s\n%s' {visible(shellLine([seed]))} "$node" "$check" | sha256sum</pre>
    </div>
  </Disclosure>
)
