import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { isSealed } from '../main/app/export/continued-export.ts'
import { exportRun } from '../main/app/export/export.ts'
import type { Exported } from '../main/app/export/report-input.ts'
import { chainsBelow } from '../main/app/history/rebuild-history.ts'
import type { Ports } from '../main/core/all-ports.ts'
import { fail, type Outcome } from '../main/core/base/failure.ts'
import { chainFolderOf } from '../main/core/base/layout.ts'
import { PATHS } from '../main/core/pack/pack.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { folderOfTests } from './support/folders.ts'
import { collected, FLEET, packOf, portsAt } from './support/kept-runs.ts'
import { must } from './support/outcomes.ts'
import { outcomes, sampleCatalog, sampleSigner, verifySource } from './support/sample-pack.ts'

/** A step at which an export can be interrupted: by a full disk, or by the end of the process. */
type Step = 'prepare' | 'enter' | 'publish' | `beside ${string}`

/** The files until that step, which is refused as a full disk refuses it, and everything after it too. */
function portsUntil(ports: Ports, step: Step): Ports {
  const full = async (): Promise<Outcome<never>> => fail('store.failed', `ENOSPC at ${step}`)
  return {
    ...ports,
    packs: {
      ...ports.packs,
      ...(step === 'prepare' ? { replace: full } : {}),
      ...(step === 'publish' ? { publish: full } : {}),
    },
    files: {
      ...ports.files,
      writePieces: (path, pieces) =>
        step.startsWith('beside ') && path.endsWith(step.slice('beside '.length))
          ? full()
          : ports.files.writePieces(path, pieces),
    },
    openRunChain: async (folder, beginning) => {
      const opened = await ports.openRunChain(folder, beginning)
      return opened.ok && step === 'enter' ? { ok: true, value: { ...opened.value, append: full } } : opened
    },
  }
}

