import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packs } from '../main/adapters/pack/index.ts'
import { reviewMethods } from '../main/app/engine/review/review-methods.ts'
import { headFor, keepHead } from '../main/app/engine/review/review-pack.ts'
import { exportRun } from '../main/app/export/export.ts'
import { reviewFile } from '../main/app/export/review.ts'
import { chainFolderOf } from '../main/core/base/layout.ts'
import { pem } from '../main/core/base/pem.ts'
import type { PackContent } from '../main/core/pack/pack-files.ts'
import { inMemory, type LoadedRecording } from '../main/core/recording/recording.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import type { Checkpoint } from '../main/core/run-chain/head.ts'
import { NO_TRUST } from '../main/verify/steps/trust.ts'
import type { PackReview } from '../schemas/ipc-packs.ts'
import type { EngineEvent } from '../schemas/ipc-views.ts'
import { VERIFICATION_STEPS, type VerificationCheck } from '../schemas/verification.ts'
import { testTsa } from './support/lying-tsa.ts'
import { must } from './support/outcomes.ts'
import { AS_OF, sampleCatalog, sampleRecording, sampleSigner } from './support/sample-pack.ts'
import { filesHolding, refusal, type SealingKit, sealingKit } from './support/sealing-kit.ts'

// One owner seals three runs of one chain; auditors, each with a folder of their own, open them.
const owner = sealingKit({ recordings: null })
const auditors: SealingKit[] = []
const auditor = (): SealingKit => {
  const kit = sealingKit({ recordings: null })
  auditors.push(kit)
  return kit
}

const paths: string[] = []
const [first, second, third] = [0, 1, 2].map((index) => () => ({ path: paths[index] ?? '' })) as [
  () => { path: string },
  () => { path: string },
  () => { path: string },
]
let demoPath = ''

beforeAll(async () => {
  const { ports } = owner.context
  const signer = await sampleSigner(join(owner.folder, 'identities'), 'owner')
  const recordings: readonly LoadedRecording[] = [
    sampleRecording('node-a', ''),
    sampleRecording('node-b', '/dev/vda2 partition 1 0 -2\n'),
  ]
  const sealed = async (run: string, demo = false): Promise<string> => {
    const exported = await exportRun(ports, sampleCatalog, {
      run,
      scope: { fleet: 'sample', population: ['node-a', 'node-b'], frameworks: ['soc2'] },
      recordings: recordings.map(inMemory),
      asOf: AS_OF,
      register: EMPTY_REGISTER,
      inventory: null,
      also: [],
      attachmentBytes: async () => {
        throw new Error('nothing is attached')
      },
      signer: demo ? await ports.sealing.demoSigner() : signer,
      stamping: null,
      folder: join(owner.folder, run),
      chainFolder: demo ? null : chainFolderOf(owner.folder, 'sample'),
    })
    return must(exported).files[0]?.path ?? ''
  }
  for (const run of ['run-1', 'run-2', 'run-3']) paths.push(await sealed(run))
  demoPath = await sealed('demo', true)
})
afterAll(() => {
  for (const kit of [owner, ...auditors]) kit.remove()
})

const outcome = (review: PackReview | null, question: VerificationCheck): string =>
  review?.report.checks.find((answer) => answer.check === question)?.outcome ?? 'no such answer'
const summary = (review: PackReview | null, question: VerificationCheck): string =>
  review?.report.checks.find((answer) => answer.check === question)?.summary ?? ''
const opened = async (kit: SealingKit, chosen: { path: string }): Promise<PackReview | null> =>
  must(await kit.review['pack.choose-and-verify'](null, chosen))

