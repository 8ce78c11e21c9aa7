import { expect, test } from 'vitest'
import { acceptanceLacks, EMPTY_ACCEPTANCE } from '../../renderer/parts/Acceptances.tsx'

const WHOLE = {
  reason: 'Replaced in May.',
  compensatingControl: 'None: the port is closed.',
  owner: 'M. Ortiz',
  requestedBy: 'J. Chen',
  approvedBy: 'M. Ortiz',
  approverRole: 'Security officer',
}

test('an acceptance states everything, a request all but its approval', () => {
  expect(Object.keys(acceptanceLacks(EMPTY_ACCEPTANCE, true))).toEqual(Object.keys(EMPTY_ACCEPTANCE))
  expect(acceptanceLacks(WHOLE, true)).toEqual({})
  const asked = { ...WHOLE, approvedBy: '', approverRole: '' }
  expect(acceptanceLacks(asked, false)).toEqual({})
  expect(Object.keys(acceptanceLacks(asked, true))).toEqual(['approvedBy', 'approverRole'])
})

test('blanks are no reason', () => {
  expect(Object.keys(acceptanceLacks({ ...WHOLE, reason: ' ab ', compensatingControl: '   ' }, true))).toEqual([
    'reason',
    'compensatingControl',
  ])
})
