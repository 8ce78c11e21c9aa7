import { expect, test } from 'vitest'
import { settingsWords } from '../../renderer/models/settings-model.ts'

const textOf = (onServer: boolean): string => Object.values(settingsWords(onServer)).join(' ')

test('on a team server, no sentence is about the computer of the reader', () => {
  expect(textOf(false)).toContain('this computer')
  expect(textOf(false)).not.toContain('server')
  expect(textOf(true)).not.toMatch(/this computer|your account|your nodes/)
  for (const words of Object.values(settingsWords(true))) expect(words).toMatch(/server/)
})

test('where nothing but the digest of a seal is sent is stated of a computer alone', () => {
  expect(settingsWords(false).sent).toContain('Nothing else is sent')
  // A schedule names receivers of its own.
  for (const text of [settingsWords(false).sent, settingsWords(false).contacts]) expect(text).toMatch(/schedule/)
  expect(settingsWords(true).sent).not.toContain('Nothing else')
})
