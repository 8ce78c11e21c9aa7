import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { pem } from '../main/core/base/pem.ts'
import { PATHS } from '../main/core/pack/pack.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import { BANNED } from '../schemas/words.ts'
import { folderOfTests } from './support/folders.ts'
import { fileAttacks } from './support/pack-attacks.ts'
import {
  outcomes,
  samplePack,
  sampleRecording,
  sampleSigner,
  sealing,
  sourceOf,
  verifySource,
} from './support/sample-pack.ts'
import { sampled, times } from './support/thorough.ts'

const folder = folderOfTests('verify')
let signer: Signer
let stranger: Signer
let files: Map<string, Uint8Array>
let root: Uint8Array

beforeAll(async () => {
  signer = await sampleSigner(folder, 'signer')
  stranger = await sampleSigner(folder, 'stranger')
  files = await samplePack({ signer })
  root = signer.chain[0] ?? new Uint8Array()
})

describe('a good pack', () => {
  test('states how many of the declared nodes were collected; a recorded attempt that failed is none of them', async () => {
    const tried = sampleRecording('node-b', '')
    const failure = { code: 'ssh.unreachable', detail: '' }
    const failed = { ...tried, captures: [], recording: { ...tried.recording, outcome: { status: 'failed', failure } } }
    const recordings = [sampleRecording('node-a', ''), failed as unknown as typeof tried]
    const pack = await samplePack({ signer, recordings })
    const { report } = await verifySource(sourceOf(pack), [root])
    expect(report.checks.find(({ check }) => check === 'completeness')).toMatchObject({
      outcome: 'passed',
      summary: expect.stringContaining('All declared nodes are accounted for (1 of 2 collected)'),
      details: expect.arrayContaining(['The pack states that “node-b” was not collected (ssh.unreachable).']),
    })
  })

  test('gets its six answers', async () => {
    const verified = await verifySource(sourceOf(files), [root])
    expect(outcomes(verified)).toEqual({
      integrity: 'passed',
      signature: 'passed',
      time: 'indeterminate',
      completeness: 'passed',
      reproducibility: 'passed',
      continuity: 'indeterminate',
    })
    expect(verified.report).toMatchObject({ ok: true, demo: false, differences: [], signer: { trusted: true } })
    expect(verified.contents.verdicts).toEqual({ stated: 2, identical: 2 })
    expect(verified.contents.recordings).toHaveLength(2)
    expect(verified.contents.run).toBe('run-1')
  })

  test('is trusted by its leaf too, and by PEM', async () => {
    for (const anchor of [signer.certificate, new TextEncoder().encode(pem('CERTIFICATE', root))])
      expect((await verifySource(sourceOf(files), [anchor])).report.signer?.trusted).toBe(true)
  })

  test('of an unknown signer is genuine, and the signer not shown', async () => {
    const verified = await verifySource(sourceOf(files))
    expect(outcomes(verified)).toMatchObject({ integrity: 'passed', signature: 'indeterminate' })
    expect(verified.report).toMatchObject({ ok: true, signer: { trusted: false } })
  })

  test('of a signer other than the trusted is rejected', async () => {
    const verified = await verifySource(sourceOf(files), [stranger.chain[0] ?? new Uint8Array()])
    expect(outcomes(verified)).toMatchObject({ integrity: 'passed', signature: 'failed' })
    expect(verified.report.ok).toBe(false)
  })

  test('is not trusted on the word of a file that holds no certificate', async () => {
    expect((await verifySource(sourceOf(files), [new TextEncoder().encode('hello')])).report.ok).toBe(false)
  })

  test('names the declared nodes that were not collected', async () => {
    const partial = await samplePack({ signer, population: ['node-a', 'node-b', 'node-c'] })
    const verified = await verifySource(sourceOf(partial), [root])
    expect(verified.report.ok).toBe(true)
    expect(verified.report.checks[3]?.details).toEqual([
      'The pack states that “node-c” was not collected.',
      'The report’s signature has PAdES level B-B.',
    ])
  })

  test('with an ended certificate is not called trusted without a time-stamp', async () => {
    const verified = await verifySource(sourceOf(files), [root], { verifiedAt: '2031-01-01T00:00:00.000Z' })
    expect(outcomes(verified)).toMatchObject({ signature: 'indeterminate' })
    const early = await verifySource(sourceOf(files), [root], { verifiedAt: '2020-01-01T00:00:00.000Z' })
    expect(outcomes(early)).toMatchObject({ signature: 'failed' })
  })
})

describe('a pack that another program packed', () => {
  const departures = ['Entry “pack/VERIFY.txt” is packed differently than Barewitness packs it.']
  const integrityOf = async (tampered = files) => {
    const { report } = await verifySource(sourceOf(tampered), [root], { departures })
    expect(report.ok).toBe(false)
    return report.checks.find(({ check }) => check === 'integrity')
  }

  test('fails, and is called repacked where a valid seal covers every file as it is', async () => {
    expect(await integrityOf()).toMatchObject({ outcome: 'failed', isOnlyRepacked: true })
  })

  test.each(fileAttacks.filter(({ no }) => no.includes('integrity')))(
    'is called altered where $name',
    async ({ tamper }) => {
      const integrity = await integrityOf(await tamper(files, { signer, stranger }))
      expect(integrity?.outcome).toBe('failed')
      expect(integrity).not.toHaveProperty('isOnlyRepacked')
    },
  )

  test('is not called repacked where no seal covers it', async () => {
    const unsealed = new Map([...files].filter(([path]) => path !== PATHS.seal))
    expect(await integrityOf(unsealed)).not.toHaveProperty('isOnlyRepacked')
  })
})

