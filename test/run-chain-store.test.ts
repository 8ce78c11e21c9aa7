import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openRunChain } from '../main/adapters/run-chain.ts'
import { rootOf, sha256 } from '../main/core/base/digest.ts'
import { entryLine, type LoggedEntry, leafOf, type OpenRunChain } from '../main/core/run-chain/entry.ts'
import { bundled } from './support/bundled.ts'
import { testUnless } from './support/needing.ts'
import { must } from './support/outcomes.ts'

const ID = 'ab'.repeat(32)
const FRESH = { id: ID, fleet: 'clinic' }

let folder = ''
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'barewitness-chain-')), 'chain')
})
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }))

const runNamed = (run: string): LoggedEntry => ({
  entry: {
    kind: 'run',
    run,
    at: '2026-03-01T06:00:00.000Z',
    fleet: 'clinic',
    nodes: sha256('nodes'),
    tagManifest: sha256(run),
    signer: sha256('key'),
  },
  signature: null,
})
const gap: LoggedEntry = {
  entry: {
    kind: 'gap',
    due: '2026-03-02T06:00:00.000Z',
    at: '2026-03-02T07:00:00.000Z',
    fleet: 'clinic',
    why: 'the jump host was down\nall day',
    signer: sha256('key'),
  },
  signature: 'c2lnbmF0dXJl',
}

async function opened(patience?: number): Promise<OpenRunChain> {
  return must(await openRunChain(folder, FRESH, patience))
}

async function add(...entries: readonly LoggedEntry[]): Promise<void> {
  const chain = await opened()
  for (const entry of entries) expect(await chain.append(entry)).toMatchObject({ ok: true })
  await chain.close()
}

async function entriesNow(): Promise<readonly LoggedEntry[]> {
  const chain = await opened()
  await chain.close()
  return chain.chain().entries
}

const file = (name: string): string => join(folder, name)
const text = (name: string): Promise<string> => readFile(file(name), 'utf8')
const refusal = async (code: string, detail: string): Promise<void> => {
  const outcome = await openRunChain(folder, FRESH)
  if (outcome.ok) await outcome.value.close()
  expect(outcome).toEqual({ ok: false, error: { code, detail: expect.stringContaining(detail) } })
}

const locks = async (): Promise<readonly string[]> => (await readdir(folder)).filter((name) => name.startsWith('lock.'))

