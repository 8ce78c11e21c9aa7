import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { historyCommand } from '../main/cli/commands/history.ts'
import { BANNED } from '../schemas/words.ts'
import { keepingKit } from './support/keeping-kit.ts'
import { collected, must, packOf } from './support/kept-runs.ts'

const kit = keepingKit()
const { world, time, run } = kit
let root = ''
/** What people were told, and what went to a program that reads. */
let [told, printed] = ['', '']
beforeEach(() => {
  root = kit.root()
  told = printed = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    told += String(text)
    return true
  })
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text)
    return true
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  // Nothing that a command says claims more than there is.
  expect(BANNED.filter((banned) => banned.test(told))).toEqual([])
})

/** Runs `history …`; gives its exit code. What was told before is forgotten. */
async function history(...argv: readonly string[]): Promise<number> {
  let code = 0
  told = printed = ''
  const program = new Command('barewitness').exitOverride()
  historyCommand({
    world,
    program,
    exit: (next) => {
      code = next
    },
  })
  await program.parseAsync(['history', ...argv], { from: 'user' })
  return code
}

const AT = '2026-11-18T10:00:00.000Z'

describe('history list', () => {
  test('of an empty folder says so; of a folder with runs, each of them, and what stands in no chain', async () => {
    expect(await history('list', '--out', root)).toBe(0)
    expect(told).toBe(`No runs are stored in ${root}.\n`)
    await run('run-1', AT)
    expect(await history('list', '--out', root)).toBe(0)
    expect(told).toContain('Fleet sample fleet, run chain with 1 entries\n')
    expect(told).toContain(`  ${AT}  run-1  2 of 2 nodes collected; not scheduled; sealed\n`)
    expect(printed).toBe('')
    expect(await history('list', '--out', root, '--json')).toBe(0)
    expect(JSON.parse(printed)).toMatchObject({ kept: [{ run: 'run-1' }], outside: [], rebuilt: null })
  })

  test('a run that the chain names and nobody has is never called sealed, and ends with 4', async () => {
    await run('run-1', AT, false)
    rmSync(packOf(root, 'run-1'))
    expect(await history('list', '--out', root)).toBe(4)
    expect(told).toContain('run-1  recorded in the run chain; run trace and pack are missing; not scheduled')
    expect(told).toContain('Run run-1 is in the run chain, but the history has no trace of it')
    expect(told).not.toMatch(/run-1 .*sealed/)
  })

  test('a chain that was cut is refused', async () => {
    await run('run-1', AT)
    writeFileSync(join(root, 'chains', readdirSync(join(root, 'chains'))[0] ?? '', 'chain.json'), '{}')
    expect(await history('list', '--out', root)).toBe(2)
    expect(told).toContain('chain.json is missing or is not the start of a run chain')
  })
})

test('history show: a run with its pack, key and nodes; one that is not there ends with 2', async () => {
  await run('run-1', AT)
  expect(await history('show', 'run-1', '--out', root)).toBe(0)
  expect(told).toContain(`${AT}  run-1  2 of 2 nodes collected; sealed\n`)
  expect(told).toContain('pack run-1/run-1.barewitness.zip, tag manifest ')
  expect(told).toContain(`sealed with key ${kit.signer().fingerprint}`)
  expect(told).toContain('  node-a: complete\n')
  expect(await history('show', 'run-1', '--out', root, '--json')).toBe(0)
  expect(JSON.parse(printed)).toMatchObject({ trace: { run: 'run-1' } })
  for (const name of ['run-9', '../run-1']) {
    expect(await history('show', name, '--out', root)).toBe(2)
    expect(told).toContain(`run ${name} is not stored in ${root}`)
  }
})

test('history rebuild: takes what is lacking, says when nothing is, and ends with 4 where a pack is gone', async () => {
  await run('run-1', AT)
  expect(await history('rebuild', '--out', root)).toBe(0)
  expect(told).toBe('The history contains every sealed run of the run chains.\n')
  await run('run-2', '2026-11-19T10:00:00.000Z', false)
  expect(await history('rebuild', '--out', root)).toBe(0)
  expect(told).toBe('Added to the history from sealed packs: run-2.\n')
  rmSync(join(root, 'history'), { recursive: true })
  rmSync(packOf(root, 'run-2'))
  expect(await history('rebuild', '--out', root)).toBe(4)
  expect(told).toContain('Added to the history from sealed packs: run-1.')
  expect(told).toContain('Run run-2 is in the run chain, but the history has no trace of it')
})

test('history backup and restore: what is in it, what is not, and where it may be put', async () => {
  await run('run-1', AT)
  writeFileSync(join(root, 'notes.txt'), 'not ours')
  const place = kit.freshRoot()
  const [archive, to] = [join(place, 'backup.zip'), join(place, 'restored')]
  expect(await history('backup', '--out', root, '--to', archive)).toBe(0)
  expect(told).toContain('Signing identities are not included')
  expect(told).toContain('Not created by Barewitness, not included: notes.txt.')
  expect(await history('backup', '--out', root, '--to', archive)).toBe(2)
  expect(await history('backup', '--out', kit.freshRoot(), '--to', join(place, 'none.zip'))).toBe(2)
  expect(existsSync(join(place, 'none.zip'))).toBe(false)
  expect(await history('restore', archive, '--to', to)).toBe(0)
  expect(told).toContain('each verified against its digest; 1 runs in the history.')
  expect(told).toContain('The run chain of sample fleet has 1 entries.')
  expect(await history('restore', archive, '--to', to)).toBe(2)
  writeFileSync(archive, readFileSync(archive).subarray(0, 4000))
  expect(await history('restore', archive, '--to', join(place, 'again'))).toBe(5)
  expect(existsSync(join(place, 'again'))).toBe(false)
  // One that is being collected is named, and the archive is called incomplete.
  await collected(world, root, 'run-2')
  const going = must(await world.files.hold(join(root, 'evidence', 'run-2')))
  expect(await history('backup', '--out', root, '--to', join(place, 'second.zip'))).toBe(4)
  expect(told).toContain('Not included: evidence/run-2: collection in progress')
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
  expect(told).toContain(
    'Would be deleted: run-1, as of 2019-05-01T10:00:00.000Z\nDry run: nothing was deleted. To delete, use --apply.\n',
  )
  expect(await history('prune', '--out', root, '--years', '2')).toBe(2)
  expect(told).toContain('enter a reason')
  expect(await history('prune', '--out', root, '--years', 'few', ...key)).toBe(2)
  expect(await history('prune', '--out', root, '--years', '0', ...key)).toBe(2)
  expect(await history('prune', '--out', root, '--include-period-runs', '--apply', ...key)).toBe(2)
  expect(await history('prune', '--out', root, '--apply', '--identity-folder', kit.freshRoot())).toBe(2)
  expect(existsSync(packOf(root, 'run-1'))).toBe(true)
  expect(await history('prune', '--out', root, '--apply', ...key)).toBe(0)
  expect(told).toContain('Deleted: run-1, as of 2019-05-01T10:00:00.000Z')
  expect(told).toMatch(/The run chain keeps an entry for each deleted run\. \d+ bytes/)
  expect(existsSync(join(root, 'run-1'))).toBe(false)
  expect(await history('list', '--out', root)).toBe(0)
  expect(told).toContain('evidence deleted under the retention policy')
  expect(await history('prune', '--out', kit.freshRoot())).toBe(0)
  expect(told).toContain('No run is older than 6 years, except those kept.')
})
