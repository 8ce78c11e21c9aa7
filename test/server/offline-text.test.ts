import { expect, test } from 'vitest'
import { offlineText } from '../../main/server/edge/services/portal.ts'
import type { SharedPack } from '../../schemas/ipc-portal.ts'

test.each([
  ['20261120t0915z-aaaa', 'Covers: run 20261120t0915z-aaaa'],
  ['period-2026-11-18-2026-11-19', 'Covers: period 2026-11-18 to 2026-11-19'],
  ['period-2026-11-18', 'Covers: run period-2026-11-18'],
])('the instructions for %s state what the pack covers', (run, line) => {
  const shared = { pack: 'a.barewitness.zip', files: [], run, shared: { at: '', by: '' }, isCopy: false }
  expect(offlineText(shared as unknown as SharedPack, 'alpha').split('\n')).toContain(line)
})
