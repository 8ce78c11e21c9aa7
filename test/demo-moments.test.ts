import { describe, expect, test } from 'vitest'
import { movedAnswers, movedText } from '../main/adapters/demo/moments.ts'
import { fixtureAnswers, fixtureNames, fixtureSettings } from './support/fixtures.ts'

const DAY = 86_400
const DEMO = fixtureNames().filter((name) => name.startsWith('demo-'))

describe('moments in the answers of demo nodes', () => {
  const MOVED: readonly (readonly [string, string])[] = [
    ['Fri Nov 20 09:11:58 2026   still logged in', 'Fri Jan  1 09:11:58 2027   still logged in'],
    ['Thu Nov 19 14:02:11 +0000 2026', 'Thu Dec 31 14:02:11 +0000 2026'],
    ['Nov 13 09:02:11 : bwaudit', 'Dec 25 09:02:11 : bwaudit'],
    ['LastTriggerUSec=Fri 2026-11-20 03:17:41 UTC', 'LastTriggerUSec=Fri 2027-01-01 03:17:41 UTC'],
    ['LAST-LOGIN="2026-11-19T14:02:11+00:00"', 'LAST-LOGIN="2026-12-31T14:02:11+00:00"'],
    ['2026-11-20 08:41 (198.51.100.21)', '2027-01-01 08:41 (198.51.100.21)'],
    ['1795165890.123456789,-0.000021134', '1798794690.123456789,-0.000021134'],
    ['1795165332123456', '1798794132123456'],
    ['(65b6dd39d3a40)', '(65ebab8f2fa40)'],
  ]
  test.each(MOVED)('%s is %s 42 days later', (before, after) => {
    expect(movedText(before, 42 * DAY)).toBe(after)
  })

  test.each(['1934402881', '"data_units_read": 17951658', '570.172.08', '12026-11-20', '0.1795165890'])(
    '%s is no moment of these years',
    (text) => expect(movedText(text, 42 * DAY)).toBe(text),
  )

  test.each(DEMO)('%s states when it was recorded, and moves there and back to the same bytes', (name) => {
    expect(Date.parse(fixtureSettings(name).recordedAt ?? '')).toBeGreaterThan(0)
    const answers = fixtureAnswers(name)
    const back = movedAnswers(movedAnswers(answers, 30 * DAY + 61 * 60), -30 * DAY - 61 * 60)
    expect([...back.keys()]).toEqual([...answers.keys()])
    for (const [key, { stdout }] of answers)
      expect(Buffer.from(back.get(key)?.stdout ?? []).equals(stdout), key).toBe(true)
  })

  test.each(DEMO)('%s has its clock and its logins moved, and what it keeps left', (name) => {
    const [before, after] = [fixtureAnswers(name), movedAnswers(fixtureAnswers(name), DAY)]
    const text = (of: typeof before, key: string) => Buffer.from(of.get(key)?.stdout ?? []).toString()
    expect(text(after, 'time.now/now')).toContain(String(Number(text(before, 'time.now/now').slice(0, 10)) + DAY))
    for (const key of ['storage.birth/born', 'ssh.host-keys/dates', 'accounts.password-state/states'])
      expect(text(after, key)).toBe(text(before, key))
  })
})
