import { beforeAll, describe, expect, test } from 'vitest'
import { issueList, issuerOf, makeIdentity, nextLeaf, revokedEntry } from '../main/adapters/identity/certificates.ts'
import { signerOf } from '../main/adapters/identity/folder.ts'
import { storedResponse } from '../main/adapters/seal/tsp/client.ts'
import { namesOf } from '../main/adapters/seal/x509.ts'
import { pem } from '../main/core/base/pem.ts'
import { PATHS, stampPath } from '../main/core/pack/pack-files.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import { realEntropy } from './support/deps.ts'
import { type TestTsa, type TestTsaOptions, testTsa } from './support/lying-tsa.ts'
import { relist, reseal } from './support/pack-attacks.ts'
import { outcomes, samplePack, sourceOf, type VerifyChanges, verifySource } from './support/sample-pack.ts'
import { times } from './support/thorough.ts'

// Rows 6 and 15 to 23 of the attack table: who, when, revoked when, and whose report. The evaluation is as of 2026-11-20T10:00Z.
type Files = Map<string, Uint8Array>
const IN_TIME = '2026-11-20T10:05:00Z'
const LATER = '2026-11-22T12:00:00.000Z'
const YEARS = { from: '2025-01-01T00:00:00Z', until: '2036-01-01T00:00:00Z' }

const identity = (name: string) => {
  const made = makeIdentity({
    commonName: name,
    rootCommonName: `${name} (root)`,
    now: '2026-11-20T09:00:00.000Z',
    entropy: realEntropy,
  })
  return { ...made, signer: signerOf({ ...made, subject: name, key: made.leafKey }) }
}

const owner = identity('Owner')
const stranger = identity('Stranger')
const authority = (genTime: string, options: TestTsaOptions = {}): TestTsa =>
  testTsa({ validity: YEARS, ...options, genTime })
const bytesAt = (files: Files, path: string): Uint8Array => files.get(path) ?? new Uint8Array()

/** The pack with one more time-stamp over its seal and those before. */
function stamped(files: Files, tsa: TestTsa, place = 1): Files {
  const before = Array.from({ length: place - 1 }, (_, index) => bytesAt(files, stampPath(index + 1)))
  const over = new Uint8Array(Buffer.concat([bytesAt(files, PATHS.seal), ...before]))
  return new Map([...files, [stampPath(place), storedResponse(tsa.token(over))]])
}

const listWith = (at: string): Uint8Array =>
  issueList(issuerOf(owner.root, owner.rootKey), {
    number: 2n,
    from: Date.parse('2026-11-21T00:00:00Z'),
    until: Date.parse('2028-12-01T00:00:00Z'),
    entries: [revokedEntry(namesOf(owner.leaf).serial, new Date(at), 'key-compromise')],
  })
const verify = async (files: Files, changes: VerifyChanges = {}, signers: readonly Uint8Array[] = [owner.root]) =>
  await verifySource(sourceOf(files), signers, { verifiedAt: LATER, ...changes })
const answerText = (found: Awaited<ReturnType<typeof verify>>, check: string): string => {
  const answer = found.report.checks.find((one) => one.check === check)
  return [answer?.summary, ...(answer?.details ?? [])].join('\n')
}

let files: Files
let honest: TestTsa
beforeAll(async () => {
  files = await samplePack({ signer: owner.signer })
  honest = authority(IN_TIME)
})

