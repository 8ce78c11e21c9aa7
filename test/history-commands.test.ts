import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { historyCommand } from '../main/cli/commands/history.ts'
import { commandLine } from './support/command-line.ts'
import { keepingKit } from './support/keeping-kit.ts'
import { collected, packOf } from './support/kept-runs.ts'
import { must } from './support/outcomes.ts'

const kit = keepingKit()
const { ports, time, run } = kit
let root = ''
beforeEach(() => {
  root = kit.root()
})

const cli = commandLine(() => ports, historyCommand)
const history = (...argv: readonly string[]): Promise<number> => cli.run('history', ...argv)

const AT = '2026-11-18T10:00:00.000Z'

describe('history list', () => {
  test('of an empty folder reports this; of a folder with runs, each of them, and what is in no chain', async () => {
    expect(await history('list', '--out', root)).toBe(0)
    expect(cli.told).toBe(`No runs are stored in ${root}.\n`)
    await run('run-1', AT)
    expect(await history('list', '--out', root)).toBe(0)
    expect(cli.told).toContain('Fleet sample fleet, run chain with 1 entries\n')
    expect(cli.told).toContain(`  ${AT}  run-1  2 of 2 nodes collected; not scheduled; sealed\n`)
    expect(cli.printed).toBe('')
    expect(await history('list', '--out', root, '--json')).toBe(0)
    expect(JSON.parse(cli.printed)).toMatchObject({ kept: [{ run: 'run-1' }], outside: [], rebuilt: null })
  })

  test('a run that the chain names and that is stored nowhere is never called sealed, and ends with 4', async () => {
    await run('run-1', AT, false)
    rmSync(packOf(root, 'run-1'))
    expect(await history('list', '--out', root)).toBe(4)
    expect(cli.told).toContain('run-1  recorded in the run chain; run trace and pack are missing; not scheduled')
    expect(cli.told).toContain('Run run-1 is in the run chain, but the history has no trace of it')
    expect(cli.told).not.toMatch(/run-1 .*sealed/)
  })

  test('a chain that was cut is refused', async () => {
    await run('run-1', AT)
    writeFileSync(join(root, 'chains', readdirSync(join(root, 'chains'))[0] ?? '', 'chain.json'), '{}')
    expect(await history('list', '--out', root)).toBe(2)
    expect(cli.told).toContain('chain.json is missing or is not the start of a run chain')
  })
})

test('history show: a run with its pack, key and nodes; one that is not there ends with 2', async () => {
  await run('run-1', AT)
  expect(await history('show', 'run-1', '--out', root)).toBe(0)
  expect(cli.told).toContain(`${AT}  run-1  2 of 2 nodes collected; sealed\n`)
  expect(cli.told).toContain('pack run-1/run-1.barewitness.zip, tag manifest ')
  expect(cli.told).toContain(`sealed with key ${kit.signer().fingerprint}`)
  expect(cli.told).toContain('  node-a: complete\n')
  expect(await history('show', 'run-1', '--out', root, '--json')).toBe(0)
  expect(JSON.parse(cli.printed)).toMatchObject({ trace: { run: 'run-1' } })
  for (const name of ['run-9', '../run-1']) {
    expect(await history('show', name, '--out', root)).toBe(2)
    expect(cli.told).toContain(`run ${name} is not stored in ${root}`)
  }
})

test('history rebuild: takes what is lacking, reports when nothing is, and ends with 4 where a pack is gone', async () => {
  await run('run-1', AT)
  expect(await history('rebuild', '--out', root)).toBe(0)
  expect(cli.told).toBe('The history contains every sealed run of the run chains.\n')
  await run('run-2', '2026-11-19T10:00:00.000Z', false)
  expect(await history('rebuild', '--out', root)).toBe(0)
  expect(cli.told).toBe('Added to the history from sealed packs: run-2.\n')
  rmSync(join(root, 'history'), { recursive: true })
  rmSync(packOf(root, 'run-2'))
  expect(await history('rebuild', '--out', root)).toBe(4)
  expect(cli.told).toContain('Added to the history from sealed packs: run-1.')
  expect(cli.told).toContain('Run run-2 is in the run chain, but the history has no trace of it')
})

