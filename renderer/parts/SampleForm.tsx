import { useState } from 'react'
import type { Sample, Worksheet } from '../../schemas/ipc-packs.ts'
import { SAMPLE_POPULATIONS, type SamplePopulation, samplePopulationWords } from '../../schemas/review-words.ts'
import { useAction } from '../actions.ts'
import { announce } from '../store.ts'
import { plural, shellLine, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { NumberField } from '../ui/NumberField.tsx'
import { TextField } from '../ui/TextField.tsx'
import { LARGEST_SAMPLE, sizeFrom } from '../worksheet-model.ts'
import { FailureNote } from './Ask.tsx'

export interface SampleChoices {
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
export function SampleForm({ sizes, sheet, startSeed, onSheet, onCancel }: SampleChoices) {
  const before = sheet?.sample ?? null
  const [auditor, setAuditor] = useState(sheet?.auditor ?? '')
  const [from, setFrom] = useState<SamplePopulation>(before?.from ?? 'deciding')
  const [stratified, setStratified] = useState(before?.stratified ?? true)
  const [size, setSize] = useState(before?.sampled.length ?? Math.min(USUAL_SIZE, Math.max(1, sizes[from])))
  const [seed, setSeed] = useState(before?.seed ?? startSeed)
  const draw = useAction('review.sample')
  const found = sizeFrom(size, sizes[from])
  const run = async (): Promise<void> => {
    if (!found.ok) return
    const drawn = await draw.run({ auditor: auditor.trim(), size: found.size, seed: seed.trim(), from, stratified })
    if (drawn === null) return
    onSheet(drawn)
    announce(`${plural(drawn.sample?.sampled.length ?? 0, 'result')} sampled with seed ${seed.trim()}.`)
  }
  return (
    <section aria-labelledby="draw" className="sample-form">
      <h2 id="draw">Select sample</h2>
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
        <Button kind="primary" busy={draw.busy} isDisabled={!found.ok || seed.trim() === ''} onPress={() => void run()}>
          Select sample
        </Button>
        {onCancel !== null && <Button onPress={onCancel}>Cancel</Button>}
      </div>
      {onCancel !== null && <p className="quiet">A new sample deletes no decision and no note.</p>}
    </section>
  )
}

/** How to select the same sample without Barewitness (AU-C 530: the selection is reproducible). */
export const Redraw = ({ sample: { seed, sampled, from, stratified } }: { readonly sample: Sample }) => (
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
