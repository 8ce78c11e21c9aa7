import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readDocument } from '../main/adapters/declarations/engagement-file.ts'
import { folderOfTests } from './support/folders.ts'

const folder = folderOfTests('declared')

async function refusal(content: string | Uint8Array): Promise<string> {
  const path = join(folder, 'any.yaml')
  writeFileSync(path, content)
  const found = await readDocument('mapping-file', path)
  return found.ok ? 'it was read' : `${found.error.code}: ${found.error.detail.replaceAll(`${folder}/`, '')}`
}

const DEEP = 'input.refused: any.yaml:1:1: the document has too many parts, or is nested too deeply'
test.each<[string, string | Uint8Array, string]>([
  ['brackets', '['.repeat(100_000), DEEP],
  ['braces with keys', `a: ${'{a: '.repeat(50_000)}`, DEEP],
  ['lists of lists', '- '.repeat(100_000), DEEP],
  ['keys below keys', Array.from({ length: 1000 }, (_, at) => `${' '.repeat(at)}a:\n`).join(''), DEEP],
  ['very many parts', '- a: [1,2,3]\n'.repeat(200_000), DEEP],
  ['UTF-16', Buffer.from('\ufeffid: a\n', 'utf16le'), 'input.refused: any.yaml:1:1: not UTF-8 text'],
  ['NUL', 'id: a\0b\n', 'input.refused: any.yaml:1:1: not UTF-8 text'],
  ['one key twice', 'id: a\r\nid: b\r\n', 'input.refused: any.yaml:2:1: Map keys must be unique'],
  ['more than is taken', `id: ${'x'.repeat(8 * 1024 * 1024)}`, 'input.refused: any.yaml is larger than 8 MiB'],
])('a document of %s is refused', async (_, content, problem) => {
  expect(await refusal(content)).toBe(problem)
})

test('a prototype in a document is an unknown field, or nothing', async () => {
  await refusal('"__proto__": { polluted: true }\nid: own\n')
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
})

test('a pipe is never opened, and a folder is no document', async () => {
  execFileSync('mkfifo', [join(folder, 'pipe')])
  for (const [name, problem] of [
    ['pipe', 'is not a regular file'],
    ['.', 'is not a regular file'],
    ['absent', 'could not be read'],
  ] as const) {
    const found = await readDocument('mapping-file', join(folder, name))
    expect(found.ok ? '' : found.error.detail).toMatch(new RegExp(`${problem}$`))
  }
})