describe('a time-stamp', () => {
  test('by an authority that the reader named shows by when it existed', async () => {
    const found = await verify(stamped(files, honest), { authorities: [honest.root] })
    expect(outcomes(found)).toMatchObject({ integrity: 'passed', signature: 'passed', time: 'passed' })
    expect(answerText(found, 'time')).toMatch(
      /Time-stamped 2026-11-20T10:05:00.000Z.*“Memory TSA”.*can be verified until 2036/s,
    )
  })

  test.each([
    ['is missing', (): Files => files],
    [
      'is not by an authority that the reader named',
      (): Files => stamped(files, authority(IN_TIME, { name: 'Other' })),
    ],
    ['is by a demonstration key', (): Files => stamped(files, authority(IN_TIME, { demo: true, name: 'Demo' }))],
  ])('that %s shows nothing, and this is stated', async (_, build) => {
    const pack = build()
    const found = await verify(pack, { authorities: [honest.root] })
    expect(outcomes(found).time, answerText(found, 'time')).toBe('indeterminate')
    expect(found.report.ok).toBe(true)
  })

  test('of an authority under the signer’s own root does not count because the signer is trusted', async () => {
    const found = await verify(stamped(files, honest), {}, [owner.root, honest.root])
    expect(outcomes(found).time).toBe('indeterminate')
    expect(answerText(found, 'time')).toMatch(/authority is not trusted/)
  })

  test('whose any byte is altered is refused', async () => {
    const pack = stamped(files, honest)
    const token = bytesAt(pack, PATHS.stamp)
    for (let at = 0; at < token.length; at += times(149, 37)) {
      const bad = Uint8Array.from(token, (byte, index) => (index === at ? byte ^ 0x01 : byte))
      const found = await verify(new Map([...pack, [PATHS.stamp, bad]]), { authorities: [honest.root] })
      expect(outcomes(found).time, `byte ${at}`).toBe('failed')
    }
  })

  test.each([
    ['of another pack', () => authority(IN_TIME).token(new TextEncoder().encode('another seal'))],
    ['that is no token', () => new Uint8Array([0x30, 0x00])],
  ])('%s is refused', async (_, token) => {
    const found = await verify(new Map([...files, [PATHS.stamp, storedResponse(token())]]), {
      authorities: [honest.root],
    })
    expect(outcomes(found).time).toBe('failed')
  })

  test('before the stated evaluation, or in the reader’s future, is a contradiction', async () => {
    const early = authority('2026-11-20T09:30:00Z')
    const found = await verify(stamped(files, early), { authorities: [early.root] })
    expect(outcomes(found).time).toBe('failed')
    expect(answerText(found, 'time')).toMatch(/before the evaluation date stated by the signer/)
    const future = authority('2027-06-01T00:00:00Z')
    expect(outcomes(await verify(stamped(files, future), { authorities: [future.root] })).time).toBe('failed')
  })

  test('long after the stated evaluation is flagged', async () => {
    const late = authority('2026-11-22T11:00:00Z')
    expect(answerText(await verify(stamped(files, late), { authorities: [late.root] }), 'time')).toMatch(
      /2 days before/,
    )
  })
})

describe('in later years', () => {
  const IN_2032 = { verifiedAt: '2032-03-01T00:00:00.000Z' }

  test('the time-stamp still shows the seal of an ended certificate; without one nothing does', async () => {
    const found = await verify(stamped(files, honest), { authorities: [honest.root], ...IN_2032 })
    expect(outcomes(found)).toMatchObject({ signature: 'passed', time: 'passed' })
    expect(outcomes(await verify(files, IN_2032))).toMatchObject({
      signature: 'indeterminate',
      time: 'indeterminate',
    })
  })

  test('an ended authority shows nothing, unless a later time-stamp over it renews it', async () => {
    const at = { verifiedAt: '2040-01-01T00:00:00.000Z' }
    const newer = authority('2035-06-01T00:00:00Z', {
      name: 'Newer',
      validity: { from: '2030-01-01T00:00:00Z', until: '2045-01-01T00:00:00Z' },
    })
    const once = stamped(files, honest)
    const authorities = [honest.root, newer.root]
    const alone = await verify(once, { authorities, ...at })
    expect(outcomes(alone)).toMatchObject({ signature: 'indeterminate', time: 'indeterminate' })
    const renewed = await verify(stamped(once, newer, 2), { authorities, ...at })
    expect(outcomes(renewed)).toMatchObject({ signature: 'passed', time: 'passed' })
    expect(answerText(renewed, 'time')).toMatch(/Time-stamped 2026-11-20T10:05:00.000Z/)
  })

  test('a renewal that is not over the one before is refused; a gap in the count is an added file', async () => {
    const newer = authority('2035-06-01T00:00:00Z', { name: 'Newer' })
    const apart = stamped(files, newer)
    const wrong = new Map([...stamped(files, honest), [stampPath(2), bytesAt(apart, PATHS.stamp)]])
    const at = { authorities: [honest.root, newer.root], verifiedAt: '2035-07-01T00:00:00.000Z' }
    expect(outcomes(await verify(wrong, at)).time).toBe('failed')
    const gap = new Map([...files, [stampPath(2), bytesAt(apart, PATHS.stamp)]])
    expect(outcomes(await verify(gap, at)).integrity).toBe('failed')
  })

  test('a certificate that had ended, or had not begun, at the shown moment is refused', async () => {
    const ended = authority('2029-06-01T00:00:00Z')
    const found = await verify(stamped(files, ended), { authorities: [ended.root], ...IN_2032 })
    expect(outcomes(found).signature).toBe('failed')
    expect(answerText(found, 'signature')).toMatch(/had expired at 2029-06-01/)
    const early = authority('2026-11-19T00:00:00Z')
    expect(outcomes(await verify(stamped(files, early), { authorities: [early.root] })).signature).toBe('failed')
  })
})

