import { describe, expect, test } from 'vitest'
import { dayReached, monthsOf } from '../../renderer/models/history-calendar.ts'
import { answeredFigure } from '../../renderer/models/history-figure.ts'
import {
  DAY_STATES,
  dayOutcome,
  daySentence,
  dayState,
  dayStateWords,
  historyLine,
  spanWords,
  startPair,
  windowProblem,
  withoutWords,
} from '../../renderer/models/history-model.ts'
import type { HistoryDay, HistoryRun } from '../../schemas/ipc-history.ts'

const NONE: HistoryDay = {
  day: '2026-05-04',
  planned: 0,
  completed: 0,
  late: 0,
  recorded: 0,
  unrecorded: 0,
  unplanned: 0,
  declared: 0,
  answered: 0,
  sealed: 0,
  collected: 0,
  awaited: 0,
}

const TODAY = '2026-05-20'
const day = (part: Partial<HistoryDay>): HistoryDay => ({ ...NONE, ...part })
const whole = day({ planned: 1, completed: 1, sealed: 1, declared: 12, answered: 12 })

describe('what a day shows', () => {
  test.each([
    ['to-come', day({ day: '2026-05-21', unrecorded: 1 })],
    ['nothing', NONE],
    ['awaited', day({ awaited: 1 })],
    ['whole', whole],
    ['part', day({ ...whole, answered: 11 })],
    ['late', day({ ...whole, late: 1 })],
    ['silent', day({ ...whole, answered: 0 })],
    ['recorded', day({ planned: 1, recorded: 1 })],
    ['unrecorded', day({ planned: 1, unrecorded: 1 })],
    // A missed run takes precedence over collected evidence.
    ['unrecorded', day({ ...whole, planned: 2, unrecorded: 1, recorded: 1 })],
    ['collected', day({ collected: 1, declared: 12, answered: 12 })],
    ['silent', day({ collected: 1, declared: 12 })],
    ['moved', day({ planned: 1, completed: 1 })],
  ] as const)('%s', (state, one) => {
    expect(dayState(one, TODAY)).toBe(state)
  })

  test('only a sealed run is ever shown as one', () => {
    for (const collected of [1, 2])
      expect(dayState(day({ collected, declared: 3, answered: 3, completed: 1, planned: 1 }), TODAY)).toBe('collected')
  })

  test('no two kinds of days share a mark with each other’s meaning', () => {
    const marks = DAY_STATES.map((state) => `${dayStateWords[state].mark} ${dayStateWords[state].short}`)
    expect(new Set(marks).size).toBe(DAY_STATES.length)
  })

  test('is read as a sentence with its counts', () => {
    expect(daySentence(day({ ...whole, answered: 11, late: 1 }), TODAY)).toBe(
      '4 May 2026: Late. 11 of 12 nodes collected, 1 of 1 scheduled run took place, 1 late.',
    )
    expect(daySentence(NONE, TODAY)).toBe('4 May 2026: No run.')
    // Below a heading that has the day, it is not repeated.
    expect(dayOutcome(NONE, TODAY)).toBe('No run.')
  })
})

describe('the calendar', () => {
  test('weeks begin on Monday, and months have what is in the window', () => {
    const days = ['2026-05-30', '2026-05-31', '2026-06-01', '2026-06-02'].map((one) => day({ day: one }))
    expect(
      monthsOf(days).map(({ title, weeks }) => [title, weeks.map((week) => week.map((one) => one?.day ?? null))]),
    ).toEqual([
      ['May 2026', [[null, null, null, null, null, '2026-05-30', '2026-05-31']]],
      ['June 2026', [['2026-06-01', '2026-06-02', null, null, null, null, null]]],
    ])
  })

  test.each([
    ['2026-05-04', 'ArrowRight', '2026-05-05'],
    ['2026-05-04', 'ArrowUp', '2026-05-04'],
    ['2026-05-11', 'ArrowUp', '2026-05-04'],
    ['2026-05-31', 'ArrowDown', '2026-06-07'],
    ['2026-05-06', 'Home', '2026-05-04'],
    ['2026-05-06', 'End', '2026-05-10'],
    ['2026-05-31', 'PageDown', '2026-06-10'],
    ['2026-05-20', 'PageUp', '2026-05-02'],
    ['2026-05-04', 'x', '2026-05-04'],
  ])('from %s by %s to %s', (from, key, to) => {
    expect(dayReached(from, key, { from: '2026-05-02', to: '2026-06-10' })).toBe(to)
  })
})