describe('opening a pack', () => {
  test('gives the answers, what it states, and keeps it open', async () => {
    const kit = auditor()
    expect(must(await kit.review['pack.review'](null))).toBeNull()
    const review = await opened(kit, first())
    expect(review).toMatchObject({
      file: 'run-1.barewitness.zip',
      verdicts: { stated: 2, identical: 2 },
      trust: null,
      report: { ok: true, signer: { subject: 'Sample owner', trusted: false } },
      view: { of: 'pack', run: 'run-1', rows: [{ node: 'node-a' }, { node: 'node-b' }] },
    })
    expect(must(await kit.review['pack.review'](null))).toEqual(review)
    expect(kit.context.session.pack?.recordings).toHaveLength(2)
  })

  test('a closed dialog opens nothing', async () => {
    expect(must(await auditor().review['pack.choose-and-verify'](null))).toBeNull()
  })

  test('what is no pack fails with words, and the one before stays open', async () => {
    const kit = auditor()
    await opened(kit, first())
    const path = join(kit.folder, 'letter.zip')
    writeFileSync(path, 'Dear auditor')
    expect(refusal(await kit.review['pack.choose-and-verify'](null, { path }))).toMatch(/^pack\./)
    expect(must(await kit.review['pack.review'](null))?.file).toBe('run-1.barewitness.zip')
  })

  test('an altered one opens, with its answers', async () => {
    const kit = auditor()
    const source = must(await packs.open(first().path))
    const path = join(kit.folder, 'altered.barewitness.zip')
    const files = new Map<string, PackContent>(source.paths.map((one) => [one, source.stored(one)]))
    must(await packs.write(path, files.set('data/catalog.json', new TextEncoder().encode('[]\n'))))
    await source.close()
    const review = await opened(kit, { path })
    expect(review?.report.ok).toBe(false)
    expect(outcome(review, 'integrity')).toBe('failed')
    expect(review?.view?.rows).toHaveLength(2)
  })

  test('the report alone opens too', async () => {
    const kit = auditor()
    const folder = dirname(first().path)
    const report = readdirSync(folder).find((name) => name.endsWith('_report.pdf')) ?? ''
    const review = await opened(kit, { path: join(folder, report) })
    expect(review).toMatchObject({ view: null, verdicts: { stated: 0, identical: 0 }, report: { kind: 'report' } })
  })
})

describe('a verification in progress', () => {
  const heard = (kit: SealingKit, act: (event: EngineEvent) => void): SealingKit['review'] =>
    reviewMethods({ ...kit.context, notify: act })

  test('reports its steps in order, with counted files and nodes, and its end', async () => {
    const events: EngineEvent[] = []
    const kit = auditor()
    must(await heard(kit, (event) => events.push(event))['pack.choose-and-verify'](null, first()))
    const progress = events.flatMap((event) => (event.kind === 'verifying' ? [event.progress] : []))
    const steps = progress.map(({ step }) => step).filter((step, at, all) => step !== all[at - 1])
    expect(steps.filter((step) => step !== 'files')).toEqual(['contents', 'seal', 'nodes', 'chain', 'pages'])
    expect(progress.filter(({ step }) => step === 'nodes').at(-1)).toEqual({ step: 'nodes', done: 2, total: 2 })
    expect(progress.some(({ step, done, total }) => step === 'files' && done > 0 && total > 10)).toBe(true)
    expect(progress.every(({ done, total }) => done <= total)).toBe(true)
    expect(events.at(-1)).toEqual({ kind: 'verified' })
    expect(events[0]).toMatchObject({ file: 'run-1.barewitness.zip' })
  })

  test('reports each check as soon as it is concluded, and with the result that it has in the end', async () => {
    const events: EngineEvent[] = []
    const kit = auditor()
    const review = must(await heard(kit, (event) => events.push(event))['pack.choose-and-verify'](null, first()))
    const told = events.flatMap((event) => (event.kind === 'check-concluded' ? [event.result] : []))
    expect(told.map(({ check }) => check)).toEqual([
      'signature',
      'time',
      'integrity',
      'continuity',
      'reproducibility',
      'completeness',
    ])
    for (const { check, outcome: early, word } of told)
      expect(review?.answers.find((one) => one.check === check)).toMatchObject({ outcome: early, word })
    const at = (kind: EngineEvent['kind'], check?: string): number =>
      events.findIndex(
        (event) => event.kind === kind && (event.kind !== 'check-concluded' || event.result.check === check),
      )
    const nodes = events.findIndex((event) => event.kind === 'verifying' && event.progress.step === 'nodes')
    expect(at('check-concluded', 'integrity')).toBeLessThan(nodes)
    expect(at('check-concluded', 'reproducibility')).toBeGreaterThan(nodes)
    expect(at('check-concluded', 'completeness')).toBeLessThan(at('verified'))
  })

  test('reports no check after a stop', async () => {
    const kit = auditor()
    const told: string[] = []
    const stopping = heard(kit, (event) => {
      if (event.kind === 'verifying' && event.progress.step === 'nodes') void kit.review['pack.stop'](null)
      if (event.kind === 'check-concluded') told.push(event.result.check)
    })
    refusal(await stopping['pack.choose-and-verify'](null, first()))
    expect(told).toEqual(['signature', 'time', 'integrity'])
  })

  test.each(VERIFICATION_STEPS)('stopped in step “%s”, it shows and stores nothing', async (step) => {
    const kit = auditor()
    await opened(kit, second())
    const before = must(await kit.review['pack.review'](null))
    const kept = filesHolding(kit.folder, '')
    const stopping = heard(kit, (event) => {
      if (event.kind === 'verifying' && event.progress.step === step) void kit.review['pack.stop'](null)
    })
    expect(refusal(await stopping['pack.choose-and-verify'](null, first()))).toMatch(/^pack\.stopped/)
    expect(must(await kit.review['pack.review'](null))).toBe(before)
    expect(filesHolding(kit.folder, '')).toEqual(kept)
    expect(filesHolding(kit.folder, 'run-1')).toEqual([])
  })

  test('a stop without a verification changes nothing, and the next one is whole', async () => {
    const kit = auditor()
    must(await kit.review['pack.stop'](null))
    const { report } = (await opened(kit, first())) ?? {}
    const plain = must(
      await reviewFile(kit.context.ports, kit.context.catalog, {
        ...first(),
        trust: NO_TRUST,
        checkpoint: null,
        keep: false,
      }),
    )
    expect({ ...report, verifiedAt: '' }).toEqual({ ...plain.report, verifiedAt: '' })
  })
})

