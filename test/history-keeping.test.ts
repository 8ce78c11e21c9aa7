import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { historyView, rebuildHistory } from '../main/app/history/rebuild-history.ts'
import { listLines } from '../main/cli/commands/history.ts'
import { keepingKit } from './support/keeping-kit.ts'
import { collected, packOf } from './support/kept-runs.ts'
import { must } from './support/outcomes.ts'

const kit = keepingKit()
const { ports, run, names } = kit
let root = ''
beforeEach(() => {
  root = kit.root()
})

describe('a history that lacks runs', () => {
  test('has them from their sealed packs, and a pack that was changed gives nothing', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    await run('run-2', '2026-11-19T10:00:00.000Z', false)
    await run('run-3', '2026-11-20T10:00:00.000Z', false)
    const bytes = readFileSync(packOf(root, 'run-3'))
    bytes.write('XX', bytes.indexOf('"schema":"barewitness.run-trace/1"') + 12)
    writeFileSync(packOf(root, 'run-3'), bytes)
    const view = must(await historyView(ports, root))
    expect(view.rebuilt).toMatchObject({ taken: ['run-2'], missing: [{ run: 'run-3' }] })
    const said = [...listLines(view)].join('\n')
    expect(said).toContain('Added to the history from sealed packs: run-2.')
    expect(said).toContain('Run run-3 is in the run chain, but the history has no trace of it')
    expect(await names()).toEqual(['run-1', 'run-2'])
    const again = must(await rebuildHistory(ports, root))
    expect(again).toMatchObject({ taken: [], missing: [{ run: 'run-3' }] })
  })

  test('a kept file that cannot be read is put aside and taken from the pack again', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    const folder = join(root, 'history')
    const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.json'))
    const before = readFileSync(join(folder, file), 'utf8')
    writeFileSync(join(folder, file), before.slice(0, 100))
    const history = must(await ports.openHistory(root))
    expect(await history.list()).toMatchObject({ error: { detail: expect.stringContaining('history rebuild') } })
    expect(must(await rebuildHistory(ports, root))).toMatchObject({ taken: ['run-1'], putAside: [file] })
    expect(readFileSync(join(folder, file), 'utf8')).toBe(before)
  })

  test('what is sealed in no chain, or not sealed, is never listed among the sealed runs', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    const history = must(await ports.openHistory(root))
    const kept = must(await history.load('run-1', must(await history.list())[0]?.sealed?.tagManifest ?? null))
    must(await history.keep({ trace: { ...kept.trace, run: 'run-2' }, sealed: null }))
    const view = must(await historyView(ports, root))
    expect(view.fleets[0]?.reading.runs.map(({ run: name }) => name)).toEqual(['run-1'])
    expect(view.outside.map(({ run: name }) => name)).toEqual(['run-2'])
    expect([...listLines(view)].join('\n')).toMatch(/run-2 .*NOT SEALED/)
  })
})

test('thirty runs of one unchanged node take the room of one answer', async () => {
  for (let n = 0; n < 30; n += 1) await collected(ports, root, `run-${n}`)
  const links = readdirSync(join(root, 'evidence', 'run-7', 'node-b', 'sha256')).map(
    (name) => statSync(join(root, 'evidence', 'run-7', 'node-b', 'sha256', name)).nlink,
  )
  // Each name in 30 recordings and one in the pool; the empty answer is in both nodes.
  expect(links.sort()).toEqual([31, 61])
})