describe('words', () => {
  test('spans without evidence', () => {
    expect(spanWords({ from: '2026-05-03', to: '2026-05-09' })).toBe('3–9 May 2026')
    expect(spanWords({ from: '2026-04-28', to: '2026-05-02' })).toBe('28 Apr – 2 May 2026')
    expect(spanWords({ from: '2026-12-31', to: '2027-01-01' })).toBe('31 Dec 2026 – 1 Jan 2027')
    expect(spanWords({ from: '2026-05-03', to: '2026-05-03' })).toBe('3 May 2026')
    expect(withoutWords([])).toBeNull()
    expect(withoutWords([{ from: '2026-05-03', to: '2026-05-09', days: 7 }])).toBe('No evidence 3–9 May 2026.')
  })

  test('the heading counts with denominators, and names missed runs', () => {
    const counts = { planned: 7, completed: 5, late: 1, recorded: 1, unrecorded: 1, unplanned: 0, days: 7, daysWith: 5 }
    const missed = { schedule: 'nightly', due: '2026-05-04T02:00:00.000Z', cadence: '' }
    expect(historyLine({ counts, unrecorded: [missed], recordedMisses: [], awaited: [] })).toBe(
      'Evidence on 5 of 7\u00a0days. 5 of 7 scheduled runs took place, 1 of them late. 1 missed, unexplained.',
    )
  })

  test('a window has an order and an end', () => {
    expect(windowProblem('2026-05-01', '2026-04-30')).toBe('The start date is after the end date.')
    expect(windowProblem('', '2026-04-30')).toBe('Enter both dates.')
    expect(windowProblem('2025-01-01', '2026-02-04')).toBeNull()
    expect(windowProblem('2025-01-01', '2026-02-05')).toBe('Choose at most 400\u00a0days.')
  })
})

test('the comparison begins with the newest run and the baseline, or the one before', () => {
  const run = (name: string, part: Partial<HistoryRun> = {}): HistoryRun => ({
    run: name,
    at: '2026-05-04T02:00:00.000Z',
    declared: 1,
    answered: 1,
    seal: 'sealed',
    schedule: null,
    comparable: true,
    baseline: false,
    ...part,
  })
  expect(startPair([run('c'), run('b'), run('a')])).toEqual({ before: 'b', after: 'c' })
  expect(startPair([run('c'), run('b'), run('a', { baseline: true })])).toEqual({ before: 'a', after: 'c' })
  expect(startPair([run('c', { comparable: false }), run('b'), run('a')])).toEqual({ before: 'a', after: 'b' })
  expect(startPair([run('c')])).toBeNull()
})

test('the chart has a row for each day that shows something, as its bars do', () => {
  const figure = answeredFigure(
    [whole, day({ day: '2026-05-05' }), day({ day: '2026-05-06', unrecorded: 1, planned: 1 })],
    TODAY,
  )
  expect(figure.table.rows).toEqual([
    ['4 May 2026', '12', '12', 'All nodes collected'],
    ['6 May 2026', '0', '0', 'Missed, unexplained'],
  ])
  expect(figure.marks.filter((mark) => mark.is === 'box')).toHaveLength(3)
  const missed = 'scheduled run missed, unexplained'
  expect(figure.legend.map(({ text }) => text)).toEqual(['collected', 'declared', missed])
  expect(answeredFigure([whole], TODAY).legend.map(({ text }) => text)).toEqual(['collected', 'declared'])
})
