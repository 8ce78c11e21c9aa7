import { copyFileSync, existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { finishInterrupted } from '../main/app/export/continued-export.ts'
import { exportRun } from '../main/app/export/export.ts'
import { chainsBelow } from '../main/app/history/rebuild-history.ts'
import type { Ports } from '../main/core/all-ports.ts'
import { fail, type Outcome } from '../main/core/base/failure.ts'
import { chainFolderOf, draftName, packIn } from '../main/core/base/layout.ts'
import { PATHS } from '../main/core/pack/pack.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { folderOfTests } from './support/folders.ts'
import { collected, FLEET, portsAt } from './support/kept-runs.ts'
import { must } from './support/outcomes.ts'
import { sampleCatalog, sampleSigner } from './support/sample-pack.ts'

/** An export in a folder of its own ends right before or right after its entry in the chain, and no later export uses that folder. */
describe('exports that an earlier process was ended in', () => {
  const folder = folderOfTests('interrupted')
  const ports = portsAt({ now: '2026-11-20T10:00:00.000Z' })
  let signer: Signer
  beforeAll(async () => {
    signer = await sampleSigner(mkdtempSync(join(folder, 'keys-')), 'keeper')
  })
  const full = async (): Promise<Outcome<never>> => fail('store.failed', 'ENOSPC')

  /** A root with one run, whose export into a folder of its own stops at this step. */
  async function stoppedAt(step: 'enter' | 'publish'): Promise<string> {
    const root = mkdtempSync(join(folder, 'root-'))
    await collected(ports, root, 'run-1')
    const cut: Ports = {
      ...ports,
      packs: { ...ports.packs, ...(step === 'publish' ? { publish: full } : {}) },
      openRunChain: async (place, beginning) => {
        const opened = await ports.openRunChain(place, beginning)
        return opened.ok && step === 'enter' ? { ok: true, value: { ...opened.value, append: full } } : opened
      },
    }
    const stopped = await exportRun(cut, sampleCatalog, {
      run: 'run-1',
      scope: { fleet: FLEET, population: ['node-a', 'node-b'], frameworks: ['soc2'] },
      recordings: must(await ports.readRecordings([`${root}/evidence/run-1`])),
      asOf: ports.clock.now(),
      signer,
      stamping: null,
      folder: draftOf(root),
      register: EMPTY_REGISTER,
      attachmentBytes: async () => fail('attachment.altered', 'none is attached'),
      inventory: null,
      also: [],
      chainFolder: chainFolderOf(root, FLEET),
    })
    expect(stopped).toMatchObject({ ok: false, error: { code: 'store.failed' } })
    return root
  }
  const draftOf = (root: string): string => `${root}/${draftName('0'.repeat(32))}`
  const namesIn = (root: string): readonly string[] => readdirSync(draftOf(root)).sort()

  test('a pack that the chain names gets its name', async () => {
    const root = await stoppedAt('publish')
    expect(namesIn(root).filter((name) => name.endsWith('.prepared'))).toHaveLength(1)
    must(await finishInterrupted(ports, root))
    must(await finishInterrupted(ports, root))
    expect(namesIn(root).filter((name) => name.endsWith('.prepared'))).toEqual([])
    const [chain] = must(await chainsBelow(ports, root))
    const pack = must(await ports.packs.open(packIn(draftOf(root), 'run-1')))
    expect(chain?.chain.entries.map(({ entry }) => ('tagManifest' in entry ? entry.tagManifest : null))).toEqual([
      await pack.sha256(PATHS.tagManifest),
    ])
    await pack.close()
  })

  /** The pack without its name. */
  const preparedIn = (root: string): string =>
    join(draftOf(root), namesIn(root).find((name) => name.endsWith('.prepared')) ?? '')

  test('a pack that has its name beside the first one keeps the name', async () => {
    const root = await stoppedAt('publish')
    const pack = packIn(draftOf(root), 'run-1')
    linkSync(preparedIn(root), pack)
    must(await finishInterrupted(ports, root))
    expect(namesIn(root)).toEqual(['run-1.barewitness.zip'])
  })

  test('another file of that name is not replaced, and the pack stays', async () => {
    const root = await stoppedAt('publish')
    copyFileSync(preparedIn(root), packIn(draftOf(root), 'run-1'))
    expect(await finishInterrupted(ports, root)).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    expect(namesIn(root)).toHaveLength(2)
  })

  test('a pack that the chain does not name was never sealed, and is removed', async () => {
    const root = await stoppedAt('enter')
    expect(namesIn(root).filter((name) => name.endsWith('.prepared'))).toHaveLength(1)
    must(await finishInterrupted(ports, root))
    expect(namesIn(root)).toEqual([])
    const [chain] = must(await chainsBelow(ports, root))
    expect(chain?.chain.entries).toEqual([])
  })

  test('half-written files of processes that ended are removed; what belongs to another chain, and any other file, stays', async () => {
    const root = mkdtempSync(join(folder, 'root-'))
    mkdirSync(draftOf(root), { recursive: true })
    // Above the largest process id of any kernel (PID_MAX_LIMIT is 2^22).
    const [half, foreign, own] = ['run-1_report.pdf.part-4194305', `run-1.zip.${'ab'.repeat(8)}.prepared`, 'run-1.pdf']
    for (const name of [half, foreign, own]) writeFileSync(join(draftOf(root), name), 'x')
    must(await finishInterrupted(ports, root))
    expect(namesIn(root)).toEqual([own, foreign].sort())
  })

  test('a folder without exports is left as it is', async () => {
    const root = mkdtempSync(join(folder, 'root-'))
    must(await finishInterrupted(ports, root))
    expect(existsSync(join(root, 'exports'))).toBe(false)
    expect(readdirSync(root)).toEqual([])
  })
})