describe('revocation', () => {
  test('after the shown moment is reported, and passes; before it, or without one, it is refused', async () => {
    const pack = stamped(files, honest)
    const authorities = [honest.root]
    const after = await verify(pack, { authorities, lists: [listWith('2026-11-21T00:00:00Z')] })
    expect(outcomes(after).signature).toBe('passed')
    expect(answerText(after, 'signature')).toMatch(/revoked later, at 2026-11-21/)
    const before = await verify(pack, { authorities, lists: [listWith('2026-11-20T09:30:00Z')] })
    expect(outcomes(before).signature).toBe('failed')
    expect(answerText(before, 'signature')).toMatch(/before the confirmed time of the seal/)
    const alone = await verify(files, { lists: [listWith('2026-11-21T00:00:00Z')] })
    expect(outcomes(alone).signature).toBe('failed')
    expect(answerText(alone, 'signature')).toMatch(/No time-stamp shows/)
  })

  test('of the authority leaves its time-stamp without weight', async () => {
    const revoked = authority(IN_TIME, { revoked: '2026-11-21T00:00:00Z' })
    const found = await verify(stamped(files, revoked), { authorities: [revoked.root], lists: revoked.crls })
    expect(outcomes(found).time).toBe('indeterminate')
    expect(answerText(found, 'time')).toMatch(/certificate was revoked at/)
  })

  test('lists by other authorities are passed over', async () => {
    const found = await verify(files, { lists: [stranger.crl] })
    expect(outcomes(found).signature).toBe('passed')
  })
})

describe('who sealed', () => {
  test('pinned, known and unknown are distinguished', async () => {
    const signerTrust = async (signers: readonly Uint8Array[]) =>
      (await verify(files, {}, signers)).report.signer?.trust
    expect(await signerTrust([owner.leaf])).toBe('pinned')
    expect(await signerTrust([owner.root])).toBe('known')
    expect(await signerTrust([])).toBe('unknown')
  })

  test('another key under the same root is known, and refused where the first was pinned', async () => {
    const next = nextLeaf(owner.root, owner.rootKey, owner.leaf, {
      now: '2026-11-20T09:30:00.000Z',
      entropy: realEntropy,
    })
    if (next === null) throw new Error('the root ends too soon')
    const other: Signer = signerOf({ ...owner, subject: 'Owner', leaf: next.leaf, key: next.key })
    const pack = await samplePack({ signer: other })
    expect(outcomes(await verify(pack)).signature).toBe('passed')
    expect(outcomes(await verify(pack, {}, [owner.leaf])).signature).toBe('failed')
  })

  test('a seal moved over from another pack of the same signer is refused', async () => {
    const other = await samplePack({ signer: owner.signer, population: ['node-a'] })
    const moved = new Map([...files, [PATHS.seal, bytesAt(other, PATHS.seal)]])
    expect(outcomes(await verify(moved)).signature).toBe('failed')
  })

  test('a chain that is cut short is refused', async () => {
    const leafOnly = new TextEncoder().encode(pem('CERTIFICATE', owner.leaf))
    const noLists = [...files].filter(([path]) => !path.startsWith('signature/crls/'))
    const pack = await reseal(new Map([...noLists, [PATHS.chain, leafOnly]]), owner.signer)
    const found = await verify(pack, {}, [owner.leaf])
    expect(outcomes(found).signature).toBe('failed')
    expect(answerText(found, 'signature')).toMatch(/certificate chain is incomplete/)
  })
})

describe('the report in a pack', () => {
  const withReport = async (report: Uint8Array): Promise<Files> =>
    await reseal(relist(new Map([...files, [PATHS.report, report]])), owner.signer)

  test.each([
    ['an older one of the same signer', { population: ['node-a'] }, () => owner.signer, /produced for other evidence/],
    ['one that a stranger signed', {}, () => stranger.signer, /sealed with a different key from the pack/],
  ])('replaced by %s is refused, for any signer of the pack', async (_, options, signer, words) => {
    const other = await samplePack({ signer: signer(), ...options })
    const found = await verify(await withReport(bytesAt(other, PATHS.report)))
    expect(outcomes(found).completeness).toBe('failed')
    expect(answerText(found, 'completeness')).toMatch(words)
  })
})
