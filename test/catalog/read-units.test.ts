import { describe, expect, test } from 'vitest'
import { readUnits } from '../../main/catalog/base/read-text.ts'
import { answer, fact, reason } from '../support/answers.ts'

const UNITS = ['chronyd', 'auditd'] as const

describe('what systemctl shows of units', () => {
  test('an alias, which has another Id, is known by the name that it was requested by', () => {
    const states = fact(readUnits(answer('Id=chrony.service\nActiveState=active\n\nId=auditd.service\n'), UNITS))
    expect(states.get('chronyd')?.get('ActiveState')).toBe('active')
    expect(states.get('auditd')?.get('Id')).toBe('auditd.service')
  })

  test.each([
    ['a failure', answer('Id=a\n\nId=b\n', { exitCode: 1 }), 'did not respond'],
    ['nothing', answer(''), 'other units'],
    ['one block too few', answer('Id=a\n'), 'other units'],
    ['one block too many', answer('Id=a\n\nId=b\n\nId=c\n'), 'other units'],
  ])('%s is no fact', (_name, units, words) => expect(reason(readUnits(units, UNITS))).toContain(words))
})
