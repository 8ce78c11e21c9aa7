import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writePack } from '../main/adapters/pack/index.ts'
import { writeExcerpts } from '../main/app/export/excerpt.ts'
import { PATHS } from '../main/core/pack/pack.ts'
import { EXCERPT_PATH } from '../main/core/period/pack.ts'
import { verificationHeadline } from '../main/present/verification-headline.ts'
import type { VerificationReport } from '../schemas/verification.ts'
import { copyOf } from './support/disclosure.ts'
import { must } from './support/outcomes.ts'
import { type RawEntry, rawEntries, rawZip } from './support/pack-attacks.ts'
import { type Files, filesIn, type PeriodKit, periodKit, reviewedWith } from './support/period-kit.ts'
import { sampleCatalog } from './support/sample-pack.ts'
import { sampled } from './support/thorough.ts'

// Files of each kind, packed as programs of others pack a folder: with the files as they are, in another form of archive.

const KINDS = ['pack', 'excerpt', 'disclosure', 'period'] as const
type Kind = (typeof KINDS)[number]

let kit: PeriodKit
const files = new Map<Kind, Files>()
const filesOf = (kind: Kind): Files => {
  const found = files.get(kind)
  if (found === undefined) throw new Error(`no files of a ${kind}`)
  return found
}

beforeAll(async () => {
  kit = await periodKit()
  await kit.plan()
  await kit.run(23)
  await kit.run(24)
  kit.at('2026-11-28T09:00:00.000Z')
  must(await kit.account('2026-11-23', '2026-11-24', [{ population: 'node-runs', size: 1, seed: 'spring' }]))
  const period = join(kit.folder, 'out', 'period-2026-11-23-2026-11-24.barewitness.zip')
  const [excerpt] = must(await writeExcerpts(kit.ports, { pack: period, folder: join(kit.folder, 'excerpts') }))
  files.set('pack', await filesIn(kit.ports, join(kit.folder, 'run-23', 'run-23.barewitness.zip')))
  files.set('period', await filesIn(kit.ports, period))
  files.set('excerpt', await filesIn(kit.ports, excerpt?.path ?? ''))
  const { files: copied } = await copyOf(filesOf('pack'), sampleCatalog, { nodes: ['node-a'] })
  const copy = join(kit.folder, 'copy.zip')
  must(await writePack(copy, copied))
  files.set('disclosure', await filesIn(kit.ports, copy))
})
afterAll(() => rmSync(kit.folder, { recursive: true, force: true }))

const reviewed = (path: string): Promise<VerificationReport> => reviewedWith(kit, path)
const integrityOf = ({ checks }: VerificationReport) => checks.find(({ check }) => check === 'integrity')

const failedIn = ({ checks }: VerificationReport): number => checks.filter(({ outcome }) => outcome === 'failed').length

const repacked = async (entries: readonly RawEntry[]): Promise<VerificationReport> => {
  const path = join(kit.folder, 'again.zip')
  writeFileSync(path, rawZip(entries))
  return await reviewed(path)
}

/** “Extended timestamp” of Info-ZIP: when the file was changed. */
const TIMES = new Uint8Array([0x55, 0x54, 5, 0, 1, 0, 0, 0, 0])

const FORMS: readonly (readonly [string, (entries: readonly RawEntry[]) => readonly RawEntry[]])[] = [
  ['compressed', (entries) => entries.map((entry) => ({ ...entry, deflate: true }))],
  ['in another order', (entries) => [...entries].reverse()],
  ['with times in extra fields', (entries) => entries.map((entry) => ({ ...entry, extra: TIMES }))],
  ['with the rights of files', (entries) => entries.map((entry) => ({ ...entry, mode: 0o100644 }))],
]

describe.each(KINDS)('a file of the kind %s', (kind) => {
  test('is intact as it is written, and unpacked', async () => {
    const [path, folder] = [join(kit.folder, 'as-it-is.zip'), join(kit.folder, `${kind}-folder`)]
    rmSync(path, { force: true })
    must(await writePack(path, filesOf(kind)))
    for (const [name, bytes] of filesOf(kind)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), bytes)
    }
    for (const one of [path, folder]) {
      const report = await reviewed(one)
      expect(report.kind).toBe(kind)
      expect(integrityOf(report)).toMatchObject({ outcome: 'passed' })
    }
  })

  test.each(FORMS)('that another program packed, %s, fails as repacked and is not called altered', async (_, form) => {
    const report = await repacked(form(rawEntries(filesOf(kind))))
    expect(report).toMatchObject({ ok: false, kind })
    expect(integrityOf(report)).toMatchObject({ outcome: 'failed', isOnlyRepacked: true })
    expect(integrityOf(report)?.details.length).toBeGreaterThan(0)
    expect(failedIn(report)).toBe(1)
    expect(verificationHeadline(report).word).toContain('packed by another program')
  })

  test('that another program packed is not called only repacked with a file changed, missing or added', async () => {
    const entries = rawEntries(filesOf(kind)).map((entry) => ({ ...entry, deflate: true }))
    const some = sampled(entries, MOST_CHANGED).map(({ name }) => name)
    const changed = some.map((name) => ({
      what: `${name} changed`,
      is: entries.map((one) => (one.name === name ? { ...one, data: Buffer.concat([one.data, SPACE]) } : one)),
    }))
    const missing = some.map((name) => ({
      what: `${name} missing`,
      is: entries.filter((one) => one.name !== name),
    }))
    const more = { what: 'a file more', is: [...entries, { name: 'pack/zz', data: SPACE }] }
    const named: string[] = []
    for (const { what, is } of [...changed, ...missing, more]) {
      const report = await repacked(is)
      expect(report.ok, what).toBe(false)
      // An excerpt is a part, and its reason is not sealed: what it lacks is of another check.
      const isIntact = integrityOf(report)?.isOnlyRepacked === true
      if (isIntact && (kind !== 'excerpt' || failedIn(report) === 1)) named.push(what)
    }
    expect(named).toEqual([])
  })

  test('that another program packed is not called repacked without its seal', async () => {
    const entries = rawEntries(filesOf(kind)).filter(({ name }) => name !== `pack/${PATHS.seal}`)
    const report = await repacked(entries.map((entry) => ({ ...entry, deflate: true })))
    expect(integrityOf(report)).not.toHaveProperty('isOnlyRepacked')
  })
})

const SPACE = Buffer.from(' ')
const MOST_CHANGED = 8

test('of an excerpt, the file that no seal covers is named, as it is written and repacked', async () => {
  const unsealed = `No seal covers ${EXCERPT_PATH}, which states the nodes and the purpose.`
  const sealed = filesOf('excerpt').size - 1
  const path = join(kit.folder, 'an-excerpt.zip')
  must(await writePack(path, filesOf('excerpt')))
  expect(integrityOf(await reviewed(path))?.summary).toBe(
    `All ${sealed} enclosed files of the run’s pack match its sealed digests. ${unsealed}`,
  )
  const again = await repacked(rawEntries(filesOf('excerpt')).map((entry) => ({ ...entry, deflate: true })))
  expect(integrityOf(again)?.summary).toBe(
    `All ${sealed} sealed files match their digests, in an archive that another program packed. ${unsealed}`,
  )
  expect(verificationHeadline(again).text).toMatch(/^Every sealed file matches its digest\. /)
})