describe('a chain on the disk', () => {
  test('is begun, added to, and read again', async () => {
    await add(runNamed('r1'), gap)
    expect((await readdir(folder)).sort()).toEqual(['chain.json', 'entries.jsonl', 'head.json'])
    expect(await text('chain.json')).toBe(`{"fleet":"clinic","id":"${ID}","schema":"barewitness.run-chain/1"}\n`)
    expect(await text('entries.jsonl')).toBe(entryLine(runNamed('r1')) + entryLine(gap))
    const root = rootOf([runNamed('r1'), gap].map(({ entry }) => leafOf(entry)))
    expect(await text('head.json')).toBe(`{"root":"${root}","size":2}\n`)
    await add(runNamed('r2'))
    expect(await entriesNow()).toEqual([runNamed('r1'), gap, runNamed('r2')])
  })

  test('keeps its id, whatever is offered later', async () => {
    await add(runNamed('r1'))
    const again = must(await openRunChain(folder, { ...FRESH, id: 'cd'.repeat(32) }))
    expect(again.chain().id).toBe(ID)
    await again.close()
  })

  test('is of one fleet', async () => {
    await add(runNamed('r1'))
    expect(await openRunChain(folder, { ...FRESH, fleet: 'other' })).toEqual({
      ok: false,
      error: { code: 'input.refused', detail: 'the chain is of fleet “clinic”, not of “other”' },
    })
    expect(await locks()).toEqual([])
  })

  test.each([{ id: 'short' }, { id: ID.toUpperCase() }, { fleet: '' }])('is not begun with %j', async (changes) => {
    expect(await openRunChain(folder, { ...FRESH, ...changes })).toMatchObject({ error: { code: 'input.refused' } })
  })

  test('refuses what is no entry of it, and goes on', async () => {
    const chain = await opened()
    const { entry } = runNamed('r1')
    const refused = { ok: false, error: { code: 'input.refused' } }
    expect(await chain.append({ entry: { ...entry, fleet: 'other' }, signature: null } as LoggedEntry)).toMatchObject(
      refused,
    )
    expect(await chain.append({ entry: { ...entry, at: 'now' }, signature: null } as LoggedEntry)).toMatchObject(
      refused,
    )
    expect(await chain.append({ ...gap, signature: 'no base64!' } as LoggedEntry)).toMatchObject(refused)
    expect(await chain.append(runNamed('r1'))).toMatchObject({ ok: true })
    expect(await chain.append(runNamed('r1'))).toMatchObject({ error: { detail: 'this pack is already in the chain' } })
    expect(await chain.append(gap)).toMatchObject({ ok: true, value: { entries: [runNamed('r1'), gap] } })
    await chain.close()
    expect(await chain.append(runNamed('r2'))).toMatchObject({ error: { code: 'store.failed' } })
    expect(await entriesNow()).toEqual([runNamed('r1'), gap])
  })

  test('takes entries in the order in which they were handed over, all at once or not', async () => {
    const chain = await opened()
    const names = Array.from({ length: 30 }, (_, index) => `r${index}`)
    await Promise.all(names.map((name) => chain.append(runNamed(name))))
    await chain.close()
    expect(await entriesNow()).toEqual(names.map(runNamed))
  })

  test('a line without its end was never acknowledged, and is cut', async () => {
    await add(runNamed('r1'))
    const whole = await text('entries.jsonl')
    for (const torn of [entryLine(gap).slice(0, -1), '{"ent', '\0\0\0\0', 'ü'.repeat(40_000)]) {
      await writeFile(file('entries.jsonl'), whole + torn)
      expect(await entriesNow()).toEqual([runNamed('r1')])
      expect(await text('entries.jsonl')).toBe(whole)
    }
  })

  test('a whole line that the head does not count yet is an entry', async () => {
    await add(runNamed('r1'))
    await writeFile(file('entries.jsonl'), (await text('entries.jsonl')) + entryLine(gap))
    expect(await entriesNow()).toEqual([runNamed('r1'), gap])
    expect(await text('head.json')).toContain('"size":2')
  })

  test('a beginning that was cut short is made whole', async () => {
    await opened().then((chain) => chain.close())
    await rm(file('head.json'))
    expect(await entriesNow()).toEqual([])
    await rm(file('head.json'))
    await rm(file('chain.json'))
    expect(await entriesNow()).toEqual([])
    expect(await text('chain.json')).toContain(ID)
  })

  test.each([
    ['no beginning', 'chain.json', null, 'chain.json is missing'],
    ['another beginning', 'chain.json', '{}', 'chain.json is missing or is not the start of a run chain'],
    ['no entries', 'entries.jsonl', null, 'entries.jsonl is missing'],
    ['all entries gone', 'entries.jsonl', '', 'entries.jsonl does not start with the entries that head.json counts'],
    ['the last entry gone', 'entries.jsonl', entryLine(runNamed('r1')), 'head.json counts'],
    ['an entry replaced', 'entries.jsonl', entryLine(runNamed('r9')) + entryLine(gap), 'head.json counts'],
    [
      'an acknowledged line without its end',
      'entries.jsonl',
      (entryLine(runNamed('r1')) + entryLine(gap)).trim(),
      'head.json',
    ],
    [
      'a line that is none',
      'entries.jsonl',
      `${entryLine(runNamed('r1'))}\n${entryLine(gap)}`,
      'entries.jsonl:2 is not',
    ],
    ['another fleet', 'entries.jsonl', entryLine(gap).replace('clinic', 'other'), 'entries.jsonl:1 is not'],
    ['no head', 'head.json', null, 'head.json counts'],
    ['a broken head', 'head.json', '{"size":', 'head.json counts'],
    ['a head of nothing', 'head.json', '{"root":"","size":0}', 'head.json counts'],
  ])('never restarted: %s', async (_, name, content, detail) => {
    await add(runNamed('r1'), gap)
    if (content === null) await rm(file(name))
    else await writeFile(file(name), content)
    const before = await Promise.all((await readdir(folder)).map(async (one) => [one, await text(one)]))
    await refusal('chain.broken', detail)
    await refusal('chain.broken', detail)
    expect(await Promise.all((await readdir(folder)).map(async (one) => [one, await text(one)]))).toEqual(before)
  })

  test('after a failure to write nothing more is written until the chain is opened again', async () => {
    await add(runNamed('r1'))
    const chain = await opened()
    const before = await text('entries.jsonl')
    await rm(file('entries.jsonl'))
    await mkdir(file('entries.jsonl'))
    expect(await chain.append(gap)).toMatchObject({ error: { code: 'store.failed' } })
    await rmdir(file('entries.jsonl'))
    await writeFile(file('entries.jsonl'), before)
    expect(await chain.append(gap)).toMatchObject({ error: { code: 'store.failed' } })
    await chain.close()
    expect(await entriesNow()).toEqual([runNamed('r1')])
  })

  test('a folder that cannot be used is reported', async () => {
    await writeFile(folder, 'a file')
    await refusal('store.failed', 'EEXIST')
  })
})

