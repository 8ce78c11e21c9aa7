import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../main/core/base/digest.ts'
import { openChainedFile } from '../../main/server/edge/services/chained-file.ts'
import { openPortal, type Portal } from '../../main/server/edge/services/portal.ts'
import type { PortalCaller, PortalParts } from '../../main/server/edge/services/portal-context.ts'
import { type FolderDisk, folderDisk } from '../../main/server/edge/services/shared-folders.ts'
import type { PortalEvent } from '../../main/server/portal/events.ts'
import type { Engine } from '../../schemas/ipc.ts'
import type { SharedPack } from '../../schemas/ipc-portal.ts'
import { folderOfTest } from '../support/folders.ts'
import { must } from '../support/outcomes.ts'

const PACK = 'run-1.barewitness.zip'
const FILES: Readonly<Record<string, string>> = { [PACK]: 'the pack', 'run-1_report.pdf': 'the report' }
const COPY = { ...FILES, 'hand-out/run-1.parts-withheld.barewitness.zip': 'the redacted copy' }

/** An engine that only saves a sealed draft. */
const savesDraft = (files: Readonly<Record<string, string>>): Engine => ({
  call: async (_method, _input, chosen) => {
    const to = chosen?.path ?? ''
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(to, name)), { recursive: true })
      writeFileSync(join(to, name), text)
    }
    const views = Object.entries(files).map(([name, text]) => ({ name, size: text.length, sha256: sha256(text) }))
    return { ok: true, value: { folder: to, files: views } } as never
  },
  onEvent: () => () => undefined,
  close: async () => undefined,
})

/** A disk whose steps all fail from one of them on, as after the end of the process; or only that one. */
function failingFrom(step: number, alone: boolean): { readonly disk: FolderDisk; readonly reached: () => boolean } {
  let steps = 0
  const tried = async <T>(work: () => Promise<T>): Promise<T> => {
    const at = steps
    steps += 1
    if (alone ? at === step : at >= step) throw new Error('the disk failed')
    return await work()
  }
  return {
    disk: {
      mkdir: (path) => tried(() => folderDisk.mkdir(path)),
      rename: (from, to) => tried(() => folderDisk.rename(from, to)),
      remove: (path) => tried(() => folderDisk.remove(path)),
      names: folderDisk.names,
    },
    reached: () => steps > step,
  }
}

const ID = '0'.repeat(31)
async function portalIn(folder: string, parts: Partial<PortalParts> = {}): Promise<Portal> {
  let last = 0
  return must(
    await openPortal({
      ...{ engagement: 'alpha', folder, now: () => Date.parse('2026-11-29T12:00:00Z') },
      newId: () => {
        last += 1
        return `${ID}${last}`
      },
      changed: async () => undefined,
      ...parts,
    }),
  )
}
const officer = (files: Readonly<Record<string, string>>): PortalCaller => ({
  who: { subject: 'o', name: 'Officer' },
  role: 'officer',
  engine: savesDraft(files),
  desk: null,
  origin: 'https://audit.example.com',
})
const share = (portal: Portal, files: Readonly<Record<string, string>>, to: readonly string[] | null = null) =>
  portal.call(officer(files), 'portal.share', { handle: '1', note: '', to })
const packsOf = async (portal: Portal): Promise<readonly SharedPack[]> => {
  const { reply } = await portal.call(officer(FILES), 'portal.packs', null)
  return reply.ok ? reply.value : []
}
const foldersIn = (folder: string): readonly string[] =>
  existsSync(join(folder, 'shared-packs')) ? readdirSync(join(folder, 'shared-packs')).sort() : []

/** Every listed pack has its files with their digests, and exactly these: nothing of the complete pack beside a copy. */
function expectWhole(folder: string, packs: readonly SharedPack[]): void {
  for (const { id, files } of packs) {
    expect(readdirSync(join(folder, 'shared-packs', id)).sort()).toEqual(files.map(({ name }) => name).sort())
    for (const { name, sha256: digest } of files)
      expect(sha256(readFileSync(join(folder, 'shared-packs', id, name)))).toBe(digest)
  }
}

