import { describe, expect, test } from 'vitest'
import {
  daysProblem,
  firstPeriod,
  nextSampling,
  type PeriodChoices,
  periodInput,
  periodProblem,
  samplingProblem,
} from '../../renderer/models/period-model.ts'
import { MOST_SAMPLES, type PeriodPlan } from '../../schemas/ipc-periods.ts'
import { POPULATIONS, packSubject } from '../../schemas/period-words.ts'

const plan: PeriodPlan = {
  fleet: 'clinic',
  demo: false,
  runs: 3,
  proposed: { from: '2026-10-01', to: '2026-11-19' },
  latest: '2026-11-19',
  identities: [
    {
      ...{ name: 'chen', kind: 'sealer', subject: 'J. Chen', fingerprint: 'ab'.repeat(32) },
      ...{ notAfter: '2031-01-01T00:00:00Z', keptHow: '', card: '', retired: [] },
    },
  ],
  organization: null,
  authority: null,
}
const sample = { population: 'nodes', size: 5, seed: '20261120' } as const
const choices = (change: Partial<PeriodChoices> = {}): PeriodChoices => ({ ...firstPeriod(plan), ...change })

test('begins with the proposed days and the first identity, without a time-stamp that nothing gives', () => {
  expect(choices()).toMatchObject({ from: '2026-10-01', to: '2026-11-19', identity: 'chen', timestamp: false })
  expect(firstPeriod({ ...plan, proposed: null, authority: 'https://tsa.example' })).toMatchObject({
    from: '',
    to: '',
    timestamp: true,
  })
})

describe('what cannot be sealed', () => {
  test.each([
    [{}, false],
    [{ to: plan.latest }, false],
    [{ from: '' }, true],
    [{ to: '' }, true],
    [{ from: '2026-11-19', to: '2026-11-18' }, true],
    [{ to: '2026-11-20' }, true],
  ])('days %j', (days, isWrong) => {
    expect([daysProblem(choices(days), plan) !== null, periodProblem(choices(days), plan) !== null]).toEqual([
      isWrong,
      isWrong,
    ])
  })
  test.each([
    [sample, false],
    [{ ...sample, size: Number.NaN }, true],
    [{ ...sample, size: 0 }, true],
    [{ ...sample, size: 1.5 }, true],
    [{ ...sample, size: 1e9 }, true],
    [{ ...sample, seed: '  ' }, true],
    [{ ...sample, seed: 'x'.repeat(201) }, true],
  ])('the sample %j', (one, isWrong) => {
    expect(samplingProblem(one) !== null).toBe(isWrong)
    expect(periodProblem(choices({ samples: [one] }), plan) !== null).toBe(isWrong)
  })
  test('a sample that is listed twice, and anything without a signer', () => {
    expect(periodProblem(choices({ samples: [sample, { ...sample, seed: ' 20261120' }] }), plan)).not.toBeNull()
    expect(periodProblem(choices(), { ...plan, identities: [] })).not.toBeNull()
  })
})

test('the input has trimmed seeds, and an identity that is there', () => {
  expect(
    periodInput(choices({ samples: [{ ...sample, seed: ' s ' }], identity: 'gone', timestamp: true }), plan),
  ).toEqual({
    ...{ from: '2026-10-01', to: '2026-11-19', identity: 'chen', timestamp: false },
    samples: [{ ...sample, seed: 's' }],
  })
})

test('further samples take the lists in turn and the seed of the one before, and end', () => {
  const all = [...POPULATIONS].reduce<PeriodChoices['samples']>((drawn) => {
    const next = nextSampling(drawn.map((one) => ({ ...one, seed: 'of the auditor' })))
    return next === null ? drawn : [...drawn, next]
  }, [])
  expect(all.map(({ population }) => population)).toEqual(POPULATIONS)
  expect(all.slice(1).every(({ seed }) => seed === 'of the auditor')).toBe(true)
  expect(nextSampling(Array.from({ length: MOST_SAMPLES }, () => sample))).toBeNull()
})

test.each([
  ['period-2026-10-01-2026-11-19', 'period 2026-10-01 to 2026-11-19'],
  ['20261119t0915z-0001', 'run 20261119t0915z-0001'],
  ['period-x', 'run period-x'],
])('a shared pack of %s', (run, subject) => {
  expect(packSubject(run)).toBe(subject)
})
