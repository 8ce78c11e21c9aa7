import type { Notice } from '../../main/core/ports/notice.ts'

/** What someone may be told. */
export const NOTICE: Notice = {
  schema: 'barewitness.notice/1',
  id: 'ab'.repeat(16),
  schedule: 'nightly',
  fleet: 'clinic',
  at: '2026-03-02T02:10:00.000Z',
  run: '20260302t0200z-1f3a',
  due: '2026-03-02T02:00:00.000Z',
  summary: '1 change since the previous run: 1 of 1 declared nodes collected; deviations without a risk acceptance: 1.',
  changes: ['Contradicted, and accepted by nobody: No password opens a shell. On gpu-1.'],
  counts: { declared: 1, answered: 1, contradicted: 1 },
}
