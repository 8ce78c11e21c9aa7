import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { COUNTS } from '../../main/catalog/single-tenancy/isolation/levels.ts'
import { SIGNALS } from '../../main/catalog/single-tenancy/isolation/signals.ts'
import { assessCase } from '../support/corpus/assess.ts'
import { countSignals } from '../support/corpus/counts.ts'
import { defaultCorpus, hasLabels, readCorpus } from '../support/corpus/labels.ts'
import { acceptanceOf, reasonsText, wrongOnes } from '../support/corpus/matrix.ts'

/** Labelled captures of real machines that live outside this repository. */
const DIR = defaultCorpus(fileURLToPath(new URL('../..', import.meta.url)))

describe.skipIf(!hasLabels(DIR))('the labelled captures of real machines (skipped where the corpus is absent)', () => {
  const corpus = hasLabels(DIR) ? readCorpus(DIR) : { cases: [], missing: [] }
  const assessed = corpus.cases.map(assessCase)

  test('every label has its folder, and nearly every folder answers a question of the catalog', () => {
    expect(corpus.missing).toEqual([])
    expect(assessed.length).toBeGreaterThan(100)
    expect(assessed.filter(({ read }) => read === 0).length).toBeLessThan(assessed.length * 0.05)
  })

  test('are decided correctly or left undecided', () => {
    expect(wrongOnes(assessed).map(reasonsText)).toEqual([])
  })

  test('meet what is expected of them', () => {
    expect(acceptanceOf(assessed).filter(({ holds }) => !holds)).toEqual([])
  })

  test('every guest that was captured in full is found, however it was dressed', () => {
    const whole = assessed.filter(({ truth, scope }) => truth === 'vm' && scope === 'full')
    expect(whole.map(({ name, environment }) => [name, environment])).toEqual(
      whole.map(({ name }) => [name, 'virtual-machine']),
    )
  })

  test('are what the weights of the catalog were counted over', () => {
    expect(COUNTS).toEqual(Object.fromEntries(countSignals(assessed, SIGNALS)))
  })
})
