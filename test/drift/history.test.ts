import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { appendSigned, nameBaseline } from '../../main/app/history/append-signed.ts'
import { driftBetween, flipsBetween } from '../../main/app/history/drift.ts'
import { historyCommand } from '../../main/cli/commands/history.ts'
import { detailLines } from '../../main/cli/parts/drift-text.ts'
import { ok } from '../../main/core/base/failure.ts'
import { chainFolderOf } from '../../main/core/base/layout.ts'
import { baselineIn } from '../../main/core/drift/explain.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import { commandLine } from '../support/command-line.ts'
import { folderOfTest } from '../support/folders.ts'
import { collected, exported, FLEET, packOf, portsAt } from '../support/kept-runs.ts'
import { must } from '../support/outcomes.ts'
import { sampleCatalog, sampleSigner } from '../support/sample-pack.ts'

const time = { now: '2026-11-20T10:00:00.000Z' }
const ports = portsAt(time)
let keys = ''
let root = ''
let signer: Signer
const secret = (): string => join(keys, 'passphrase')

beforeAll(async () => {
  keys = mkdtempSync(join(tmpdir(), 'bw-drift-keys-'))
  signer = await sampleSigner(keys, 'keeper')
  writeFileSync(secret(), 'correct horse battery', { mode: 0o600 })
  must(
    await ports.identities.create({
      folder: join(keys, 'own'),
      name: 'ours',
      subject: 'Clinic',
      passphrase: 'correct horse battery',
    }),
  )
})
afterAll(() => rmSync(keys, { recursive: true, force: true }))
beforeEach(() => {
  root = folderOfTest('drift')
})

async function sealed(name: string, now: string): Promise<void> {
  time.now = now
  await collected(ports, root, name)
  await exported(ports, root, name, signer)
}

const cli = commandLine(() => ports, historyCommand)
const history = (...argv: readonly string[]): Promise<number> => cli.run('history', ...argv)
const name = (run: string, why = 'as delivered') =>
  nameBaseline(ports, {
    fleet: FLEET,
    run,
    why,
    chainFolder: chainFolderOf(root, FLEET),
    openSigner: async () => ok(signer),
  })
const between = (before: string, after: string) => driftBetween(ports, sampleCatalog, { root, before, after })

describe('runs that are compared', () => {
  test('kept ones, in words and by id; nothing differs', async () => {
    await sealed('run-1', '2026-11-20T10:00:00.000Z')
    expect(await between('before', 'latest')).toMatchObject({ error: { code: 'input.not-found' } })
    await sealed('run-2', '2026-11-21T10:00:00.000Z')
    const found = must(await between('before', 'latest'))
    expect(found.runs.map(({ trace, from }) => [trace.run, from])).toEqual([
      ['run-1', 'sealed'],
      ['run-2', 'sealed'],
    ])
    expect(found.drift).toMatchObject({ evidence: [], rules: [], scope: [], flips: [], compared: 2, unchanged: 2 })
    expect(await between('run-1', 'run-9')).toMatchObject({ error: { code: 'input.not-found' } })
    expect(await between('../run-1', 'run-2')).toMatchObject({ error: { code: 'input.not-found' } })
  })
  test('collected and never exported: found without a name, and reported as such', async () => {
    await collected(ports, root, 'run-1')
    await collected(ports, root, 'run-2')
    const found = must(await between('before', 'latest'))
    expect(found.runs.map(({ trace, from }) => [trace.run, from])).toEqual([
      ['run-1', 'evidence'],
      ['run-2', 'evidence'],
    ])
    expect(must(await flipsBetween(ports, sampleCatalog, root, found, 'node-a'))).toEqual({ flips: [], undeclared: [] })
  })
  test('a pack that is gone: what was declared is reported as unknown', async () => {
    await sealed('run-1', '2026-11-20T10:00:00.000Z')
    await sealed('run-2', '2026-11-21T10:00:00.000Z')
    const found = must(await between('run-1', 'run-2'))
    expect(must(await flipsBetween(ports, sampleCatalog, root, found, 'node-a')).undeclared).toEqual([])
    rmSync(packOf(root, 'run-1'))
    const taken = must(await flipsBetween(ports, sampleCatalog, root, found, 'node-a'))
    expect(taken.undeclared).toEqual(['run-1'])
    expect(detailLines(taken).join('\n')).toMatch(/declarations of run-1 are unavailable.*not declared in both runs/)
  })
})

describe('the baseline', () => {
  test('is what was recorded last; without words, and for unknown runs, nothing is recorded', async () => {
    await sealed('run-1', '2026-11-20T10:00:00.000Z')
    await sealed('run-2', '2026-11-21T10:00:00.000Z')
    expect(await between('baseline', 'latest')).toMatchObject({ error: { code: 'input.not-found' } })
    for (const refused of [await name('run-1', ' '), await name('run-9'), await name('run-1', 'x'.repeat(1001))])
      expect(refused).toMatchObject({ error: { code: 'input.refused' } })
    expect(baselineIn({ entries: [] })).toBe(null)
    expect(baselineIn(must(await name('run-1')))).toMatchObject({ run: 'run-1', entry: 3, why: 'as delivered' })
    expect(must(await between('baseline', 'latest')).baseline?.run).toBe('run-1')
    expect(baselineIn(must(await name('run-2', 'moved')))).toMatchObject({ run: 'run-2', entry: 4, why: 'moved' })
  })
})