const STEPS = [...Array(6).keys()]
describe.each([
  ['a pack', FILES, STEPS],
  ['a redacted copy', COPY, STEPS.slice(0, 5)],
] as const)('%s that is being shared', (_, files, steps) => {
  test.each(steps)(
    'the disk fails at step %i alone: shared as a whole or not at all, and nothing is left',
    async (step) => {
      const folder = folderOfTest('shares')
      const { disk } = failingFrom(step, true)
      const portal = await portalIn(folder, { disk })
      const { reply } = await share(portal, files)
      const packs = await packsOf(portal)
      expect(packs).toHaveLength(reply.ok ? 1 : 0)
      expectWhole(folder, packs)
      await portal.close()
      const again = await portalIn(folder)
      expect(await packsOf(again)).toEqual(packs)
      const left = foldersIn(folder).filter((name) => !name.endsWith('.unlisted'))
      expect(left).toEqual(packs.map(({ id }) => id))
      await again.close()
    },
  )
  test.each(steps)('the process ends at step %i: the next start knows a whole pack or none', async (step) => {
    const folder = folderOfTest('shares')
    const { disk } = failingFrom(step, false)
    const portal = await portalIn(folder, { disk })
    const { reply } = await share(portal, files)
    await portal.close()
    const again = await portalIn(folder)
    const packs = await packsOf(again)
    expect(packs).toHaveLength(reply.ok ? 1 : 0)
    expectWhole(folder, packs)
    expect(foldersIn(folder).filter((name) => /draft/.test(name))).toEqual([])
    await again.close()
  })
})

test('the steps are as many as are tried above', async () => {
  for (const [files, steps] of [
    [FILES, 6],
    [COPY, 5],
  ] as const) {
    const [last, beyond] = [failingFrom(steps - 1, true), failingFrom(steps, true)]
    for (const { disk } of [last, beyond]) {
      const portal = await portalIn(folderOfTest('shares'), { disk })
      await share(portal, files)
      await portal.close()
    }
    expect([last.reached(), beyond.reached()]).toEqual([true, false])
  }
})

test('an entry that is refused leaves no files', async () => {
  const folder = folderOfTest('shares')
  const portal = await portalIn(folder)
  const { reply } = await share(portal, FILES, ['f'.repeat(32)])
  expect(reply.ok ? null : reply.error.code).toBe('input.not-found')
  expect(foldersIn(folder)).toEqual([])
  await portal.close()
})

describe('an entry that could not be stored', () => {
  const failing =
    (writes: boolean): NonNullable<PortalParts['openLog']> =>
    async (path, empty) => {
      const opened = await openChainedFile<PortalEvent>(path, empty)
      if (!opened.ok) return opened
      const { log, text } = opened.value
      const append = async (event: PortalEvent): Promise<void> => {
        if (writes) await log.append(event)
        throw new Error('the disk failed')
      }
      return { ok: true, value: { log: { ...log, append }, text } }
    }
  test('and is not on the disk: the files are set aside at the next start, and put back if the entry returns', async () => {
    const folder = folderOfTest('shares')
    const portal = await portalIn(folder, { openLog: failing(false) })
    const { reply } = await share(portal, FILES)
    expect(reply.ok ? null : reply.error.code).toBe('store.failed')
    await portal.close()
    await (await portalIn(folder)).close()
    expect(foldersIn(folder)).toEqual([`${ID}1.unlisted`])
    // The same share in a folder of its own gives the entry, as a file of the portal that is restored has it.
    const other = folderOfTest('shares')
    const made = await portalIn(other)
    await share(made, FILES)
    await made.close()
    writeFileSync(join(folder, 'portal.jsonl'), readFileSync(join(other, 'portal.jsonl')))
    const again = await portalIn(folder)
    const packs = await packsOf(again)
    expect(packs).toHaveLength(1)
    expectWhole(folder, packs)
    await again.close()
  })
  test('and is on the disk all the same: its files are there', async () => {
    const folder = folderOfTest('shares')
    const portal = await portalIn(folder, { openLog: failing(true) })
    await share(portal, FILES)
    await portal.close()
    const again = await portalIn(folder)
    const packs = await packsOf(again)
    expect(packs).toHaveLength(1)
    expectWhole(folder, packs)
    await again.close()
  })
})
