import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writePack } from '../../main/adapters/pack/index.ts'
import { writeExcerpts } from '../../main/app/export/excerpt.ts'
import { type ExportedPeriod, exportPeriod } from '../../main/app/export/period.ts'
import { fail, ok } from '../../main/core/base/failure.ts'
import { PATHS } from '../../main/core/pack/pack.ts'
import { PERIOD_PATH } from '../../main/core/period/pack.ts'
import { entryBytes } from '../../main/core/run-chain/entry.ts'
import type { VerificationReport } from '../../schemas/verification.ts'
import { must } from '../support/outcomes.ts'
import { reseal } from '../support/pack-attacks.ts'
import {
  asked,
  bytesOf,
  entriesIn,
  type Files,
  filesIn,
  type PeriodKit,
  periodKit,
  rechained,
  rederived,
  reviewedWith,
  sealedAround,
  textIn,
} from '../support/period-kit.ts'
import { sampleCatalog } from '../support/sample-pack.ts'
import { sampled as fewer } from '../support/thorough.ts'
import { leaveReserved, withoutLinks } from '../support/without-links.ts'

let kit: PeriodKit
let made: ExportedPeriod
let files: Files
let pack: string

const outcomesOf = ({ checks }: VerificationReport): Record<string, string> =>
  Object.fromEntries(checks.map(({ check, outcome }) => [check, outcome]))
const detailsOf = ({ checks }: VerificationReport): string =>
  checks.flatMap(({ outcome, summary, details }) => (outcome === 'failed' ? [summary, ...details] : [])).join('\n')
const GOOD = { integrity: 'passed', signature: 'passed', completeness: 'passed', reproducibility: 'passed' }
const reviewed = (path: string): Promise<VerificationReport> => reviewedWith(kit, path)

beforeAll(async () => {
  kit = await periodKit()
  await kit.plan()
  await kit.run(23)
  await kit.run(24, '/dev/vda2 partition 1 0 -2\n')
  await kit.gap(25)
  await kit.run(26)
  kit.at('2026-11-28T09:00:00.000Z')
  made = must(await kit.account('2026-11-23', '2026-11-27', [{ population: 'node-runs', size: 2, seed: 'spring' }]))
  pack = join(kit.folder, 'out', 'period-2026-11-23-2026-11-27.barewitness.zip')
  files = await filesIn(kit.ports, pack)
})
afterAll(() => rmSync(kit.folder, { recursive: true, force: true }))

