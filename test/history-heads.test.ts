import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { openHistoryStore } from '../main/adapters/store/history-store.ts'
import { validator } from './support/deps.ts'
import { keepingKit } from './support/keeping-kit.ts'
import { must } from './support/outcomes.ts'

const kit = keepingKit()
const { names, run } = kit
let folder = ''
const heads = (): string => join(folder, 'heads.jsonl')
beforeEach(async () => {
  folder = join(kit.root(), 'history')
  await run('run-1', '2026-11-19T10:00:00.000Z')
  await run('run-2', '2026-11-20T10:00:00.000Z')
  await names()
})

const listed = async () => must(await must(await openHistoryStore(kit.root(), validator)).list())

/** Digests of the kept runs. */
const kept = (): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}`,
    )

const overwrite = (from: number, to: number): void => writeFileSync(heads(), readFileSync(heads()).fill(0xa5, from, to))

describe('what saves reading the kept runs', () => {
  test('is taken for a file that has not changed', async () => {
    writeFileSync(heads(), readFileSync(heads(), 'utf8').replaceAll('"declared":2', '"declared":77'))
    expect((await listed()).map(({ declared }) => declared)).toEqual([77, 77])
  })

  test('is not taken for a file that has changed, or that another was put in the place of', async () => {
    const before = await listed()
    writeFileSync(heads(), readFileSync(heads(), 'utf8').replaceAll('"declared":2', '"declared":77'))
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.json'))) {
      const bytes = readFileSync(join(folder, name))
      rmSync(join(folder, name))
      writeFileSync(join(folder, name), bytes)
    }
    expect(await listed()).toEqual(before)
  })

  test.each<[string, () => void]>([
    ['is missing', () => rmSync(heads())],
    ['is empty', () => truncateSync(heads(), 0)],
    ['is cut within its last line', () => truncateSync(heads(), statSync(heads()).size - 40)],
    ['has damage in the middle', () => overwrite(100, 300)],
    ['is all damaged', () => overwrite(0, statSync(heads()).size)],
    ['holds other bytes', () => writeFileSync(heads(), 'something else'.repeat(500))],
    [
      'holds lines of another version',
      () => writeFileSync(heads(), `${readFileSync(heads(), 'utf8').replaceAll('"demo"', '"demonstration"')}`),
    ],
    ['is not UTF-8', () => writeFileSync(heads(), Buffer.from([0xff, 0xfe, 0x0a, 0xc3]))],
  ])('that %s is made anew; the runs are the same and untouched', async (_, damage) => {
    const whole = readFileSync(heads(), 'utf8')
    const before = { runs: await listed(), kept: kept() }
    damage()
    expect({ runs: await listed(), kept: kept() }).toEqual(before)
    expect(readFileSync(heads(), 'utf8')).toBe(whole)
  })

  test('that cannot be written keeps no list from being had', async () => {
    const before = await listed()
    rmSync(heads())
    mkdirSync(heads())
    expect(await listed()).toEqual(before)
    expect(readdirSync(folder).filter((name) => name.includes('.part-'))).toEqual([])
  })

  test('never states about a seal what the name of the file does not', async () => {
    const before = await listed()
    writeFileSync(heads(), readFileSync(heads(), 'utf8').replaceAll('"run":"run-1"', '"run":"run-9"'))
    expect(await listed()).toEqual(before)
  })

  test('holds no line of a run that is gone', async () => {
    const [first = ''] = readdirSync(folder).filter((name) => name.startsWith('run-1.'))
    rmSync(join(folder, first))
    expect(await names()).toEqual(['run-2'])
    expect(readFileSync(heads(), 'utf8').split('\n')).toHaveLength(2)
  })

  test('is read by its owner alone', () => {
    expect(statSync(heads()).mode & 0o777).toBe(0o600)
  })

  test('whatever bytes it holds, the list is that of the files', async () => {
    const before = await listed()
    const line = readFileSync(heads(), 'utf8').split('\n')[0] ?? ''
    const part = fc.oneof(
      fc.json(),
      fc.string(),
      fc.constantFrom(line.slice(0, 50), '{"file":"x","stamp":"y","head":{}}', '\n'),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(part), async (parts) => {
        writeFileSync(heads(), parts.join('\n'))
        expect(await listed()).toEqual(before)
      }),
      { numRuns: 50 },
    )
  })
})

test('a run whose file was put there by hand is listed; where its name is another run’s, the list is refused', async () => {
  const [name = ''] = readdirSync(folder).filter((one) => one.startsWith('run-1.'))
  const text = readFileSync(join(folder, name), 'utf8')
  writeFileSync(join(folder, name.replace('run-1', 'run-0')), text.replaceAll('"run":"run-1"', '"run":"run-0"'))
  expect([...(await names())].sort()).toEqual(['run-0', 'run-1', 'run-2'])
  writeFileSync(join(folder, name.replace('run-1', 'run-0')), text)
  expect(await must(await openHistoryStore(kit.root(), validator)).list()).toMatchObject({
    error: { code: 'store.failed' },
  })
})

test('an index that an earlier version left stays unread', async () => {
  for (const place of [folder, join(kit.root(), 'evidence')]) {
    writeFileSync(join(place, 'index.db'), 'SQLite format 3\0')
  }
  expect(await names()).toEqual(['run-1', 'run-2'])
  const store = must(await kit.ports.openStore(join(kit.root(), 'evidence')))
  expect(await store.runs()).toEqual({ ok: true, value: ['run-1', 'run-2'] })
})
