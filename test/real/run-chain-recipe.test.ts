import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256 } from '../../main/core/base/digest.ts'
import type { ChainEntry, RunChain } from '../../main/core/run-chain/entry.ts'
import { CHAIN_PATHS, chainFiles, inclusionRecipe } from '../../main/core/run-chain/notes.ts'
import { testUnless, titled } from '../support/needing.ts'

const has = (tool: string): boolean => spawnSync(tool, ['-c', 'exit 0'], { stdio: 'ignore' }).error === undefined
const missingTools = ['sed', 'fold', 'tr', 'cut', 'grep', 'sha256sum'].filter(
  (tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).error !== undefined,
)

const LAST_PACK = sha256('pack of the last run')
/** Names that a shell, sed or JSON could stumble over. */
const FLEET = 'clinic \\ $(touch pwned) `touch pwned` "quoted" \'%s\' &/ ü\u202e","signature":null}'

function chainOf(size: number, gapsAfter: number): RunChain {
  const entries = Array.from({ length: size + gapsAfter }, (_, index): ChainEntry => {
    const common = { at: '2026-03-01T06:00:00.000Z', fleet: FLEET, signer: sha256('key') }
    return index >= size
      ? { kind: 'gap', due: common.at, why: 'nobody knows', ...common }
      : { kind: 'run', run: `r${index}`, nodes: sha256('n'), tagManifest: sha256(`pack ${index}`), ...common }
  })
  const last = entries[size - 1]
  if (last?.kind === 'run') entries[size - 1] = { ...last, tagManifest: LAST_PACK }
  return {
    id: sha256('chain'),
    fleet: FLEET,
    entries: entries.map((entry) =>
      entry.kind === 'run' || entry.kind === 'period'
        ? { entry, signature: null }
        : { entry, signature: 'c2lnbmF0dXJl' },
    ),
  }
}

describe.each(['sh', 'dash', 'bash'])('the steps in VERIFY.txt about the chain, in %s', (shell) => {
  const reason = has(shell) ? (missingTools.length > 0 ? `${missingTools.join(', ')} missing` : null) : 'not installed'
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'barewitness-chain-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  async function run(files: ReadonlyMap<string, string>): Promise<{ status: number | null; out: string }> {
    const pack = join(folder, 'pack')
    await rm(pack, { recursive: true, force: true })
    for (const [path, text] of files) {
      await mkdir(dirname(join(pack, path)), { recursive: true })
      await writeFile(join(pack, path), text)
    }
    const script = ['set -eu', 'export LC_ALL=C', ...inclusionRecipe(), 'echo PASSED'].join('\n')
    const { status, stdout } = spawnSync(shell, ['-c', script], { cwd: pack, encoding: 'utf8' })
    return { status, out: stdout }
  }
  const textsOf = (chain: RunChain): Map<string, string> =>
    new Map([...chainFiles(chain)].map(([path, bytes]) => [path, Buffer.from(bytes).toString('utf8')]))

  testUnless(reason, 'every place in trees of many sizes', async () => {
    for (let size = 1; size <= 9; size += 1)
      for (const gapsAfter of [0, 1, 2, 5]) {
        const { status, out } = await run(textsOf(chainOf(size, gapsAfter)))
        expect(status, `${size} runs, ${gapsAfter} gaps`).toBe(0)
        expect(out).toBe(
          `The run chain of this pack contains the pack whose tagmanifest-sha256.txt has the SHA-256\n${LAST_PACK}\nPASSED\n`,
        )
      }
    expect((await run(textsOf(chainOf(300, 3)))).status).toBe(0)
  })

  const good = textsOf(chainOf(6, 3))
  const altered = (path: string, from: string | RegExp, to: string): Map<string, string> => {
    const text = good.get(path) ?? ''
    if (text.replace(from, to) === text) throw new Error('nothing was altered')
    return new Map([...good, [path, text.replace(from, to)]])
  }
  const { inclusion, entries, chain } = CHAIN_PATHS

  testUnless(reason, 'files as they were made pass, which shows that the next ones could', async () => {
    expect((await run(good)).status).toBe(0)
  })

  it.skipIf(reason !== null).each([
    ['the run renamed', altered(entries, '"run":"r5"', '"run":"r6"')],
    ['the digest of its pack', altered(entries, LAST_PACK, sha256('another'))],
    ['a line before it left out', altered(entries, /^.*\n/, '')],
    ['a space in its line', altered(entries, '"run":"r5"', '"run": "r5"')],
    ['a signature put on it', altered(entries, /(r5".*"signature":)null/, '$1"AAAA"')],
    ['the index', altered(inclusion, 'index 5', 'index 4')],
    ['the index, past the end', altered(inclusion, 'index 5', 'index 9')],
    ['the index, no number', altered(inclusion, 'index 5', 'index a[$(touch pwned)]')],
    ['the index, twice', altered(inclusion, 'index 5', 'index 5\nindex 5')],
    ['the size', altered(inclusion, 'size 9', 'size 6')],
    ['the size, no number', altered(inclusion, 'size 9', 'size 9-$(touch pwned)')],
    ['the leaf', altered(inclusion, /leaf ./, 'leaf x')],
    ['a step left out', altered(inclusion, /path .*\n/, '')],
    ['all steps left out', altered(inclusion, /(path .*\n)+/, '')],
    ['a step more', altered(inclusion, /$/, `path ${LAST_PACK}\n`)],
    ['a step that is no digest', altered(inclusion, /path .*/, 'path $(touch pwned)')],
    ['the root of the chain', altered(chain, /"root":"[0-9a-f]{4}/, '"root":"0000')],
    ['no proof', new Map([...good].filter(([path]) => path !== inclusion))],
    ['no entries', new Map([...good].filter(([path]) => path !== entries))],
    ['an empty proof', new Map([...good, [inclusion, '']])],
  ])(titled('stops: %s', reason), async (_, files) => {
    const { status, out } = await run(files)
    expect(out).not.toContain('PASSED')
    expect(status).not.toBe(0)
    expect((await readdir(join(folder, 'pack'), { recursive: true })).filter((name) => name.includes('pwned'))).toEqual(
      [],
    )
  })
})

it('the steps are few enough to be read, and wrap nowhere near', () => {
  expect(inclusionRecipe().length).toBeLessThanOrEqual(20)
  expect(inclusionRecipe().filter((line) => line.length > 140)).toEqual([])
})