describe('recent packs', () => {
  test('are listed, the latest first, opened again by handle, and named when they are gone', async () => {
    const kit = auditor()
    const path = join(kit.folder, 'copy.barewitness.zip')
    copyFileSync(first().path, path)
    kit.setClock('2026-11-21T08:00:00.000Z')
    await opened(kit, { path })
    kit.setClock('2026-11-21T09:00:00.000Z')
    await opened(kit, second())
    rmSync(path)
    const list = must(await kit.review['pack.recent'](null))
    expect(list.map(({ file, openedAt, here }) => [file, openedAt, here])).toEqual([
      ['run-2.barewitness.zip', '2026-11-21T09:00:00.000Z', true],
      ['copy.barewitness.zip', '2026-11-21T08:00:00.000Z', false],
    ])
    const [there, gone] = list
    expect(must(await kit.review['pack.open-recent']({ handle: there?.handle ?? '' })).file).toBe(there?.file)
    expect((await kit.review['pack.open-recent']({ handle: gone?.handle ?? '' })).ok).toBe(false)
    expect(refusal(await kit.review['pack.open-recent']({ handle: '0'.repeat(32) }))).toMatch(/no longer in the list/)
  })

  test('no more than twenty are kept', async () => {
    const kit = auditor()
    const packsIn = Array.from({ length: 25 }, (_, index) => ({ path: `/gone/${index}.zip`, openedAt: '2026-01-01' }))
    const path = join(kit.folder, 'recent-packs.json')
    writeFileSync(path, JSON.stringify({ schema: 'barewitness.recent-packs/1', packs: packsIn }))
    await opened(kit, first())
    const list = must(await kit.review['pack.recent'](null))
    expect(list).toHaveLength(20)
    expect(list[0]?.file).toBe('run-1.barewitness.zip')
  })
})