test('history backup and restore: what is in it, what is not, and where it may be put', async () => {
  await run('run-1', AT)
  writeFileSync(join(root, 'notes.txt'), 'not ours')
  const place = kit.freshRoot()
  const [archive, to] = [join(place, 'backup.zip'), join(place, 'restored')]
  expect(await history('backup', '--out', root, '--to', archive)).toBe(0)
  expect(cli.told).toContain('Signing identities are not included')
  expect(cli.told).toContain('Not created by Barewitness, not included: notes.txt.')
  expect(await history('backup', '--out', root, '--to', archive)).toBe(2)
  expect(await history('backup', '--out', kit.freshRoot(), '--to', join(place, 'none.zip'))).toBe(2)
  expect(existsSync(join(place, 'none.zip'))).toBe(false)
  expect(await history('restore', archive, '--to', to)).toBe(0)
  expect(cli.told).toContain('each verified against its digest; 1 runs in the history.')
  expect(cli.told).toContain('The run chain of sample fleet has 1 entries.')
  expect(await history('restore', archive, '--to', to)).toBe(2)
  writeFileSync(archive, readFileSync(archive).subarray(0, 4000))
  expect(await history('restore', archive, '--to', join(place, 'again'))).toBe(5)
  expect(existsSync(join(place, 'again'))).toBe(false)
  // One that is being collected is named, and the archive is called incomplete.
  await collected(ports, root, 'run-2')
  const going = must(await ports.files.hold(join(root, 'evidence', 'run-2')))
  expect(await history('backup', '--out', root, '--to', join(place, 'second.zip'))).toBe(4)
  expect(cli.told).toContain('Not included: evidence/run-2: collection in progress')
  await going.release()
})

test('history prune: lists, asks for a reason, and removes only with --apply and a key', async () => {
  await run('run-1', '2019-05-01T10:00:00.000Z')
  time.now = '2026-11-20T10:00:00.000Z'
  const passphrase = join(kit.keys(), 'passphrase')
  mkdirSync(kit.keys(), { recursive: true })
  writeFileSync(passphrase, 'a long passphrase', { mode: 0o600 })
  const key = ['--identity', 'keeper', '--identity-folder', kit.keys(), '--passphrase-file', passphrase]
  expect(await history('prune', '--out', root)).toBe(0)
  expect(cli.told).toContain(
    'Would be deleted: run-1, as of 2019-05-01T10:00:00.000Z\nDry run: nothing was deleted. To delete, use --apply.\n',
  )
  expect(await history('prune', '--out', root, '--years', '2')).toBe(2)
  expect(cli.told).toContain('enter a reason')
  expect(await history('prune', '--out', root, '--years', 'few', ...key)).toBe(2)
  expect(await history('prune', '--out', root, '--years', '0', ...key)).toBe(2)
  expect(await history('prune', '--out', root, '--include-period-runs', '--apply', ...key)).toBe(2)
  expect(await history('prune', '--out', root, '--apply', '--identity-folder', kit.freshRoot())).toBe(2)
  expect(existsSync(packOf(root, 'run-1'))).toBe(true)
  expect(await history('prune', '--out', root, '--apply', ...key)).toBe(0)
  expect(cli.told).toContain('Deleted: run-1, as of 2019-05-01T10:00:00.000Z')
  expect(cli.told).toMatch(/The run chain keeps an entry for each deleted run\. \d+ bytes/)
  expect(existsSync(join(root, 'run-1'))).toBe(false)
  expect(await history('list', '--out', root)).toBe(0)
  expect(cli.told).toContain('evidence deleted under the retention policy')
  expect(await history('prune', '--out', kit.freshRoot())).toBe(0)
  expect(cli.told).toContain('No run is older than 6 years, except those kept.')
})
