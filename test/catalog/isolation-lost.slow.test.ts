import { expect, test } from 'vitest'
import { fixtureNames } from '../support/fixtures.ts'
import { withEachLost } from './isolation-lost.ts'
import { argue } from './isolation-readings.ts'

const ISOLATION = fixtureNames().filter((name) => /^(demo-|fx-iso-|vm-)/.test(name))

test.each(ISOLATION)('%s: no answer can be kept from us, in any way, so that the answer becomes hardware', (node) => {
  const { layer: whole } = argue(node)
  if (whole === 'metal') return
  for (const [key, way, { layer }] of withEachLost(node)) expect(layer, `${key}, ${way}`).not.toBe('metal')
})