describe('trusting a signer', () => {
  const howVerified = 'fingerprint read over the telephone'

  test('stores the root of the signer with how it was verified, and answers again', async () => {
    const kit = auditor()
    expect(outcome(await opened(kit, first()), 'signature')).toBe('indeterminate')
    const review = must(await kit.review['pack.trust']({ howVerified }))
    expect(outcome(review, 'signature')).toBe('passed')
    expect(review.report.signer).toMatchObject({ trusted: true, trust: 'known' })
    expect(review.trust).toMatchObject({
      subject: 'CN=Sample owner (root)',
      for: 'signers',
      howVerified,
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
    expect(must(await kit.trust['trust.list'](null))).toEqual([review.trust])
    expect((await opened(kit, second()))?.trust).toEqual(review.trust)

    must(await kit.trust['trust.remove']({ fingerprint: review.trust?.fingerprint ?? '' }))
    const again = must(await kit.review['pack.re-evaluate'](null))
    expect(outcome(again, 'signature')).toBe('indeterminate')
    expect(again.trust).toBeNull()
  })

  test('an authority is trusted from a certificate file, and the pack is evaluated again', async () => {
    const kit = auditor()
    const path = join(kit.folder, 'authority.pem')
    writeFileSync(path, pem('CERTIFICATE', testTsa({ name: 'Another' }).chain[2] as Uint8Array))
    expect(refusal(await kit.review['pack.trust-authority']({ howVerified }, { path }))).toMatch(/no pack is open/)
    expect(must(await kit.trust['trust.list'](null))).toEqual([])
    await opened(kit, first())
    expect(must(await kit.review['pack.trust-authority']({ howVerified }))).toBeNull()
    // The pack has no time-stamp, so that no authority decides it.
    const review = must(await kit.review['pack.trust-authority']({ howVerified }, { path }))
    expect(outcome(review, 'time')).toBe('indeterminate')
    expect(must(await kit.trust['trust.list'](null)).map((anchor) => anchor.for)).toEqual(['authorities'])
  })

  test('a demonstration is never trusted', async () => {
    const kit = auditor()
    expect((await opened(kit, { path: demoPath }))?.report.demo).toBe(true)
    expect(refusal(await kit.review['pack.trust']({ howVerified }))).toMatch(/demo pack/)
    expect(must(await kit.trust['trust.list'](null))).toEqual([])
  })

  test('trusting one owner is no reason to reject the pack of another', async () => {
    const kit = auditor()
    await opened(kit, first())
    must(await kit.review['pack.trust']({ howVerified }))
    const review = await opened(kit, { path: demoPath })
    expect(review?.report.ok).toBe(true)
    expect(outcome(review, 'signature')).toBe('indeterminate')
  })

  test('what was put in the place of the open pack is not what gets trusted', async () => {
    const kit = auditor()
    const path = join(kit.folder, 'run.barewitness.zip')
    copyFileSync(first().path, path)
    await opened(kit, { path })
    copyFileSync(second().path, path)
    expect(refusal(await kit.review['pack.trust']({ howVerified }))).toMatch(/changed since it was opened/)
    expect(must(await kit.trust['trust.list'](null))).toEqual([])
  })

  test('without an open pack there is no signer to trust', async () => {
    expect(refusal(await auditor().review['pack.trust']({ howVerified }))).toMatch(/no pack is open/)
    expect(refusal(await auditor().review['pack.re-evaluate'](null))).toMatch(/no pack is open/)
  })
})

describe('the history of runs', () => {
  test('is compared with what was last seen, from the second pack on', async () => {
    const kit = auditor()
    await opened(kit, first())
    const seen = must(await kit.review['pack.trust']({ howVerified: 'by telephone' }))
    // Trusting opened it again; only now is its history one that is kept.
    expect(outcome(seen, 'continuity')).toBe('indeterminate')
    const next = await opened(kit, third())
    expect(outcome(next, 'continuity')).toBe('passed')
    expect(summary(next, 'continuity')).toMatch(/Extends your checkpoint by 2 runs/)

    // A pack that was seen before is no shortened history; one that was never seen, and is older, may be.
    const before = await opened(kit, first())
    expect(outcome(before, 'continuity')).toBe('passed')
    const between = await opened(kit, second())
    expect(outcome(between, 'continuity')).toBe('failed')
    expect(summary(between, 'continuity')).toMatch(/Does not extend your checkpoint/)
    expect(outcome(await opened(kit, third()), 'continuity')).toBe('passed')
  })

  test('is kept by itself, stated, and used for the next pack', async () => {
    const kit = auditor()
    const unconfirmed = await opened(kit, first())
    expect(unconfirmed?.answers.find(({ check }) => check === 'continuity')).toMatchObject({ needs: 'checkpoint' })
    const seen = must(await kit.review['pack.trust']({ howVerified: 'by telephone' }))
    expect(seen.checkpoint).toMatchObject({ comparedWith: null, entries: 1, lastRun: 'run-1', confirmed: true })
    const next = await opened(kit, third())
    expect(next?.checkpoint).toMatchObject({ comparedWith: 1, entries: 3, lastRun: 'run-3', confirmed: true })
  })

  test('is compared with a checkpoint that the reader kept elsewhere', async () => {
    const before = auditor()
    await opened(before, first())
    must(await before.review['pack.trust']({ howVerified: 'by telephone' }))
    const [name = ''] = readdirSync(join(before.folder, 'trust/heads'))
    const { head } = JSON.parse(readFileSync(join(before.folder, 'trust/heads', name), 'utf8'))
    const path = join(before.folder, 'checkpoint.json')
    writeFileSync(path, head)

    const kit = auditor()
    expect(refusal(await kit.review['pack.import-checkpoint'](null, { path }))).toMatch(/no pack is open/)
    await opened(kit, third())
    expect(must(await kit.review['pack.import-checkpoint'](null))).toBeNull()
    const compared = must(await kit.review['pack.import-checkpoint'](null, { path }))
    expect(compared?.checkpoint).toMatchObject({ comparedWith: 1, entries: 3, confirmed: false })
    expect(summary(compared, 'continuity')).toMatch(/Extends your checkpoint by 2 runs/)
    const confirmed = must(await kit.review['pack.trust']({ howVerified: 'by telephone' }))
    expect(summary(confirmed, 'continuity')).toMatch(/Extends your checkpoint by 2 runs/)
    expect(confirmed.checkpoint).toMatchObject({ comparedWith: 1, entries: 3 })
    writeFileSync(path, '{}')
    expect(refusal(await kit.review['pack.import-checkpoint'](null, { path }))).toMatch(/^input\.refused/)
  })

  test('what was seen is one file per chain; a damaged one is named and stays', async () => {
    const kit = auditor()
    await opened(kit, first())
    must(await kit.review['pack.trust']({ howVerified: 'by telephone' }))
    const folder = join(kit.folder, 'trust/heads')
    const [name = ''] = readdirSync(folder)
    expect(name).toMatch(/^[0-9a-f]{64}\.json$/)
    writeFileSync(join(folder, name), '{}')
    expect(refusal(await kit.review['pack.choose-and-verify'](null, second()))).toMatch(/not in the expected format/)
    expect(readFileSync(join(folder, name), 'utf8')).toBe('{}')
  })
})

describe('what happens at the same time, or by another hand', () => {
  const howVerified = 'read over the telephone'

  test('trusting a signer and adding certificates keeps both', async () => {
    let writes = 0
    const kit = sealingKit({
      recordings: null,
      change: (ports) => ({
        ...ports,
        files: {
          ...ports.files,
          write: async (path, bytes) => {
            if (path.endsWith('anchors.json')) writes += 1
            // Long enough for the other call to read what is there before.
            if (writes === 1) await new Promise((resolve) => setTimeout(resolve, 1500))
            return await ports.files.write(path, bytes)
          },
        },
      }),
    })
    auditors.push(kit)
    await opened(kit, first())
    const path = join(kit.folder, 'authority.pem')
    writeFileSync(path, pem('CERTIFICATE', testTsa({ name: 'Another' }).chain[2] as Uint8Array))
    const done = await Promise.all([
      kit.trust['trust.add-choose']({ for: 'authorities', howVerified }, { path }),
      kit.review['pack.trust']({ howVerified }),
    ])
    expect(done.map(({ ok }) => ok)).toEqual([true, true])
    expect(
      must(await kit.trust['trust.list'](null))
        .map((anchor) => anchor.for)
        .sort(),
    ).toEqual(['authorities', 'signers'])
  })

  test('a file that is exchanged while it is read is refused, and leaves nothing behind', async () => {
    let opens = 0
    const path = join(owner.folder, 'exchanged.barewitness.zip')
    copyFileSync(first().path, path)
    const kit = sealingKit({
      recordings: null,
      change: (ports) => ({
        ...ports,
        packs: {
          ...ports.packs,
          open: async (one) => {
            opens += 1
            if (opens === 2) copyFileSync(third().path, path)
            return await ports.packs.open(one)
          },
        },
      }),
    })
    auditors.push(kit)
    expect(refusal(await kit.review['pack.choose-and-verify'](null, { path }))).toMatch(/^input\.refused: .*changed/)
    expect(kit.context.session.pack).toBeNull()
    expect(existsSync(join(kit.folder, 'trust/heads'))).toBe(false)
  })

  test('a pack of another signer that names this chain takes nothing from its history', async () => {
    const reader = auditor()
    await opened(reader, second())
    const id = readdirSync(join(reader.folder, 'trust/heads'))[0]?.replace('.json', '') ?? ''
    const forger = sealingKit({
      recordings: null,
      change: (ports) => ({
        ...ports,
        openRunChain: (folder, beginning) => ports.openRunChain(folder, { ...beginning, id }),
      }),
    })
    auditors.push(forger)
    const { ports } = forger.context
    const signer = await sampleSigner(join(forger.folder, 'identities'), 'forger')
    const forged: string[] = []
    for (const run of ['forged-1', 'forged-2', 'forged-3', 'forged-4']) {
      const exported = await exportRun(ports, sampleCatalog, {
        run,
        scope: { fleet: 'sample', population: ['node-a'], frameworks: ['soc2'] },
        recordings: [inMemory(sampleRecording('node-a', ''))],
        asOf: AS_OF,
        register: EMPTY_REGISTER,
        inventory: null,
        also: [],
        attachmentBytes: async () => {
          throw new Error('nothing is attached')
        },
        signer,
        stamping: null,
        folder: join(forger.folder, run),
        chainFolder: join(forger.folder, 'chain'),
      })
      forged.push(must(exported).files[0]?.path ?? '')
    }
    const longest = { path: forged.at(-1) ?? '' }
    // After a pack of the owner: the forged one is not kept.
    await opened(reader, longest)
    expect(outcome(await opened(reader, third()), 'continuity')).toBe('passed')
    // Before any: the forged one shows nothing about the owner's, and gives way once the owner is trusted.
    const late = auditor()
    expect((await opened(late, longest))?.report.ok).toBe(true)
    expect(outcome(await opened(late, second()), 'continuity')).toBe('indeterminate')
    must(await late.review['pack.trust']({ howVerified }))
    expect(outcome(await opened(late, third()), 'continuity')).toBe('passed')
    // Whoever is trusted keeps the history: a forged pack that is longer is distinguished from it.
    expect(outcome(await opened(late, { path: forged[2] ?? '' }), 'continuity')).toBe('failed')
  })

  test('nor does one that continues from the history of a trusted signer', async () => {
    const { context } = auditor()
    const chain = 'a'.repeat(64)
    const head = (size: number): Checkpoint => ({
      schema: 'barewitness.chain-head/1',
      chain,
      fleet: 'sample',
      size,
      root: 'b'.repeat(64),
      seenAt: AS_OF,
      lastRun: `run-${size}`,
    })
    must(await keepHead(context, head(3), 'pack 3', { by: 'owner', trusted: true }))
    must(await keepHead(context, head(5), 'pack 5', { by: 'forger', trusted: false }))
    expect(must(await headFor(context, chain, 'pack 4', 'owner'))?.size).toBe(3)
    must(await keepHead(context, head(4), 'pack 4', { by: 'owner', trusted: true }))
    must(await keepHead(context, head(2), 'pack 2', { by: 'owner', trusted: true }))
    expect(must(await headFor(context, chain, 'another', 'owner'))?.size).toBe(4)
    expect(must(await headFor(context, chain, 'pack 2', 'owner'))?.size).toBe(2)
  })
})
