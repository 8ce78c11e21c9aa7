import { describe, expect, test } from 'vitest'
import { end, OUTCOMES } from '../../main/catalog/data-protection/disk-encryption/graph.ts'
import { argueRoots } from '../../main/catalog/data-protection/disk-encryption/roots.ts'

describe('the argument about stored data', () => {
  test('only memory and a read, sound layer support; only a drive without a layer contradicts', () => {
    const says = OUTCOMES.map((outcome) => [
      outcome,
      argueRoots([{ name: 'x', walked: end(outcome, 'why') }])[0]?.direction,
    ])
    expect(Object.fromEntries(says)).toEqual({
      volatile: 'supports',
      encrypted: 'supports',
      'encrypted-weak': 'unclear',
      'layer-present-cipher-unverified': 'unclear',
      'external-unverified': 'unclear',
      unknown: 'unclear',
      'encrypted-broken': 'contradicts',
      exposed: 'contradicts',
    })
  })

  test('roots that go the same way share a step, worst first', () => {
    const drive = (point: string) => ({ name: `“${point}”`, walked: end('exposed', 'open', [point, 'sda']) })
    const memory = { name: '“/run”', walked: end('volatile', 'in memory') }
    expect(argueRoots([memory, drive('/b'), drive('/a')]).map(({ text }) => text)).toEqual([
      '“/a”, “/b”: open. Path: /a → sda.',
      '“/run”: in memory.',
    ])
  })

  test('a flood of separate ways is summed up, and keeps its worst word', () => {
    const roots = Array.from({ length: 5000 }, (_, at) => ({
      name: `${at}`,
      walked: end('exposed', 'open', ['m', `sd${at}`]),
    }))
    const steps = argueRoots(roots)
    expect(steps).toHaveLength(201)
    expect(steps.at(-1)).toMatchObject({ direction: 'contradicts', text: expect.stringMatching(/^4800 more ways/) })
  })
})