describe('a demonstration', () => {
  test('is reported as one and never trusted, even when its certificates are named', async () => {
    const demo = await sealing.demoSigner()
    const recordings = [sampleRecording('node-a', '', true)]
    const pack = await samplePack({ signer: demo, recordings, population: ['node-a'] })
    const plain = await verifySource(sourceOf(pack))
    expect(plain.report).toMatchObject({ ok: true, demo: true, signer: { trusted: false } })
    expect(outcomes(plain)).toMatchObject({ signature: 'indeterminate' })
    for (const anchor of [demo.certificate, demo.chain[0] ?? new Uint8Array()]) {
      const named = await verifySource(sourceOf(pack), [anchor])
      expect(named.report).toMatchObject({ ok: false, demo: true, signer: { trusted: false } })
    }
  })
})

describe('tampering', () => {
  test.each(fileAttacks)('$name', async ({ tamper, no, names }) => {
    const verified = await verifySource(sourceOf(await tamper(files, { signer, stranger })), [root])
    expect(verified.report.ok).toBe(false)
    for (const question of no) expect(outcomes(verified)[question], question).toBe('failed')
    const refusing = verified.report.checks.filter(({ outcome }) => outcome === 'failed')
    expect(refusing.flatMap(({ summary, details }) => [summary, ...details]).join('\n')).toMatch(names)
    for (const banned of BANNED) expect(JSON.stringify(verified.report.checks)).not.toMatch(banned)
  })

  test('of the verdict by a foreign key is seen even when no signer is trusted', async () => {
    const forged = await fileAttacks
      .find(({ name }) => name.includes('foreign key'))
      ?.tamper(files, { signer, stranger })
    const { report } = await verifySource(sourceOf(forged ?? new Map()))
    expect(report.ok).toBe(false)
    expect(report.differences).toEqual([
      { node: 'node-b', check: 'encryption.at-rest.swap', stated: 'satisfied', derived: 'not-satisfied' },
    ])
  })

  test('of any single byte of any file is refused', async () => {
    const changeable = [...files].filter(([, bytes]) => bytes.length > 0)
    const place = fc.constantFrom(...changeable).chain(([path, bytes]) =>
      fc.record({
        path: fc.constant(path),
        at: fc.nat({ max: bytes.length - 1 }),
        mask: fc.integer({ min: 1, max: 255 }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(place, async ({ path, at, mask }) => {
        const bytes = Uint8Array.from(files.get(path) ?? [])
        bytes[at] = (bytes[at] ?? 0) ^ mask
        expect((await verifySource(sourceOf(new Map([...files, [path, bytes]])))).report.ok).toBe(false)
      }),
      { numRuns: times(15, 150) },
    )
  })

  test('of any single byte of the seal, or of the list it covers, is refused', async () => {
    const [seal, list] = [PATHS.seal, PATHS.tagManifest].map((path) => files.get(path) ?? new Uint8Array())
    const problems = async (content = list, signature = seal): Promise<readonly string[]> =>
      (
        await sealing.reader.read({
          content: content ?? new Uint8Array(),
          signature: signature ?? new Uint8Array(),
          chain: signer.chain,
          crls: signer.crls,
          timestamps: [],
          tsaChain: [],
          tsaCrls: [],
          freshCrls: [],
        })
      ).problems
    const flipped = (bytes: Uint8Array | undefined, at: number): Uint8Array =>
      Uint8Array.from(bytes ?? [], (byte, index) => (index === at ? byte ^ (1 << (at % 8)) : byte))
    expect(await problems()).toEqual([])
    for (const at of sampled(seal?.keys() ?? [], 120))
      expect(await problems(list, flipped(seal, at)), `seal at ${at}`).not.toEqual([])
    await fc.assert(
      fc.asyncProperty(fc.nat((list?.length ?? 1) - 1), async (at) => {
        expect(await problems(flipped(list, at)), `list at ${at}`).not.toEqual([])
      }),
      { numRuns: times(15, 150) },
    )
  })

  test('by removing or replacing any file is refused', async () => {
    for (const path of sampled(files.keys(), 15)) {
      const without = new Map([...files].filter(([other]) => other !== path))
      expect((await verifySource(sourceOf(without))).report.ok, `without ${path}`).toBe(false)
      const junks = [new TextEncoder().encode('[[[['), new TextEncoder().encode('{}'), new Uint8Array([0xff, 0xfe])]
      for (const junk of junks.slice(0, times(1, 3))) {
        expect((await verifySource(sourceOf(new Map([...files, [path, junk]])))).report.ok, path).toBe(false)
      }
    }
  })
})

test('a pack with nothing in it gets six answers', async () => {
  const { report } = await verifySource(sourceOf(new Map()))
  expect(report.checks).toHaveLength(6)
  expect(report.ok).toBe(false)
})
