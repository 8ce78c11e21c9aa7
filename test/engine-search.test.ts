import { expect, test } from 'vitest'
import type { SEARCH_GROUPS } from '../schemas/ipc-views.ts'
import { kitsOfEachTest } from './support/engine-kit.ts'

const { kitOver } = kitsOfEachTest()

test('there is nothing to find before a run', async () => {
  const kit = await kitOver()
  expect(await kit.get('search.index', { of: 'run' })).toEqual([])
  expect(await kit.get('search.index', { of: 'pack' })).toEqual([])
})

test('findings, checks, controls and evidence requests each have a reference and a place that exists', async () => {
  const kit = await kitOver()
  await kit.get('demo.open', null)
  await kit.heard('run-done')
  const entries = await kit.get('search.index', { of: 'run' })
  const view = await kit.get('assessment.get', { of: 'run' })
  if (view === null) throw new Error('there is no run')
  const of = (group: (typeof SEARCH_GROUPS)[number]) => entries.filter((one) => one.group === group)
  expect(of('Checks').map(({ reference }) => reference)).toEqual(view.checks.map(({ id }) => id))
  expect(of('Evidence requests')).toHaveLength(view.requests.length)
  expect(of('Controls')).toHaveLength(view.frameworks.reduce((sum, { controls }) => sum + controls.length, 0))
  expect(of('Findings').length).toBeGreaterThan(0)
  for (const { reference, to } of of('Findings')) {
    expect(reference).toMatch(/^F-[0-9A-F]{6}$/)
    if (to.is !== 'result') continue
    const results = (await kit.get('node.get', { of: 'run', node: to.node }))?.assessment.results
    expect(results?.find(({ check }) => check === to.check)?.verdict).toBe('not-satisfied')
  }
  expect(new Set(entries.map(({ group, reference, title }) => `${group} ${reference} ${title}`)).size).toBe(
    entries.length,
  )
})
