import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRecordedNode, readRecordedNode, recordedNodeFile } from '../main/adapters/demo/recorded-node.ts'
import { FIXTURE_NODES, fixtureNames } from './support/fixtures.ts'
import { KEEP_FIXTURES, keepFixture, writeRecordedNode } from './support/keep-fixtures.ts'

// After an edit by hand: KEEP_FIXTURES=1 npx vitest run --project unit test/recorded-node.test.ts
test('each fixture is as its writer writes it', () => {
  const edited = fixtureNames().filter((name) => {
    const { settings, answers } = readRecordedNode(FIXTURE_NODES, name)
    if (KEEP_FIXTURES) keepFixture(name, settings, answers)
    const file = readFileSync(recordedNodeFile(FIXTURE_NODES, name))
    return !file.equals(Buffer.from(writeRecordedNode(settings, answers)))
  })
  expect(edited).toEqual([])
})

const written = (stdout: Uint8Array): string =>
  writeRecordedNode({}, new Map([['a.b/c', { stdout, stderr: new Uint8Array(), exitCode: 0, status: 'done' }]]))
const stdoutOf = (text: string) => parseRecordedNode(text).answers.get('a.b/c')?.stdout
const bytesBack = (stdout: Uint8Array): boolean => Buffer.from(stdoutOf(written(stdout)) ?? []).equals(stdout)

describe('a stream comes back byte for byte', () => {
  test('any bytes', () => fc.assert(fc.property(fc.uint8Array({ size: '+1' }), bytesBack)))
  test('any text', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => bytesBack(Buffer.from(text, 'utf8'))),
    ))
  test('lines that look like the format itself', () => {
    const line = fc.constantFrom('== a.b/d', 'stdout', 'exit 1', '|', '\\', '\\r', '\\x41', '', '\r', 'é', '\0')
    fc.assert(fc.property(fc.array(line), (lines) => bytesBack(Buffer.from(lines.join('\n'), 'utf8'))))
  })

  test.each([
    ['one\ntwo\n', 'stdout\n|one\n|two\n'],
    ['no line feed', 'stdout\n|no line feed\n\\\n'],
    ['\n', 'stdout\n|\n'],
    ['tab\tand \\ and é\n', 'stdout\n|tab\tand \\ and é\n'],
    ['a back\\slash and a return\r\n', 'stdout escaped\n|a back\\\\slash and a return\\r\n'],
    ['a name that is not UTF-8: \xff\n', 'stdout escaped\n|a name that is not UTF-8: \\xff\n'],
    ['\x06\0\0\0\x01', 'stdout hex\n|06 00 00 00 01  .....\n'],
    [
      `${'\0'.repeat(32)}FACP`,
      `stdout hex\n|${Array(16).fill('00').join(' ')} x2  ${'.'.repeat(16)}\n|46 41 43 50  FACP\n`,
    ],
  ])('%j in a form that a reader can check', (text, lines) =>
    expect(written(Buffer.from(text, text.includes('é') ? 'utf8' : 'latin1'))).toBe(`{}\n\n== a.b/c\n${lines}`),
  )
})

test('exit status, state and durations are stated where they differ from the default', () => {
  const answer = { stdout: Buffer.from('a\n'), stderr: Buffer.from('b\n'), exitCode: 127, status: 'no-path' } as const
  const answers = new Map([
    ['a.b/d', { ...answer, seconds: { node: 0.25, collectingComputer: 1 } }],
    ['a.b/c', { ...answer, stdout: new Uint8Array(), stderr: new Uint8Array(), exitCode: 0, status: 'done' as const }],
  ])
  const text = writeRecordedNode({ privilege: 'none' }, answers)
  expect(text).toBe(`{
  "privilege": "none"
}

== a.b/c

== a.b/d
exit 127
status no-path
seconds 0.25 1
stdout
|a
stderr
|b
`)
  expect(parseRecordedNode(text).answers).toEqual(answers)
})

test.each([
  ['no settings', '== a.b/c\n'],
  ['a section that names no capture', '{}\n== a.b\n'],
  ['a capture twice', '{}\n== a.b/c\n== a.b/c\n'],
  ['an unknown word', '{}\n== a.b/c\nstdin\n'],
  ['an unknown form', '{}\n== a.b/c\nstdout base64\n'],
  ['an exit status that is no number', '{}\n== a.b/c\nexit one\n'],
  ['a state that no answered command has', '{}\n== a.b/c\nstatus lost\n'],
  ['one duration', '{}\n== a.b/c\nseconds 1\n'],
  ['lines of no stream', '{}\n== a.b/c\n|a\n'],
  ['lines below an exit status', '{}\n== a.b/c\nexit 1\n|a\n'],
  ['a line without its mark', '{}\n== a.b/c\nstdout\n|a\nb\n'],
  ['text after the end', '{}\n== a.b/c\nstdout\n|a\n\\\n|b\n'],
  ['an unknown escape', '{}\n== a.b/c\nstdout escaped\n|\\q\n'],
  ['a character that has to be escaped', '{}\n== a.b/c\nstdout escaped\n|é\n'],
  ['half a byte', '{}\n== a.b/c\nstdout hex\n|0\n'],
])('refused: %s', (_, text) => expect(() => parseRecordedNode(text)).toThrow())
