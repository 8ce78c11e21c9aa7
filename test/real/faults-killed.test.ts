import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chainFoldersBelow, chainsBelow, historyView } from '../../main/app/history/rebuild-history.ts'
import { listLines } from '../../main/cli/commands/history.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { PATHS } from '../../main/core/pack/pack.ts'
import { bundled } from '../support/bundled.ts'
import { packOf } from '../support/kept-runs.ts'
import { killed, type Until } from '../support/killed.ts'
import { must } from '../support/outcomes.ts'
import { outcomes, verifySource } from '../support/sample-pack.ts'
import { SMALL_ANSWERS, smallCatalog, smallPorts } from '../support/small-fleet.ts'

const KILLS = Number(process.env.BAREWITNESS_KILLS ?? 45)
const LANES = 3
const seed = Number(process.env.BAREWITNESS_SEED ?? Date.now() % 1_000_000)

/** Numbers between 0 and 1, the same for the same seed (Mulberry32). */
function numbersFrom(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

describe('killed at random points of collect, assess, seal and export', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bw-killed-'))
  const ports = smallPorts()
  let made: Awaited<ReturnType<typeof bundled>>
  /** How long the parts of a run take here, in milliseconds. */
  let [collecting, sealing] = [0, 0]
  beforeAll(async () => {
    made = await bundled('run-forever.ts')
    // As many at a time as later, so that the machine is as busy.
    const timed = Array.from({ length: LANES }, async (_, n) => {
      const root = join(folder, `first-${n}`)
      await killed([made.program, root], { said: '\nsealed ', after: 0 })
      const [run = ''] = readdirSync(join(root, 'evidence')).filter((name) => name.startsWith('run-'))
      const at = (path: string, time: 'birthtimeMs' | 'mtimeMs'): number => statSync(path)[time]
      const collected = at(join(root, 'evidence', run, 'node-c', 'recording.json'), 'mtimeMs')
      return [
        collected - at(join(root, 'evidence', run, 'node-a', 'captures.jsonl'), 'birthtimeMs'),
        at(packOf(root, run), 'mtimeMs') - collected,
      ] as const
    })
    for (const [first, second] of await Promise.all(timed)) {
      collecting = Math.max(collecting, first)
      sealing = Math.max(sealing, second)
    }
  })
  afterAll(() => {
    if (made) rmSync(made.folder, { recursive: true })
    rmSync(folder, { recursive: true })
  })

  /** A moment while the next run is collected, while it is sealed, or, where it is collected already, while another one is begun. */
  function moment(random: () => number, isCollected: boolean): Until {
    if (random() < 0.5) return { said: '\ncollected ', after: random() * sealing }
    return { said: isCollected ? '\nsealed ' : 'ready', after: random() * collecting }
  }

  /** Each answer that the child said was stored is there; reading a recording compares all bytes with their digests. */
  async function expectStored(root: string, run: string, stored: readonly string[], isCollected: boolean) {
    const sources = must(await ports.readRecordings([`${root}/evidence/${run}`]))
    const loaded = await Promise.all(sources.map(async (one) => must(await one.load())))
    const held = loaded.flatMap(({ recording, captures }) =>
      captures.map(({ meta, stdout }) => [recording.id, `${meta.probe}/${meta.command}`, sha256(stdout)].join(' ')),
    )
    expect(stored.filter((one) => !held.includes(one))).toEqual([])
    if (!isCollected) return
    expect(loaded.map(({ recording }) => recording.outcome.status)).toEqual(['complete', 'complete', 'complete'])
    expect(new Set(held).size).toBe(SMALL_ANSWERS)
  }

  /** The seal of a pack that is there and verifies; null where none is there. */
  async function expectWhole(root: string, run: string): Promise<string | null> {
    if (!existsSync(packOf(root, run))) return null
    const pack = must(await ports.packs.open(packOf(root, run)))
    const said = outcomes(await verifySource(pack, [], { catalog: smallCatalog }))
    const seal = await pack.sha256(PATHS.tagManifest)
    await pack.close()
    expect(said).toMatchObject({ integrity: 'passed', completeness: 'passed', reproducibility: 'passed' })
    return seal
  }

  /** The chain opens, and what is called sealed has its pack, by that name and seal. */
  async function expectNothingClaimed(root: string, seals: ReadonlyMap<string, string>): Promise<void> {
    if (must(await chainFoldersBelow(ports, root)).length === 0) return expect(seals.size).toBe(0)
    const entered = must(await chainsBelow(ports, root)).flatMap(({ chain }) =>
      chain.entries.flatMap(({ entry }) => (entry.kind === 'run' ? [entry.tagManifest] : [])),
    )
    for (const seal of seals.values()) expect(entered).toContain(seal)
    const runs = must(await chainsBelow(ports, root)).flatMap(({ chain }) =>
      chain.entries.flatMap(({ entry }) => (entry.kind === 'run' ? [entry.run] : [])),
    )
    expect(runs, 'each run is sealed once').toEqual([...new Set(runs)])
    const view = must(await historyView(ports, root))
    expect(view.kept.map(({ sealed }) => sealed?.tagManifest ?? 'none').sort()).toEqual([...seals.values()].sort())
    const listed = [...listLines(view)].flatMap((line) => /^ {2}\S+ {2}(\S+) {2}.*; sealed/.exec(line)?.[1] ?? [])
    expect(listed.sort()).toEqual([...seals.keys()].sort())
  }

  /** Kills in one folder after another; gives how many of them stopped a run while it was collected, and while it was sealed. */
  async function lane(name: string, kills: number, random: () => number) {
    const root = join(folder, name)
    const stored = new Map<string, string[]>()
    const collected = new Set<string>()
    const seals = new Map<string, string>()
    const packs = new Map<string, string>()
    const stopped = { collecting: 0, sealing: 0 }
    let open: string | null = null
    for (let round = 0; round < kills; round += 1) {
      const said = await killed([made.program, root], moment(random, collected.has(open ?? '')))
      // A run that was cut is the first to go on.
      if (open !== null && said[0] !== undefined) expect(said[0]).toEqual(['resumes', open])
      for (const [word, run = '', ...rest] of said) {
        if (word === 'stored') stored.set(run, [...(stored.get(run) ?? []), rest.join(' ')])
        if (word === 'collected') collected.add(run)
        if (word === 'sealed') expect(existsSync(packOf(root, run))).toBe(true)
      }
      const last = said.at(-1)
      if (last?.[0] === 'collected') stopped.sealing += 1
      if (last?.[0] === 'stored') stopped.collecting += 1
      const begun = existsSync(join(root, 'evidence')) ? readdirSync(join(root, 'evidence')) : []
      const runs = begun.filter((run) => run.startsWith('run-') && !seals.has(run))
      for (const run of runs) {
        if (stored.has(run)) await expectStored(root, run, stored.get(run) ?? [], collected.has(run))
        const seal = await expectWhole(root, run)
        if (seal === null) continue
        seals.set(run, seal)
        packs.set(run, sha256(readFileSync(packOf(root, run))))
      }
      await expectNothingClaimed(root, seals)
      open = runs.find((run) => !seals.has(run)) ?? null
    }
    // What was stored and sealed once is what lies there after all the kills that followed.
    for (const [run, digest] of packs) expect(sha256(readFileSync(packOf(root, run)))).toBe(digest)
    for (const [run, answers] of stored) await expectStored(root, run, answers, collected.has(run))
    return { ...stopped, sealed: seals.size }
  }

  test(`${KILLS} times, seed ${seed}: nothing acknowledged is lost, nothing unsealed is called sealed`, {
    timeout: 900_000,
  }, async () => {
    console.info(
      `seed ${seed}: BAREWITNESS_SEED=${seed} draws the same moments; here a run is collected in ${Math.round(collecting)} ms and sealed in ${Math.round(sealing)}`,
    )
    const shares = Array.from({ length: LANES }, (_, n) => Math.floor((KILLS + n) / LANES))
    expect(shares.reduce((sum, kills) => sum + kills, 0)).toBe(KILLS)
    // All are awaited: a lane that failed must not take the program away from the others.
    const lanes = await Promise.allSettled(shares.map((kills, n) => lane(`lane-${n}`, kills, numbersFrom(seed + n))))
    const ended = lanes.map((one) => {
      if (one.status === 'rejected') throw one.reason
      return one.value
    })
    console.info(JSON.stringify(ended))
    if (KILLS < 100) return
    for (const part of ['collecting', 'sealing', 'sealed'] as const)
      expect(ended.reduce((sum, one) => sum + one[part], 0)).toBeGreaterThan(KILLS / 20)
  })
})