describe('an entry of the run chain that another one precedes while it is signed', () => {
  const chainFolder = () => chainFolderOf(root, FLEET)
  /** Signs after `work`, as a person at another computer who takes a while. */
  const signerAfter = (work: () => Promise<unknown>): Signer => ({
    ...signer,
    sign: async (data) => {
      await work()
      return await signer.sign(data)
    },
  })
  const slowly = (work: () => Promise<unknown>, run: string) =>
    nameBaseline(ports, {
      ...{ fleet: FLEET, run, why: 'slowly', chainFolder: chainFolder() },
      openSigner: async () => ok(signerAfter(work)),
    })
  test('is appended behind it', async () => {
    await sealed('run-1', '2026-11-20T10:00:00.000Z')
    await sealed('run-2', '2026-11-21T10:00:00.000Z')
    expect(baselineIn(must(await slowly(() => name('run-1'), 'run-2')))).toMatchObject({ run: 'run-2', entry: 4 })
  })
  test('is not recorded where it may no longer be', async () => {
    await sealed('run-1', '2026-11-20T10:00:00.000Z')
    const retire = () =>
      appendSigned(
        ports,
        { fleet: FLEET, chainFolder: chainFolder(), openSigner: async () => ok(signer) },
        (at, key, { entries: [first] }) =>
          first?.entry.kind === 'run'
            ? ok([
                {
                  ...{ kind: 'retired', run: 'run-1', tagManifest: first.entry.tagManifest, at },
                  ...{ fleet: FLEET, why: 'too old', signer: key },
                },
              ])
            : ok([]),
      )
    expect(await slowly(retire, 'run-1')).toMatchObject({ error: { code: 'input.refused' } })
    expect(baselineIn(must(await retire()))).toBe(null)
  })
  test('is not recorded where it would be another one', async () => {
    await sealed('run-1', '2026-11-20T10:00:00.000Z')
    const gap = (count: number) => ({ kind: 'gap', due: '2026-11-19T10:00:00Z', why: `${count} before` }) as const
    const counted = await appendSigned(
      ports,
      { fleet: FLEET, chainFolder: chainFolder(), openSigner: async () => ok(signerAfter(() => name('run-1'))) },
      (at, key, { entries }) => ok([{ ...gap(entries.length), at, fleet: FLEET, signer: key }]),
    )
    expect(counted).toMatchObject({ error: { code: 'input.refused' } })
  })
})

describe('history drift and history baseline', () => {
  test('end with 0 where nothing differs, with 3 where something does, and print it as JSON', async () => {
    await sealed('run-1', '2026-11-20T10:00:00.000Z')
    await sealed('run-2', '2026-11-21T10:00:00.000Z')
    const code = await history('drift', '--out', root, '--json')
    const shown = JSON.parse(cli.printed)
    expect(shown).toMatchObject({ before: { run: 'run-1' }, after: { run: 'run-2' }, from: ['sealed', 'sealed'] })
    // The program's own catalog is another one than that of the runs, and nothing is laid on it: both are as they were sealed.
    expect([code, shown.rules]).toEqual([0, []])
    const [file = ''] = must(await ports.files.below(`${root}/history`)).files.filter((one) => one.includes('run-2'))
    const path = join(root, 'history', file)
    expect(existsSync(path)).toBe(true)
    writeFileSync(path, readFileSync(path, 'utf8').replace('192.0.2.1', '192.0.2.9'))
    expect(await history('drift', '--out', root, '--details')).toBe(3)
    expect(cli.told).toContain('node-a: address was 192.0.2.1, is 192.0.2.9')
    expect(await history('drift', '--out', root, '--node', 'node-b')).toBe(0)
    expect(await history('drift', '--out', root, '--node', 'node-x')).toBe(2)
    expect(await history('drift', 'run-1', 'run-2', '--against', 'run-1', '--out', root)).toBe(2)
    const own = ['--identity', 'ours', '--identity-folder', join(keys, 'own'), '--passphrase-file', secret()]
    expect(await history('baseline', 'run-1', '--out', root, '--reason', 'as delivered', ...own)).toBe(0)
    expect(cli.told).toContain('Baseline set: run-1. The run chain has 3 entries.')
    expect(await history('drift', '--against', 'baseline', '--out', root)).toBe(3)
    expect(cli.told).toContain(', the baseline')
    expect(await history('baseline', 'run-9', '--out', root, '--reason', 'x', ...own)).toBe(2)
  })
  test('a folder without runs or chains is refused', async () => {
    expect(await history('drift', '--out', root)).toBe(2)
    expect(await history('baseline', 'run-1', '--out', root, '--reason', 'x')).toBe(2)
  })
})
