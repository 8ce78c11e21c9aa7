import { expect, test } from 'vitest'
import { fixtureNames } from '../support/fixtures.ts'
import { nearness, withEachLost } from './isolation-lost.ts'
import { argue } from './isolation-readings.ts'

const ISOLATION = fixtureNames().filter((name) => /^(demo-|fx-iso-|vm-)/.test(name))

test.each(ISOLATION)('%s: an answer kept from us in any way counts like one that was taken out', (node) => {
  const whole = nearness(argue(node))
  let removed = whole
  for (const [key, way, argument] of withEachLost(node)) {
    // A live test that could not be made was as good as not asked for: hardware is argued without it (livePassed()).
    if (way !== 'removed' && key.startsWith('live.')) continue
    if (way === 'removed') removed = nearness(argument)
    expect(nearness(argument), `${key}, ${way}`).toBeLessThanOrEqual(removed)
    if (argument.environment === 'bare-metal') expect(whole, `${key}, ${way}`).toBe(3)
  }
})
