import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { backUp } from '../../main/app/history/backup.ts'
import { chainsBelow, historyView } from '../../main/app/history/rebuild-history.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import { collected, exported, packOf, portsAt, recordingsOf } from '../support/kept-runs.ts'
import { describeUnless } from '../support/needing.ts'
import { must } from '../support/outcomes.ts'
import { outcomes, sampleSigner, verifySource } from '../support/sample-pack.ts'

const canMount = process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0

describeUnless(canMount ? null : 'needs root', 'a full disk', () => {
  const keys = mkdtempSync(join(tmpdir(), 'bw-full-keys-'))
  const root = mkdtempSync(join(tmpdir(), 'bw-full-'))
  const time = { now: '2026-11-20T10:00:00.000Z' }
  const ports = portsAt(time)
  let signer: Signer
  beforeAll(async () => {
    signer = await sampleSigner(keys, 'keeper')
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', root])
  })
  afterAll(() => {
    execFileSync('umount', [root])
    rmSync(root, { recursive: true })
    rmSync(keys, { recursive: true })
  })

  const ballast = join(root, 'ballast')
  /** Takes all room but so many bytes. */
  function fill(left: number): void {
    const free = Number(execFileSync('df', ['--output=avail', '-B1', root]).toString().split('\n')[1])
    writeFileSync(ballast, Buffer.alloc(Math.max(0, free - left)))
  }
  const free = (): void => rmSync(ballast, { force: true })
  afterEach(free)
  /** What a piece of work was refused with, full or not; empty when it was done. */
  const refusal = (work: Promise<void>): Promise<string> =>
    work.then(
      () => '',
      (problem: Error) => problem.message,
    )

  const answersOf = async (run: string) => {
    const pack = must(await ports.packs.open(packOf(root, run)))
    const answers = outcomes(await verifySource(pack))
    await pack.close()
    return answers
  }

  const KIB = 1024
  test.each([0, 4, 8, 16, 32, 64, 128, 256, 384, 512, 768, 1024].map((size) => size * KIB))(
    'with %i bytes left: collecting, sealing, entering and keeping are refused in words, or done; with room again they go on',
    async (left) => {
      const run = `run-${left}`
      mkdirSync(join(root, 'evidence'), { recursive: true })
      await collected(ports, root, `before-${left}`)
      await exported(ports, root, `before-${left}`, signer)
      const before = readFileSync(packOf(root, `before-${left}`))
      const entries = must(await chainsBelow(ports, root))[0]?.chain.entries ?? []

      fill(left)
      const collecting = await refusal(collected(ports, root, run))
      if (left < 16 * KIB) expect(collecting).toMatch(/^store\.failed: .*(full|ENOSPC|no space)/i)
      free()
      // A node that was stored in full before the disk was full is not asked again.
      const stored = await ports.readRecordings([`${root}/evidence/${run}`])
      const whole = new Set(
        (stored.ok ? stored.value : []).flatMap(({ recording: { node, outcome } }) =>
          outcome.status === 'complete' ? [node.name] : [],
        ),
      )
      const open = recordingsOf(run).filter(({ recording }) => !whole.has(recording.node.name))
      if (collecting !== '') await collected(ports, root, run, open)

      fill(left)
      const sealing = await refusal(exported(ports, root, run, signer))
      if (left <= 16 * KIB || sealing !== '') expect(sealing).toMatch(/^store\.failed: .*(full|ENOSPC|no space)/i)
      const backup = await backUp(ports, root, join(root, 'backup.zip'))
      if (left <= 16 * KIB || !backup.ok) expect(backup).toMatchObject({ error: { code: 'store.failed' } })
      rmSync(join(root, 'backup.zip'), { force: true })
      free()

      // Nothing that was there is gone, and nothing is called sealed that is not.
      expect(readFileSync(packOf(root, `before-${left}`)).equals(before)).toBe(true)
      const [chain] = must(await chainsBelow(ports, root))
      expect(chain?.chain.entries.slice(0, entries.length)).toEqual(entries)
      const kept = must(await historyView(ports, root)).kept.map((head) => head.run)
      if (sealing === '') expect(kept).toContain(run)
      // Where only what follows the seal found no room, the pack is whole.
      if (kept.includes(run))
        expect(await answersOf(run)).toMatchObject({ integrity: 'passed', completeness: 'passed' })
      for (const source of must(await ports.readRecordings([`${root}/evidence/${run}`]))) must(await source.load())
      if (sealing !== '') await exported(ports, root, run, signer)
      const entered = must(await chainsBelow(ports, root)).flatMap(({ chain: { entries } }) =>
        entries.flatMap(({ entry }) => (entry.kind === 'run' ? [entry.run] : [])),
      )
      expect(entered.filter((one) => one === run)).toEqual([run])
      expect(await answersOf(run)).toMatchObject({ integrity: 'passed', completeness: 'passed' })
      expect(must(await historyView(ports, root)).kept.map((head) => head.run)).toContain(run)
      expect(recordingsOf(run)).toHaveLength(2)
    },
  )
})
