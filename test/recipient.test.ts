import { expect, test } from 'vitest'
import { describedKinds, describedPeriodKinds, periodRecipientNote, recipientNote } from '../main/present/recipient.ts'
import { BANNED } from '../schemas/words.ts'
import { formatSample } from './support/format-sample.ts'
import { samplePeriodInput } from './support/report/period-sample.ts'

const input = formatSample()
const note = recipientNote(input)

test('the note for the recipient is one page of plain text', () => {
  const lines = note.split('\n')
  expect(lines.length).toBeLessThanOrEqual(66)
  expect(lines.filter((line) => line.length > 102)).toEqual([])
  for (const banned of BANNED) expect(note).not.toMatch(banned)
})

test('it names pack, signer, digest and every kind of file, and states that demo data is no evidence', () => {
  for (const text of [input.packName, input.evidenceDigest, input.signer?.fingerprint ?? '', 'Demo data'])
    expect(note).toContain(text)
  for (const kind of describedKinds()) expect(note).toContain(kind === 'README.txt' ? 'FILES' : kind)
})

test('the same pack gives the same bytes, whatever the names of its files begin with', () => {
  expect(recipientNote({ ...input, prefix: 'Other_2026-11-21' })).toBe(note)
})

test('a hostile name changes no line of it', () => {
  const fleet = 'a\nSIGNER: trusted\u202e'
  const scope = { ...input.assessment.scope, fleet }
  const hostile = recipientNote({ ...input, packName: 'x\n\u001b[2J.zip', assessment: { ...input.assessment, scope } })
  expect(hostile).not.toMatch(/\n *SIGNER: trusted/)
  expect(hostile).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
})

test('the note of a period is one page, and names pack, signer, digest, days and every kind of file', () => {
  const { period, packName, evidenceDigest, signer } = samplePeriodInput()
  const own = periodRecipientNote(period, { demo: true, packName, evidenceDigest, signer })
  const lines = own.split('\n')
  expect(lines.length).toBeLessThanOrEqual(66)
  expect(lines.filter((line) => line.length > 102)).toEqual([])
  for (const banned of BANNED) expect(own).not.toMatch(banned)
  for (const text of [packName, evidenceDigest, signer?.fingerprint ?? '', period.from, period.to, 'Demo data'])
    expect(own).toContain(text)
  for (const kind of describedPeriodKinds()) expect(own).toContain(kind === 'README.txt' ? 'FILES' : kind)
})
