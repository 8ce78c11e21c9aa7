import { describe, expect, test } from 'vitest'
import { sshdConditions } from '../../main/catalog/access/sshd/probes.ts'
import { answer, fact } from '../support/answers.ts'
import { over, stepText, texts, verdict } from '../support/concluded.ts'

const ID = 'access.sshd.connection-limits'

describe('limits of connections to the SSH server', () => {
  test.each([
    [{}, 'satisfied'],
    [{ maxauthtries: '6' }, 'satisfied'],
    [{ maxauthtries: '7' }, 'not-satisfied'],
    [{ maxauthtries: '0' }, 'satisfied'],
    [{ maxsessions: '11' }, 'not-satisfied'],
    [{ maxsessions: '0' }, 'satisfied'],
    [{ logingracetime: '121' }, 'not-satisfied'],
    [{ logingracetime: '0' }, 'not-satisfied'],
    [{ maxauthtries: 'many' }, 'inconclusive'],
    [{ logingracetime: '2m' }, 'inconclusive'],
    [{ maxsessions: '-1' }, 'inconclusive'],
  ])('%j: %s', (settings, expected) => {
    expect(verdict('demo-gpu-01', ID, {}, settings)).toBe(expected)
  })

  test.each([
    [{ clientaliveinterval: '0' }, 'not-satisfied'],
    [{ maxauthtries: '7', logingracetime: '0', maxsessions: '99' }, 'satisfied'],
  ])('are no part of the idle limit: %j', (settings, expected) => {
    expect(verdict('demo-gpu-01', 'access.session-timeout', {}, settings)).toBe(expected)
    expect(verdict('demo-gpu-01', ID, {}, settings)).toBe(expected === 'satisfied' ? 'not-satisfied' : 'satisfied')
  })

  test.each([
    ['MaxAuthTries 6', 'satisfied'],
    ['MaxAuthTries 20', 'not-satisfied'],
    ['MaxSessions 11', 'not-satisfied'],
    ['MaxSessions many', 'inconclusive'],
  ])('in a Match block, %s: %s', (line, expected) => {
    const text = `/etc/ssh/sshd_config:Match User backup\n/etc/ssh/sshd_config:  ${line}\n`
    expect(over(ID, [sshdConditions, sshdConditions.parse({ settings: answer(text) })]).verdict).toBe(expected)
  })

  test('the reason names the setting, its value and the limit', () => {
    expect(texts('demo-gpu-01', ID, {}, { maxauthtries: '7', logingracetime: '0' })).toEqual(
      expect.arrayContaining([
        'contradicts: MaxAuthTries allows 7 attempts per connection (at most 6 attempts).',
        'contradicts: LoginGraceTime is 0: there is no time limit for a login.',
      ]),
    )
    expect(texts('fx-access-match-block', ID)).toContain(
      'contradicts: For connections that match “User legacy”, maxsessions is set to “64”.',
    )
  })

  test('without the Match blocks it is undecided', () => {
    expect(stepText(over(ID, [sshdConditions, { ok: false, reason: 'not collected' }]))).toContain('unclear: ')
    expect(over(ID, [sshdConditions, { ok: false, reason: 'not collected' }]).verdict).toBe('inconclusive')
    expect(fact(sshdConditions.parse({ settings: answer('') })).blocks).toEqual([])
  })
})