describe('an export that was interrupted is continued, and its run is sealed once', () => {
  const folder = folderOfTests('continued')
  const ports = portsAt({ now: '2026-11-20T10:00:00.000Z' })
  let signer: Signer
  let other: Signer
  beforeAll(async () => {
    signer = await sampleSigner(mkdtempSync(join(folder, 'keys-')), 'keeper')
    other = await sampleSigner(mkdtempSync(join(folder, 'keys-')), 'another')
  })

  let count = 0
  /** A root with one run that was collected. */
  async function begun(run = 'run-1'): Promise<{ readonly root: string; readonly run: string }> {
    count += 1
    const place = { root: join(folder, `root-${count}`), run }
    await collected(ports, place.root, place.run)
    return place
  }

  async function exports(
    at: Ports,
    { root, run }: { readonly root: string; readonly run: string },
    { resumes = true, key = signer }: { readonly resumes?: boolean; readonly key?: Signer } = {},
  ): Promise<Outcome<Exported>> {
    const recordings = must(await at.readRecordings([`${root}/evidence/${run}`]))
    return await exportRun(at, sampleCatalog, {
      run,
      scope: { fleet: FLEET, population: ['node-a', 'node-b'], frameworks: ['soc2'] },
      recordings,
      asOf: at.clock.now(),
      signer: key,
      stamping: null,
      folder: `${root}/${run}`,
      register: EMPTY_REGISTER,
      attachmentBytes: async () => fail('attachment.altered', 'none is attached'),
      inventory: null,
      also: ['oscal'],
      chainFolder: chainFolderOf(root, FLEET),
      resumes,
    })
  }

  const WHOLE = [
    'sample-fleet_2026-11-20_assessment.json',
    'sample-fleet_2026-11-20_controls.csv',
    'sample-fleet_2026-11-20_evidence.csv',
    'sample-fleet_2026-11-20_findings.csv',
    'sample-fleet_2026-11-20_location.csv',
    'sample-fleet_2026-11-20_population.csv',
    'sample-fleet_2026-11-20_results.csv',
  ]
  const namesIn = ({ root, run }: { readonly root: string; readonly run: string }): readonly string[] =>
    readdirSync(join(root, run)).sort()

  /** One entry, the pack that it names, and everything beside it. */
  async function expectSealedOnce(place: { readonly root: string; readonly run: string }): Promise<void> {
    const [chain] = must(await chainsBelow(ports, place.root))
    const entered = (chain?.chain.entries ?? []).flatMap(({ entry }) => (entry.kind === 'run' ? [entry] : []))
    expect(entered.map(({ run }) => run)).toEqual([place.run])
    const pack = must(await ports.packs.open(packOf(place.root, place.run)))
    expect(await pack.sha256(PATHS.tagManifest)).toBe(entered[0]?.tagManifest)
    expect(outcomes(await verifySource(pack))).toMatchObject({
      integrity: 'passed',
      completeness: 'passed',
      reproducibility: 'passed',
    })
    await pack.close()
    const names = namesIn(place)
    expect(names).toEqual(
      expect.arrayContaining([
        ...WHOLE,
        'sample-fleet_2026-11-20_README.txt',
        'sample-fleet_2026-11-20_VERIFY.txt',
        'sample-fleet_2026-11-20_report.pdf',
        'sample-fleet_2026-11-20_summary.txt',
      ]),
    )
    expect(names.filter((name) => /prepared|\.part-/.test(name))).toEqual([])
  }

  const sealed = ({ root, run }: { readonly root: string; readonly run: string }, fleet = FLEET) =>
    isSealed(ports, { folder: `${root}/${run}`, run, fleet, chain: chainFolderOf(root, fleet) })

  test.each([
    ['prepare', false],
    ['enter', false],
    ['publish', true],
    ['beside _report.pdf', true],
  ] as const)('stopped at “%s”, the run counts as sealed: %s', async (step, expected) => {
    const place = await begun()
    expect(must(await sealed(place))).toBe(false)
    expect(await exports(portsUntil(ports, step), place)).toMatchObject({ error: { code: 'store.failed' } })
    expect(must(await sealed(place))).toBe(expected)
    expect(must(await sealed(place))).toBe(expected)
    const left = existsSync(`${place.root}/${place.run}`) ? namesIn(place) : []
    expect(left.filter((name) => name.endsWith('.prepared'))).toEqual([])
    // An open run takes more evidence, and is then sealed once.
    must(await exports(ports, place))
    await expectSealedOnce(place)
  })

  test('what was prepared for another chain is left alone, and counts as sealed', async () => {
    const place = await begun()
    expect(await exports(portsUntil(ports, 'enter'), place)).toMatchObject({ error: { code: 'store.failed' } })
    const [name = ''] = namesIn(place).filter((one) => one.endsWith('.prepared'))
    expect(name).not.toBe('')
    expect(must(await sealed(place, 'another-fleet'))).toBe(true)
    const foreign = name.replace(/[0-9a-f]{16}(?=\.prepared$)/, 'ab'.repeat(8))
    renameSync(join(place.root, place.run, name), join(place.root, place.run, foreign))
    expect(must(await sealed(place))).toBe(true)
    expect(namesIn(place)).toContain(foreign)
  })

  test.each<Step>([
    'prepare',
    'enter',
    'publish',
    'beside _report.pdf',
    'beside controls.csv',
    'beside _oscal-assessment-results.json',
  ])('stopped at “%s”', async (step) => {
    const place = await begun()
    expect(await exports(portsUntil(ports, step), place)).toMatchObject({ error: { code: 'store.failed' } })
    must(await exports(ports, place))
    await expectSealedOnce(place)
  })

  test('a pack that is there keeps its bytes, and what is beside it is what a whole export writes', async () => {
    const [cut, whole] = [await begun(), await begun()]
    await exports(portsUntil(ports, 'beside evidence.csv'), cut)
    const before = readFileSync(packOf(cut.root, cut.run))
    const continued = must(await exports(ports, cut))
    expect(continued).toMatchObject({ continued: true, level: 'B-B', stamped: false, signer: signer.fingerprint })
    expect(readFileSync(packOf(cut.root, cut.run)).equals(before)).toBe(true)
    expect(must(await exports(ports, whole)).continued).toBe(false)
    const text = ({ root, run }: typeof cut, name: string): string => readFileSync(join(root, run, name), 'utf8')
    for (const name of WHOLE) expect(text(cut, name), name).toBe(text(whole, name))
    const pack = must(await ports.packs.open(packOf(cut.root, cut.run)))
    const report = Buffer.from(await pack.read(PATHS.report))
    await pack.close()
    expect(readFileSync(join(cut.root, cut.run, 'sample-fleet_2026-11-20_report.pdf')).equals(report)).toBe(true)
  })

  test('evidence that was added after the seal does not enter the pack, nor what is written beside it', async () => {
    const place = await begun()
    await exports(portsUntil(ports, 'beside evidence.csv'), place)
    rmSync(join(place.root, 'evidence', place.run, 'node-b'), { recursive: true })
    must(await exports(ports, place))
    await expectSealedOnce(place)
  })

  test('where everything is there, resuming changes nothing and exporting again is refused', async () => {
    const place = await begun()
    must(await exports(ports, place))
    const before = namesIn(place)
    expect(must(await exports(ports, place)).continued).toBe(true)
    expect(await exports(ports, place, { resumes: false })).toMatchObject({ error: { code: 'input.refused' } })
    expect(namesIn(place)).toEqual(before)
    await expectSealedOnce(place)
  })

  test('nothing is written from a pack that was altered, nor under another key', async () => {
    const place = await begun()
    await exports(portsUntil(ports, 'beside controls.csv'), place)
    expect(await exports(ports, place, { key: other })).toMatchObject({ error: { code: 'input.refused' } })
    const pack = packOf(place.root, place.run)
    const bytes = readFileSync(pack)
    const at = bytes.indexOf('"schema":"barewitness.trace')
    bytes[at + 2] = (bytes[at + 2] ?? 0) ^ 1
    rmSync(pack)
    writeFileSync(pack, bytes)
    const refused = await exports(ports, place)
    expect(refused.ok ? 'written' : refused.error.code).toMatch(/^pack\.(altered|unreadable|unsafe)$/)
    expect(existsSync(join(place.root, place.run, 'sample-fleet_2026-11-20_controls.csv'))).toBe(false)
  })

  test('a second run of that day in one folder adds its run to its names, and is continued under them', async () => {
    const [first, second] = [await begun(), await begun('run-2')]
    must(await exports(ports, first))
    const report = (prefix: string): string => join(second.root, second.run, `${prefix}_report.pdf`)
    mkdirSync(join(second.root, second.run))
    const before = readFileSync(join(first.root, first.run, 'sample-fleet_2026-11-20_report.pdf'))
    writeFileSync(report('sample-fleet_2026-11-20'), before)
    await exports(portsUntil(ports, 'beside controls.csv'), second)
    must(await exports(ports, second))
    expect(readFileSync(report('sample-fleet_2026-11-20')).equals(before)).toBe(true)
    expect(namesIn(second).filter((name) => name.endsWith('_controls.csv'))).toEqual([
      'sample-fleet_2026-11-20_run-2_controls.csv',
    ])
    expect(existsSync(report('sample-fleet_2026-11-20_run-2'))).toBe(true)
  })

  test('half-written files of processes that ended are removed; those of processes that run stay', async () => {
    const place = await begun()
    await exports(portsUntil(ports, 'beside controls.csv'), place)
    const at = (name: string): string => join(place.root, place.run, name)
    // Above the largest process id of any kernel (PID_MAX_LIMIT is 2^22).
    writeFileSync(at('sample-fleet_2026-11-20_controls.csv.part-4194305'), 'half')
    writeFileSync(at('sample-fleet_2026-11-20_population.csv.part-1'), 'half')
    must(await exports(ports, place))
    expect(namesIn(place).filter((name) => name.includes('.part-'))).toEqual([
      'sample-fleet_2026-11-20_population.csv.part-1',
    ])
  })
})
