import { expect, test } from 'vitest'
import { shownOf } from '../main/app/evaluate/finding-views.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { tally } from '../main/core/conclusion/tally.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { limitsPage } from '../main/present/limits-page.ts'
import { FIXTURE_TIME, fixtureRecording } from './support/fixtures.ts'

test('a line about a check or a node states one sentence: no full stop before its colon, and no count of zero', () => {
  const recordings = [fixtureRecording('demo-gpu-01', catalog.probes)]
  const scope = { fleet: 'demo', population: ['demo-gpu-01'], frameworks: ['hipaa', 'soc2'] }
  const assessment = assess({ catalog, scope, recordings, asOf: FIXTURE_TIME })
  const counted = tally(assessment, catalog.checks)
  const presentation = shownOf({ assessment, catalog, register: EMPTY_REGISTER, recordings })
  const groups = limitsPage({
    report: { checks: [] } as never,
    shown: { assessment, catalog, tally: counted, presentation },
  })
  const of = (id: string) => groups.find((group) => group.id === id)?.lines ?? []
  expect(of('checks').length).toBeGreaterThan(3)
  expect(of('checks').filter(({ about }) => about?.endsWith('.') !== false)).toEqual([])
  expect(of('inconclusive').map(({ text }) => text)).toEqual([expect.stringMatching(/^[1-9]\d* inconclusive\.$/)])
})