describe('A sealed account of a period', () => {
  test('states what took place, and verifies', async () => {
    expect([made.lost, made.shortfalls]).toEqual([[], []])
    expect(made.period.calendar.counts).toMatchObject({
      planned: 5,
      completed: 3,
      recorded: 1,
      unrecorded: 1,
      daysWith: 3,
    })
    expect(made.period.conclusions).toMatchObject({
      run: { run: 'run-26' },
      frameworks: ['soc2'],
      runs: 3,
      missed: 2,
      unavailable: 0,
      covered: false,
    })
    const deviating = made.period.conclusions?.controls.filter(({ deviations }) => deviations !== null) ?? []
    expect(deviating.length).toBeGreaterThan(0)
    for (const { conclusion, deviations } of deviating) {
      // Three runs of two nodes, and two missed ones.
      expect(conclusion.server).toMatchObject({ state: 'deviations', population: 10, tested: 6, deviating: 1 })
      expect(deviations).toMatchObject({ nodes: 1, open: 0, first: { run: 'run-24' }, last: { run: 'run-24' } })
    }
    expect(made.period.deviations).toMatchObject([
      { node: 'node-b', found: { run: 'run-24' }, fixed: { run: 'run-26' }, open: false },
    ])
    const report = await reviewed(pack)
    expect(report.ok).toBe(true)
    expect(outcomesOf(report)).toMatchObject(GOOD)
    expect(outcomesOf(await asked(kit, await sealedAround(files, kit.signer)))).toMatchObject(GOOD)
  })

  test.each([
    ['no sample', [], /No items were sampled/],
    ['rows that are of no node', [['runs', 2]], /^1 sample with 2 items in total\. No captures/],
    [
      'rows of both kinds',
      [
        ['runs', 1],
        ['node-runs', 2],
      ],
      /^2 samples with 3 items in total\. The captures of 2 nodes/,
    ],
  ] as const)('counts what was drawn: %s', async (_, wanted, says) => {
    const samples = wanted.map(([population, size]) => ({ population, size, seed: 'spring', of: 0, sampled: [] }))
    const isOfNodes = samples.some(({ population }) => population === 'node-runs')
    const parts = new Map([...files].filter(([path]) => isOfNodes || !/^data\/runs\/.*\/nodes\//.test(path)))
    const report = await asked(kit, await sealedAround(rederived(kit, parts, { samples }), kit.signer))
    expect(report.ok).toBe(true)
    expect(report.checks.find(({ check }) => check === 'completeness')?.details.join('\n')).toMatch(says)
  })

  test('each drawn node is an excerpt by itself', async () => {
    const excerpts = must(await writeExcerpts(kit.ports, { pack, folder: join(kit.folder, 'excerpts') }))
    expect(excerpts).toHaveLength(2)
    for (const { path } of excerpts) expect(outcomesOf(await reviewed(path))).toMatchObject(GOOD)
  })

  test('an excerpt without the assessment of its run reproduces nothing, and does not pass', async () => {
    const [name = ''] = readdirSync(join(kit.folder, 'excerpts'))
    const whole = await filesIn(kit.ports, join(kit.folder, 'excerpts', name))
    const without = join(kit.folder, 'without-assessment.zip')
    must(await writePack(without, new Map([...whole].filter(([path]) => path !== PATHS.assessment))))
    expect(outcomesOf(await reviewed(without))).toMatchObject({
      completeness: 'failed',
      reproducibility: 'indeterminate',
    })
  })

  test('an excerpt takes over a name that a killed process had reserved', async () => {
    const folder = join(kit.folder, 'excerpts-again')
    const [name = ''] = readdirSync(join(kit.folder, 'excerpts'))
    leaveReserved(join(folder, name))
    withoutLinks()
    const excerpts = must(await writeExcerpts(kit.ports, { pack, folder }))
    expect(readdirSync(folder)).toHaveLength(excerpts.length)
    for (const { path } of excerpts) expect(outcomesOf(await reviewed(path))).toMatchObject(GOOD)
  })

  const edited = (path: string, was: string, is: string, of: Files = files): Files => {
    expect(textIn(of, path)).toContain(was)
    return new Map([...of, [path, bytesOf(textIn(of, path).replace(was, is))]])
  }
  const put = (path: string, content: Uint8Array | undefined): Files =>
    new Map([...files, [path, content as Uint8Array]])
  const without = (...starts: readonly string[]): Files =>
    new Map([...files].filter(([path]) => !starts.some((start) => path.startsWith(start))))
  const below = (root: string): Files =>
    new Map([...files].flatMap(([path, one]) => (path.startsWith(root) ? [[path.slice(root.length), one]] : [])))
  const sampled = (): string =>
    [...files.keys()].find((path) => /\/data\/nodes\/.*\/sha256\//.test(path) && (files.get(path)?.length ?? 0) > 0) ??
    ''
  const swap = (path: string): string =>
    path.replace(/^data\/runs\/run-(23|24)\//, (_, day: string) => `data/runs/run-${day === '23' ? '24' : '23'}/`)
  const signedAnew = async (words: string) =>
    await Promise.all(
      entriesIn(files).map(async (one) => {
        if (one.entry.kind !== 'gap') return one
        const entry = { ...one.entry, why: words }
        const signature = await kit.ports.sealing.signDetached(kit.signer, entryBytes(entry))
        return { entry, signature: Buffer.from(signature).toString('base64') }
      }),
    )

  const attacks: readonly (readonly [name: string, () => Files | Promise<Files>, says: RegExp])[] = [
    [
      'two runs swapped',
      () => new Map([...files].map(([path, one]) => [swap(path), one])),
      /differs from the one in the run chain/,
    ],
    [
      'an entry dropped',
      () => rechained(files, entriesIn(files).slice(0, -1)),
      /does not belong to a run of the run chain/,
    ],
    [
      'the words of a gap changed',
      () =>
        rechained(
          files,
          entriesIn(files).map((one) =>
            one.entry.kind === 'gap' ? ({ ...one, entry: { ...one.entry, why: 'nothing' } } as typeof one) : one,
          ),
        ),
      /signature of the entry is invalid/,
    ],
    [
      'the words of a gap changed and signed anew, all made anew',
      async () => rederived(kit, rechained(files, await signedAnew('nothing'))),
      /states a different preceding run chain/,
    ],
    [
      'a gap taken away, all made anew',
      () =>
        rederived(
          kit,
          rechained(
            files,
            entriesIn(files).filter(({ entry }) => entry.kind !== 'gap'),
          ),
        ),
      /states a different preceding run chain/,
    ],
    [
      'the bytes of a drawn node changed, the list of the run left',
      () => put(sampled(), bytesOf('Filename\n')),
      /was altered/,
    ],
    ['a drawn node left out', () => without(sampled().replace(/sha256\/.*/, '')), /captures are missing/],
    [
      'the count of a day edited',
      () => edited(PERIOD_PATH, '"unrecorded":1', '"unrecorded":0'),
      /calendar is inconsistent with/,
    ],
    [
      'the count of a day edited, as by another version',
      () =>
        edited(
          PERIOD_PATH,
          `"producer":"${made.period.producer}"`,
          '"producer":"Barewitness 9"',
          edited(PERIOD_PATH, '"unrecorded":1', '"unrecorded":0'),
        ),
      /calendar is inconsistent with/,
    ],
    [
      'a run more',
      () =>
        new Map([
          ...files,
          ...[...below('data/runs/run-23/')].map(([path, one]) => [`data/runs/run-99/${path}`, one] as const),
        ]),
      /does not belong to a run/,
    ],
    [
      'another seed',
      () => edited(PERIOD_PATH, '"seed":"spring"', '"seed":"autumn"'),
      /differs from the one derived|captures are missing/,
    ],
    [
      'a list edited',
      () => edited('data/populations/nodes.csv', 'node-b', 'node-c'),
      /nodes\.csv.* differs from the one derived/,
    ],
    ['a list more', () => put('data/populations/people.csv', bytesOf('a')), /is not a list/],
    ['the part of a run dropped', () => without('data/runs/run-24/'), /runs are inconsistent with/],
    ['the account is no JSON', () => put(PERIOD_PATH, bytesOf('{')), /not a period report/],
    [
      'a moment that is none',
      () => edited(PERIOD_PATH, made.period.asOf, '2026-13-45T99:99:99.000Z'),
      /not a period report/,
    ],
    ['a period that is not over', () => rederived(kit, files, { to: '2026-11-30' }), /had not ended/],
    [
      'a list of a run that leads out',
      () => put(`data/runs/run-23/${PATHS.manifest}`, bytesOf(`${'0'.repeat(64)}  ../../etc/passwd\n`)),
      /not a valid list/,
    ],
    [
      'the traces of two runs swapped',
      () => put(`data/runs/run-24/${PATHS.trace}`, files.get(`data/runs/run-26/${PATHS.trace}`)),
      /not a run trace of that run/,
    ],
    [
      'a control made supported',
      () => edited(PERIOD_PATH, '"tested":6},"state":"deviations"', '"tested":6},"state":"supported"'),
      /period\.json.* differs from the one derived/,
    ],
    [
      'the register of a run exchanged',
      () => put(`data/runs/run-24/${PATHS.register}`, bytesOf('[]\n')),
      /register\.json.* was altered/,
    ],
    [
      'the declarations of a run left out',
      () => without(`data/runs/run-24/${PATHS.scope}`),
      /scope\.json.* is missing/,
    ],
    ['the trace of a run left out', () => without(`data/runs/run-24/${PATHS.trace}`), /trace\.json.* is missing/],
    [
      'the chain that a run states left out',
      () => without('data/runs/run-24/data/log/chain.json'),
      /chain\.json.* is missing/,
    ],
    [
      'the part of a run of another fleet, sealed by the owner',
      async () => {
        const part = below('data/runs/run-24/')
        const other = await reseal(edited(PATHS.statement, '"fleet":"sample"', '"fleet":"other"', part), kit.signer)
        return new Map([...files, ...[...other].map(([path, one]) => [`data/runs/run-24/${path}`, one] as const)])
      },
      /differs from the one in the run chain/,
    ],
    [
      'a run sealed again by another key',
      async () => {
        const other = await reseal(below('data/runs/run-24/'), kit.stranger)
        return new Map([...files, ...[...other].map(([path, one]) => [`data/runs/run-24/${path}`, one] as const)])
      },
      /differs from the one in the run chain|Run .run-24/,
    ],
  ]
  test.each(fewer(attacks, 10))('%s: rejected, for any signer', async (_, tamper, says) => {
    const forged = await tamper()
    expect((await asked(kit, forged)).ok).toBe(false)
    for (const signer of [kit.signer, kit.stranger]) {
      const report = await asked(kit, await sealedAround(forged, signer))
      expect(report.ok).toBe(false)
      expect(outcomesOf(report).integrity).toBe('passed')
      expect(detailsOf(report)).toMatch(says)
    }
  })

  test('without a report, and with the report of other evidence: rejected', async () => {
    expect(detailsOf(await asked(kit, await sealedAround(files, kit.signer, { report: false })))).toMatch(
      /report\.pdf cannot be read/,
    )
    const forged = await sealedAround(files, kit.signer)
    const other = await sealedAround(without('data/runs/run-24/'), kit.signer)
    const mixed = await reseal(new Map([...forged, [PATHS.report, other.get(PATHS.report) as Uint8Array]]), kit.signer)
    expect((await asked(kit, mixed)).ok).toBe(false)
  })

  test('with runs withheld, and all made anew, is shown to be without them, by name', async () => {
    const report = await asked(kit, await sealedAround(rederived(kit, without('data/runs/run-24/')), kit.signer))
    expect(outcomesOf(report)).toMatchObject({ ...GOOD, completeness: 'indeterminate' })
    expect(report.checks.find(({ check }) => check === 'completeness')?.summary).toContain('“run-24”')
    const period = JSON.parse(textIn(rederived(kit, without('data/runs/run-24/')), PERIOD_PATH))
    expect(period.notes.join()).toContain('Run “run-24”, entry 3')
    expect(period.calendar.counts.daysWith).toBe(2)
  })

  test('of days before the chain began, states that the chain does not cover them', async () => {
    const longer = rederived(kit, files, { from: '2026-11-01' })
    expect(outcomesOf(await asked(kit, await sealedAround(longer, kit.signer)))).toMatchObject(GOOD)
    expect(JSON.parse(textIn(longer, PERIOD_PATH)).notes).toContainEqual(
      expect.stringMatching(/^The run chain begins at 2026-11-22T12:00:00.000Z, after the first day/),
    )
  })

  test('sealed by another signer, word for word: shown to be by a signer you do not trust', async () => {
    const report = await asked(kit, await sealedAround(files, kit.stranger))
    expect(outcomesOf(report).signature).not.toBe('passed')
  })

  test('dated later than now: reported', async () => {
    kit.at('2026-11-28T08:00:00.000Z')
    const report = await asked(kit, files)
    kit.at('2026-11-28T09:00:00.000Z')
    expect(outcomesOf(report).completeness).toBe('indeterminate')
  })
})

describe('an export of a period that is interrupted', () => {
  const place = 'out-interrupted'
  const exporting = (ports: PeriodKit['ports']): ReturnType<typeof exportPeriod> =>
    exportPeriod(ports, sampleCatalog, {
      root: kit.folder,
      chainFolder: kit.chainFolder,
      fleet: 'sample',
      from: '2026-11-23',
      to: '2026-11-24',
      samples: [],
      signer: kit.signer,
      stamping: null,
      folder: join(kit.folder, place),
    })
  const namesIn = (): readonly string[] => readdirSync(join(kit.folder, place))
  const periods = async (): Promise<number> => {
    const chain = must(await kit.ports.openRunChain(kit.chainFolder, { id: '0'.repeat(64), fleet: 'sample' }))
    const { length } = chain.chain().entries.filter(({ entry }) => entry.kind === 'period')
    await chain.close()
    return length
  }
  const lost = fail('store.failed', 'killed here')

  test('before its chain entry was never sealed: the next one seals it', async () => {
    const before = await periods()
    const openRunChain: PeriodKit['ports']['openRunChain'] = async (...where) => {
      const opened = await kit.ports.openRunChain(...where)
      return opened.ok ? ok({ ...opened.value, append: async () => lost }) : opened
    }
    expect(await exporting({ ...kit.ports, openRunChain })).toEqual(lost)
    expect(namesIn().map((name) => name.replace(/\.[0-9a-f]{16}\./, '.'))).toEqual([
      'period-2026-11-23-2026-11-24.barewitness.zip.prepared',
    ])
    expect(await periods()).toBe(before)
    must(await exporting(kit.ports))
    expect(await periods()).toBe(before + 1)
    expect(namesIn().filter((name) => name.endsWith('.prepared'))).toEqual([])
    rmSync(join(kit.folder, place), { recursive: true })
  })

  test('after its chain entry has its pack: the next one gives it its name, and seals nothing again', async () => {
    const before = await periods()
    const packs = { ...kit.ports.packs, publish: async () => lost }
    expect(await exporting({ ...kit.ports, packs })).toEqual(lost)
    expect(await periods()).toBe(before + 1)
    expect(await exporting(kit.ports)).toMatchObject({
      error: { code: 'input.refused', detail: expect.stringContaining('complete now') },
    })
    expect(await periods()).toBe(before + 1)
    expect(namesIn()).toEqual(['period-2026-11-23-2026-11-24.barewitness.zip'])
    expect(outcomesOf(await reviewed(join(kit.folder, place, namesIn()[0] ?? '')))).toMatchObject(GOOD)
    rmSync(join(kit.folder, place), { recursive: true })
  })

  test('after its name was reserved, without links: the next one gives it its name', async () => {
    const before = await periods()
    const name = 'period-2026-11-23-2026-11-24.barewitness.zip'
    const publish: PeriodKit['ports']['packs']['publish'] = async (_, to) => {
      writeFileSync(to, '', { mode: 0o600 })
      return lost
    }
    expect(await exporting({ ...kit.ports, packs: { ...kit.ports.packs, publish } })).toEqual(lost)
    withoutLinks()
    expect(await exporting(kit.ports)).toMatchObject({
      error: { code: 'input.refused', detail: expect.stringContaining('complete now') },
    })
    expect([await periods(), namesIn()]).toEqual([before + 1, [name]])
    expect(outcomesOf(await reviewed(join(kit.folder, place, name)))).toMatchObject(GOOD)
  })
})