describe('one at a time', () => {
  let made: Awaited<ReturnType<typeof bundled>>
  beforeAll(async () => {
    made = await bundled('append-to-chain.ts')
  })
  afterAll(() => rmSync(made.folder, { recursive: true }))

  /** Lets a child add runs; gives the names that it said are there. Killed after so many milliseconds, when given. */
  const child = (count: string, killedAfter?: number): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      const running = spawn(process.execPath, [made.program, folder, count], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let said = ''
      running.stdout.on('data', (chunk) => {
        if (said === '' && killedAfter !== undefined) setTimeout(() => running.kill('SIGKILL'), killedAfter)
        said += String(chunk)
      })
      running.once('close', (code) => {
        if (killedAfter === undefined && code !== 0) reject(new Error(`left with ${code}`))
        else resolve(said.split('\n').slice(0, -1))
      })
    })
  const namesNow = async (): Promise<readonly string[]> =>
    (await entriesNow()).flatMap(({ entry }) => (entry.kind === 'run' ? [entry.run] : []))

  test('a second caller waits, and gives up when its time is over', async () => {
    const first = await opened()
    const refused = await openRunChain(folder, FRESH, 100)
    expect(refused).toMatchObject({ error: { code: 'store.failed', detail: expect.stringContaining('lock.') } })
    const second = opened(10_000)
    await first.append(runNamed('r1'))
    await first.close()
    expect((await second).chain().entries).toEqual([runNamed('r1')])
    await (await second).close()
    expect(await locks()).toEqual([])
  })

  test('four processes at once: every entry once, and the chain whole', { timeout: 120_000 }, async () => {
    const said = await Promise.all([child('12'), child('12'), child('12'), child('12')])
    const names = await namesNow()
    expect(new Set(names).size).toBe(48)
    expect([...names].sort()).toEqual(said.flat().sort())
    for (const own of said) expect(names.filter((name) => own.includes(name))).toEqual(own)
    expect(await locks()).toEqual([])
  })

  test('killed while adding: what was reported as added is there, and the lock is taken over', {
    timeout: 120_000,
  }, async () => {
    const said: string[] = []
    for (let round = 0; round < 6; round += 1) {
      const both = await Promise.all([child('Infinity', Math.random() * 200), child('Infinity', Math.random() * 200)])
      said.push(...both.flat())
      const names = await namesNow()
      expect(said.filter((name) => !names.includes(name))).toEqual([])
      expect(new Set(names).size).toBe(names.length)
    }
    expect(await locks()).toEqual([])
  })

  const host = sha256(hostname()).slice(0, 8)
  const lockOf = async (name: string): Promise<void> => {
    await opened().then((chain) => chain.close())
    await writeFile(file(name), '')
  }

  test('the lock of a process that is gone is taken over', async () => {
    await lockOf(`lock.${host}.4194999.12-00000000.0000000000000000`)
    expect(await openRunChain(folder, FRESH, 0).then(({ ok }) => ok)).toBe(true)
  })

  const noProc = process.platform === 'linux' ? null : 'no /proc here'
  testUnless(noProc, 'so is that of an earlier process of the same number', async () => {
    await lockOf(`lock.${host}.${process.pid}.1-00000000.0000000000000000`)
    expect(await openRunChain(folder, FRESH, 0).then(({ ok }) => ok)).toBe(true)
  })

  test('that of another computer is not, since its state is unknown here', async () => {
    await lockOf('lock.00000000.4194999.12-00000000.0000000000000000')
    await refusalAtOnce('lock.00000000.4194999.12-00000000.0000000000000000')
  })

  const refusalAtOnce = async (holder: string): Promise<void> =>
    expect(await openRunChain(folder, FRESH, 0)).toMatchObject({
      error: { code: 'store.failed', detail: expect.stringContaining(holder) },
    })
})
