import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fileNamed, filePrefix, prefixWithRun } from '../main/core/base/layout.ts'

const of = (organization: string): string => filePrefix({ organization, dates: ['2026-11-22T08:00:00.000Z'] })

test('a file is named by organization, evaluation date and kind', () => {
  expect(fileNamed(of('Acme'), 'report.pdf')).toBe('Acme_2026-11-22_report.pdf')
  expect(filePrefix({ organization: 'Acme Health, Inc.', dates: ['2026-10-01', '2026-12-31'] })).toBe(
    'Acme-Health-Inc_2026-10-01_2026-12-31',
  )
  expect(prefixWithRun(of('Acme'), '20261122t0800z-0ed0')).toBe('Acme_2026-11-22_20261122t0800z-0ed0')
})

test.each([
  ['../../etc/passwd', 'etc-passwd_2026-11-22'],
  ['..', /^organization-[0-9a-f]{8}_2026-11-22$/],
  ['', /^organization-[0-9a-f]{8}_2026-11-22$/],
  ['CON', 'CON_2026-11-22'],
  ['Klinik Süd-Øst GmbH', 'Klinik-Sud-Ost-GmbH_2026-11-22'],
  ['東京病院', /^organization-[0-9a-f]{8}_2026-11-22$/],
  ['Acme 東京', /^Acme-[0-9a-f]{8}_2026-11-22$/],
  ['a\u0000b\nc:d*e?"<>|', 'a-b-c-d-e_2026-11-22'],
  ['x'.repeat(5000), /^x{39}-[0-9a-f]{8}_2026-11-22$/],
])('%j is a safe name', (name, expected) => expect(of(name)).toMatch(expected))

test('every organization and run give a name that every file system keeps', () => {
  const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.string({ maxLength: 200 }), (name, run) => {
      const file = fileNamed(prefixWithRun(of(name), run), 'oscal-assessment-results.json')
      expect(file).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]{0,150}\.json$/)
      expect(file).not.toMatch(DEVICE)
    }),
  )
})

test('names of which nothing remains stay apart', () => expect(of('東京病院')).not.toBe(of('大阪病院')))
