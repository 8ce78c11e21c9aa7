import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FAILURE_CODES, nextInWindow, nextOnServer } from '../schemas/failure-words.ts'
import schema from '../schemas/fleet.schema.json' with { type: 'json' }
import { peopleTexts } from './support/people-text.ts'

/** Members of the fleet file with a name that is no word: in a text, they ask for an edit of the file. */
const MEMBERS = [...Object.keys(schema.properties), ...Object.keys(schema.$defs.FleetNode.properties)].filter((name) =>
  /[a-z][A-Z]/.test(name),
)

/** What would send a person at the window to an editor or to a terminal. */
const ELSEWHERE: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['an option of the command line', /(?:^|[\s“(])--[a-z][a-z-]+/],
  ['a command of the command line', /\bbarewitness [a-z]+|“(?:run|collect) --/],
  ['the command line', /\b(?:on|use|open) the command line\b|\bin a terminal\b|\brun the command\b/i],
  ['a file of the program', /\b(?:fleet|settings|engagement|register)\.(?:json|ya?ml)\b/],
  ['an edit of a file', /\b(?:edit|hand-edit|correct|amend|change)\b[^.“”]{0,30}\b(?:file|line|yaml|json)\b/i],
  ['a member of the fleet file', new RegExp(`\\b(?:${MEMBERS.join('|')})\\b`)],
]
const found = (text: string): readonly string[] =>
  ELSEWHERE.flatMap(([what, pattern]) => (pattern.test(text) ? [`${what}: ${text.trim().slice(0, 160)}`] : []))

/** Files whose texts the window shows as they are. Failures are asked for below, since the command line has its own next step. */
const shown = [
  ...readdirSync('renderer', { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:tsx?|html)$/.test(path))
    .map((path) => `renderer/${path}`),
  ...readdirSync('schemas')
    .filter((file) => /words\.ts$/.test(file) && file !== 'failure-words.ts')
    .map((file) => `schemas/${file}`),
  ...readdirSync('main/verify/steps').map((file) => `main/verify/steps/${file}`),
  ...readdirSync('main/adapters/importers').map((file) => `main/adapters/importers/${file}`),
  'main/app/collect/credentials.ts',
  'main/app/engine/declared/declaration-methods.ts',
  'main/app/engine/declared/fleet-file-methods.ts',
  'main/core/fleet/fleet.ts',
]

describe('no text of the window asks for an edit of a file or for an option', () => {
  test.each(shown)('%s', (file) => {
    const texts = peopleTexts(file, readFileSync(file, 'utf8'))
    expect(texts.flatMap(({ text }) => found(text))).toEqual([])
  })

  test.each(FAILURE_CODES)('the next step of %s', (code) => {
    for (const next of [nextInWindow(code), nextOnServer(code)]) {
      expect(next.length).toBeGreaterThan(10)
      expect(found(next)).toEqual([])
    }
  })

  test('texts are read, and what must not be there is recognized', () => {
    const count = shown.reduce((sum, file) => sum + peopleTexts(file, readFileSync(file, 'utf8')).length, 0)
    expect(count).toBeGreaterThan(1000)
    for (const text of [
      'Name a file with --passphrase-file.',
      'On the command line, this prints a sudoers file',
      'barewitness acceptance sign',
      'This window stores its fleet in fleet.json in its application data folder; close the window before you edit it.',
      'Correct the line shown, or restore the latest copy.',
      'Set identityFile, or load a key into an SSH agent.',
      'Run in a terminal and enter the passphrase.',
      'Resume with “run --resume”.',
    ])
      expect(found(text).length, text).toBeGreaterThan(0)
  })
})
