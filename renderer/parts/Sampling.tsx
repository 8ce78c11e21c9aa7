import { useState } from 'react'
import type { PackReview, Worksheet as Sheet } from '../../schemas/ipc-packs.ts'
import type { AssessmentView } from '../../schemas/ipc-results.ts'
import { both, useAnswer } from '../bridge.ts'
import { plural } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { otherLines, sampleRows, seedOf } from '../worksheet-model.ts'
import { Ask } from './Ask.tsx'
import { OtherNotes } from './OtherNotes.tsx'
import { Page } from './Page.tsx'
import { Redraw, type SampleChoices, SampleForm } from './SampleForm.tsx'
import { SampleNavigator } from './SampleNavigator.tsx'
import { SaveWorksheet } from './SaveWorksheet.tsx'

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
      under="Decisions and notes are stored on this computer only. The pack is not changed."
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
