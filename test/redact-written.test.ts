import { describe, expect, test } from 'vitest'
import { redact } from '../main/core/collector/redact.ts'

/** As `eachMasked`, of text in UTF-8, as nodes print it; the marker of any class may stand in the place of a secret. */
function eachHidden(rows: readonly string[]): void {
  test.each(rows)('%s', (row) => {
    const masked = (text: string): string => Buffer.from(redact(Buffer.from(text)).bytes).toString()
    const once = masked(row.replaceAll(/[«»]/g, ''))
    const parts = row.split(/«[^»]*»/)
    const shown = once.split(/\[redacted:[a-z-]+\]/)
    expect(shown).toEqual(parts)
    expect(masked(once)).toBe(once)
  })
}

// The second byte of à, Š, Р and 堠 in UTF-8 is 0xA0, a blank of Latin-1 that no program of a node takes for one.
describe('passwords with letters outside of ASCII', () => {
  eachHidden([
    'mysql -p«voilà-hunter2» db',
    'tool --password «Šéhunter2» x',
    'DB_PASSWORD=«voilàhunter2» tool',
    'password="«à la carte»" x',
    'passphrase: «Россия-hunter2» x',
    'curl -u svc:«à-hunter2» host',
    `https:${'//'}«svc:à-hunter2»@host/x`,
    `https:${'//'}svc:«à/hunter2»@host/x`,
    'Authorization: Bearer «àhunter2hunter2» x',
    'login svc password «堠hunter2» x',
    'setenv LICENCE=«à hunter2»',
    'data UUID=0b8f7a3d «à-hunter2» luks',
    'sshpass -p "«voilà hunter2»" ssh host',
  ])
  test('other bytes stay as they are, also 0xA0', () => {
    const text = 'à token=x Š\n'
    expect(Buffer.from(redact(Buffer.from(text)).bytes).toString()).toBe('à token=[redacted:password] Š\n')
  })
})
