import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../main/core/base/canonical-json.ts'
import { rootOf, sha256, verifyConsistency } from '../main/core/base/digest.ts'
import { isSafePath } from '../main/core/pack/pack-files.ts'
import { chainAnswer } from '../main/core/run-chain/answer.ts'
import {
  type ChainEntry,
  entryBytes,
  entryLine,
  type GapEntry,
  type LoggedEntry,
  leafOf,
  nodesDigest,
  ownEntry,
  parseEntryLine,
  type RunChain,
  type RunEntry,
} from '../main/core/run-chain/entry.ts'
import { headOf, headText, parseHead } from '../main/core/run-chain/head.ts'
import { CHAIN_PATHS, chainFiles, inclusionRecipe } from '../main/core/run-chain/notes.ts'
import { type ChainReading, readChainFiles, type SignatureProblems } from '../main/core/run-chain/read.ts'
import { BANNED } from '../schemas/words.ts'
import { times } from './support/thorough.ts'

const ID = 'ab'.repeat(32)
const SIGNER = 'cd'.repeat(32)
const day = (number: number): string => `2026-03-${String(number).padStart(2, '0')}T06:00:00.000Z`

const runOn = (number: number, changes: Partial<RunEntry> = {}): RunEntry => ({
  kind: 'run',
  run: `r${number}`,
  at: day(number),
  fleet: 'clinic',
  nodes: sha256('nodes'),
  tagManifest: sha256(`pack ${number}`),
  signer: SIGNER,
  ...changes,
})
const gapOn = (number: number, why = 'the jump host was down'): GapEntry => ({
  kind: 'gap',
  due: day(number),
  at: `2026-03-${String(number).padStart(2, '0')}T07:30:00.000Z`,
  fleet: 'clinic',
  why,
  signer: SIGNER,
})
/** A stand-in for a signature that says what it is over. */
const signatureOf = (entry: ChainEntry): string => Buffer.from(`signed ${sha256(entryBytes(entry))}`).toString('base64')
const logged = (entry: ChainEntry): LoggedEntry =>
  entry.kind === 'run' || entry.kind === 'period'
    ? { entry, signature: null }
    : { entry, signature: signatureOf(entry) }
const chainOf = (...entries: readonly ChainEntry[]): RunChain => ({
  id: ID,
  fleet: 'clinic',
  entries: entries.map(logged),
})

const verifySignature: SignatureProblems = async (bytes, signature) =>
  Buffer.from(signature).toString() === `signed ${sha256(bytes)}` ? [] : ['The signature is over other bytes.']

type Texts = Readonly<Record<string, string>>
const textsOf = (chain: RunChain): Texts =>
  Object.fromEntries([...chainFiles(chain)].map(([path, bytes]) => [path, Buffer.from(bytes).toString('utf8')]))
const readTexts = (texts: Texts): Promise<ChainReading | null> =>
  readChainFiles(async (path) => texts[path] ?? null, verifySignature)
async function read(chain: RunChain): Promise<ChainReading> {
  const reading = await readTexts(textsOf(chain))
  if (reading === null) throw new Error('nothing was read')
  return reading
}

/** Seven days: five runs, two gaps. The pack of day 8 carries it. */
const HISTORY = [runOn(1), gapOn(2), runOn(3), runOn(4), gapOn(5), runOn(6), runOn(7)] as const
const history = chainOf(...HISTORY)
const own = runOn(8)
const text = (path: string): string => textsOf(history)[path] ?? ''

test('of any number of signed entries, few invalid and no repeated signatures are read', async () => {
  let reads = 0
  const counting: SignatureProblems = async (...asked) => {
    reads += 1
    return await verifySignature(...asked)
  }
  const read = async (chain: RunChain): Promise<readonly string[]> => {
    reads = 0
    const files = chainFiles(chain)
    const textOf = async (path: string) => {
      const bytes = files.get(path)
      return bytes === undefined ? null : new TextDecoder().decode(bytes)
    }
    return (await readChainFiles(textOf, counting))?.problems ?? ['none']
  }
  expect(await read(chainOf(...Array.from({ length: 2000 }, () => gapOn(3))))).toEqual([])
  expect(reads).toBe(1)
  const wrong = Array.from({ length: 2000 }, (_, at) => ({ entry: gapOn(3, `${at}`), signature: 'AAAA' }))
  expect((await read({ ...chainOf(), entries: wrong })).length).toBeGreaterThan(50)
  expect(reads).toBeLessThan(60)
})

describe('entries', () => {
  test('a line is the canonical text of entry and signature', () => {
    expect(entryLine(logged(runOn(1)))).toBe(
      `{"entry":{"at":"2026-03-01T06:00:00.000Z","fleet":"clinic","kind":"run","nodes":"${sha256('nodes')}","run":"r1","signer":"${SIGNER}","tagManifest":"${sha256('pack 1')}"},"signature":null}\n`,
    )
    expect(parseEntryLine(entryLine(logged(gapOn(2))).slice(0, -1))).toEqual(logged(gapOn(2)))
  })

  test('the digest of the nodes depends on names and keys, not on their order', () => {
    const a = { name: 'a', hostKey: 'SHA256:x' }
    const b = { name: 'b', hostKey: null }
    expect(nodesDigest([b, a])).toBe(sha256('[["a","SHA256:x"],["b",null]]'))
    expect(nodesDigest([a, b])).toBe(nodesDigest([b, a]))
    expect(nodesDigest([a])).not.toBe(nodesDigest([a, b]))
    expect(nodesDigest([{ ...a, hostKey: 'SHA256:y' }, b])).not.toBe(nodesDigest([a, b]))
  })

  test('a pack’s own entry comes from what the pack states', () => {
    const sealed = new TextEncoder().encode('the tag manifest')
    const nodes = [{ name: 'a', recording: null, hostKey: null }]
    expect(ownEntry({ run: 'r8', asOf: day(8), fleet: 'clinic', nodes }, sealed, SIGNER)).toEqual({
      kind: 'run',
      run: 'r8',
      at: day(8),
      fleet: 'clinic',
      nodes: sha256('[["a",null]]'),
      tagManifest: sha256('the tag manifest'),
      signer: SIGNER,
    })
  })

  const runLine = { entry: runOn(1), signature: null }
  const gapLine = logged(gapOn(2))
  test.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['another order of members', JSON.stringify({ signature: null, entry: runOn(1) })],
    ['a space', canonicalJson(runLine).replace(',', ', ')],
    ['a line end', `${canonicalJson(runLine)}\n`],
    ['a repeated member', canonicalJson(runLine).replace('"kind":"run"', '"kind":"run","kind":"run"')],
    ['one member more', canonicalJson({ ...runLine, more: 1 })],
    ['one member more inside', canonicalJson({ ...runLine, entry: { ...runOn(1), more: 1 } })],
    ['one member less', canonicalJson({ ...runLine, entry: { ...runOn(1), signer: undefined } })],
    ['another kind', canonicalJson({ ...runLine, entry: { ...runOn(1), kind: 'note' } })],
    ['no digest', canonicalJson({ ...runLine, entry: runOn(1, { nodes: 'xx' }) })],
    ['a digest in capitals', canonicalJson({ ...runLine, entry: runOn(1, { nodes: SIGNER.toUpperCase() }) })],
    ['no time', canonicalJson({ ...runLine, entry: runOn(1, { at: 'yesterday' }) })],
    ['a time that is none', canonicalJson({ ...runLine, entry: runOn(1, { at: '2026-13-01T00:00:00.000Z' }) })],
    ['an empty name', canonicalJson({ ...runLine, entry: runOn(1, { run: '' }) })],
    ['a signature on a run', canonicalJson({ ...runLine, signature: 'AAAA' })],
    ['a signature that is no base64', canonicalJson({ ...gapLine, signature: 'A A=' })],
    ['an empty signature', canonicalJson({ ...gapLine, signature: '' })],
    ['endless words', canonicalJson({ ...gapLine, entry: gapOn(2, 'x'.repeat(1001)) })],
    ['deep nesting', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
    ['deep nesting in a member', `{"entry":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)},"signature":null}`],
  ])('refused: %s', (_, line) => {
    expect(parseEntryLine(line)).toBeNull()
  })

  test('whatever the line, reading it returns', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (line) => parseEntryLine(line) === null))
  })
})

describe('the files of a pack', () => {
  test('of the first pack: an empty chain, and no proof', () => {
    expect(textsOf(chainOf())).toEqual({
      'data/log/chain.json': `{"fleet":"clinic","id":"${ID}","root":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","schema":"barewitness.run-chain/1","size":0}\n`,
      'data/log/entries.jsonl': '',
      'data/log/leaves.txt': '',
    })
  })

  test('of the second pack: the first one, tied to the empty head', () => {
    const leaf = leafOf(runOn(1))
    expect(textsOf(chainOf(runOn(1)))).toEqual({
      'data/log/chain.json': `{"fleet":"clinic","id":"${ID}","root":"${leaf}","schema":"barewitness.run-chain/1","size":1}\n`,
      'data/log/entries.jsonl': entryLine(logged(runOn(1))),
      'data/log/leaves.txt': `${leaf}\n`,
      'data/log/inclusion.txt': `index 0\nsize 1\nleaf ${leaf}\nroot ${leaf}\n`,
      'data/log/consistency.txt': `old-size 0\nold-root ${sha256('')}\nnew-size 1\nnew-root ${leaf}\n`,
    })
  })

  test('only gaps before: no proof, since no pack came before', () => {
    expect(Object.keys(textsOf(chainOf(gapOn(1), gapOn(2))))).toEqual([
      CHAIN_PATHS.chain,
      CHAIN_PATHS.entries,
      CHAIN_PATHS.leaves,
    ])
  })

  test('a pack can hold every name', () => {
    expect(Object.values(CHAIN_PATHS).filter((path) => !isSafePath(path))).toEqual([])
  })

  test('each pack’s proof starts at the head that the previous pack states', async () => {
    for (let count = 0; count < HISTORY.length; count += 1) {
      const entry = HISTORY[count]
      if (entry?.kind !== 'run') continue
      const stated = JSON.parse(textsOf(chainOf(...HISTORY.slice(0, count)))[CHAIN_PATHS.chain] ?? '') as {
        size: number
        root: string
      }
      const next = HISTORY.findIndex((one, index) => index > count && one.kind === 'run')
      if (next < 0) continue
      const after = textsOf(chainOf(...HISTORY.slice(0, next)))[CHAIN_PATHS.consistency] ?? ''
      expect(after).toContain(`old-size ${stated.size}\nold-root ${stated.root}\n`)
    }
  })

  test('read back as they were', async () => {
    for (const chain of [chainOf(), chainOf(runOn(1)), chainOf(gapOn(1)), chainOf(runOn(1), gapOn(2)), history]) {
      const reading = await read(chain)
      expect(reading.problems).toEqual([])
      expect(reading).toMatchObject(chain)
      expect(reading.leaves).toEqual(chain.entries.map(({ entry }) => leafOf(entry)))
    }
  })

  test('no file at all is no history, which is another thing than a broken one', async () => {
    expect(await readTexts({})).toBeNull()
  })

  test('every file left out is noticed', async () => {
    for (const path of Object.values(CHAIN_PATHS)) {
      const { [path]: _, ...rest } = textsOf(history)
      expect((await readTexts(rest))?.problems[0], path).toContain(path)
    }
  })

  test('any altered character of any file is noticed', async () => {
    const texts = textsOf(history)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.values(CHAIN_PATHS)),
        fc.nat(),
        fc.constantFrom('0', '7', 'a', 'f', '"', '\n', ' ', 'r'),
        fc.constantFrom('replace', 'insert', 'delete'),
        async (path, seed, character, how) => {
          const before = texts[path] ?? ''
          const at = seed % before.length
          const rest = how === 'insert' ? before.slice(at) : before.slice(at + 1)
          const altered = before.slice(0, at) + (how === 'delete' ? '' : character) + rest
          const reading = await readTexts({ ...texts, [path]: altered })
          // The chain's id is tied by nothing inside the files: a pack states it under its seal, and a kept head names it.
          const idOnly = path === CHAIN_PATHS.chain && reading?.id !== ID && reading?.id.length === 64
          expect(altered === before || idOnly || (reading?.problems.length ?? 0) > 0).toBe(true)
        },
      ),
      { numRuns: 600 },
    )
  })

  const without = (index: number): RunChain => ({ ...history, entries: history.entries.toSpliced(index, 1) })
  test.each([
    [
      'an entry rewritten, nothing else',
      {
        [CHAIN_PATHS.entries]:
          textsOf(chainOf(...HISTORY.with(3, runOn(4, { run: 'r4x' }))))[CHAIN_PATHS.entries] ?? '',
      },
      [
        'The root in data/log/chain.json is not the root of the entries in data/log/entries.jsonl.',
        'data/log/leaves.txt:4 is not the leaf hash of data/log/entries.jsonl:4.',
      ],
    ],
    [
      'an entry cut from the list',
      { [CHAIN_PATHS.entries]: textsOf(without(1))[CHAIN_PATHS.entries] ?? '' },
      ['data/log/chain.json states 7 entries, but data/log/entries.jsonl has 6.'],
    ],
    [
      'a leaf hash more',
      { [CHAIN_PATHS.leaves]: `${text(CHAIN_PATHS.leaves)}${SIGNER}\n` },
      ['data/log/leaves.txt is missing, or does not correspond to data/log/entries.jsonl.'],
    ],
    [
      'the proof of another run',
      { [CHAIN_PATHS.inclusion]: textsOf(without(6))[CHAIN_PATHS.inclusion] ?? '' },
      ['data/log/inclusion.txt does not lead from the last run, data/log/entries.jsonl:7, to the root of the chain.'],
    ],
    [
      'a proof from another head',
      { [CHAIN_PATHS.consistency]: textsOf(without(6))[CHAIN_PATHS.consistency] ?? '' },
      ['data/log/consistency.txt does not connect the checkpoint stated by the last run to the root of the chain.'],
    ],
  ])('%s', async (_, changed, problems) => {
    const reading = await readTexts({ ...textsOf(history), ...changed })
    expect(reading?.problems).toEqual(expect.arrayContaining(problems))
  })

  test('proofs where no run came before', async () => {
    const { [CHAIN_PATHS.inclusion]: inclusion = '' } = textsOf(history)
    const reading = await readTexts({ ...textsOf(chainOf(gapOn(1))), [CHAIN_PATHS.inclusion]: inclusion })
    expect(reading?.problems).toEqual(['There are proofs for an earlier run, but no earlier run is entered.'])
  })

  test('consistent in itself, and still wrong: a pack entered twice, an entry of another fleet, a gap signed over other words', async () => {
    const twice = await read(chainOf(runOn(1), runOn(3), runOn(4, { tagManifest: runOn(1).tagManifest })))
    expect(twice.problems).toEqual(['data/log/entries.jsonl:3 enters the same pack as line 1.'])
    const foreign = await read(chainOf(runOn(1, { fleet: 'other' })))
    expect(foreign.problems).toEqual([
      'data/log/entries.jsonl:1 is of fleet “other”, but the chain is of fleet “clinic”.',
    ])
    const moved: LoggedEntry = { entry: gapOn(2, 'a milder word'), signature: signatureOf(gapOn(2)) }
    const { problems } = await read({ ...history, entries: history.entries.with(1, moved) })
    expect(problems).toEqual([
      'data/log/entries.jsonl:2: the signature of the entry is invalid. The signature is over other bytes.',
    ])
  })

  test('the key that a gap names is handed to the verifier of its signature', async () => {
    const asked: string[] = []
    const texts = textsOf(chainOf(gapOn(1)))
    await readChainFiles(
      async (path) => texts[path] ?? null,
      async (bytes, signature, signer) => {
        asked.push(Buffer.from(bytes).toString(), Buffer.from(signature).toString(), signer)
        return []
      },
    )
    expect(asked).toEqual([canonicalJson(gapOn(1)), `signed ${sha256(entryBytes(gapOn(1)))}`, SIGNER])
  })
})

describe('the head that a reader keeps', () => {
  test('counts the pack itself', async () => {
    const head = headOf(await read(history), own, day(9))
    expect(head).toEqual({
      schema: 'barewitness.chain-head/1',
      chain: ID,
      fleet: 'clinic',
      size: 8,
      root: rootOf([...HISTORY, own].map(leafOf)),
      seenAt: day(9),
      lastRun: 'r8',
    })
    expect(parseHead(headText(head))).toEqual({ ok: true, value: head })
    expect(parseHead(JSON.stringify(head, null, 2))).toEqual({ ok: true, value: head })
  })

  test.each([
    ['nothing', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['no size', '{"schema":"barewitness.chain-head/1"}'],
  ])('refused: %s', (_, kept) => {
    expect(parseHead(kept)).toMatchObject({ ok: false, error: { code: 'input.refused' } })
  })

  test('refused: a size of 0, a fraction, another schema, a member more', async () => {
    const head = headOf(await read(history), own, day(9))
    for (const changes of [{ size: 0 }, { size: 1.5 }, { size: '8' }, { schema: 'x' }, { root: '' }, { more: 1 }])
      expect(parseHead(JSON.stringify({ ...head, ...changes })).ok).toBe(false)
  })
})

const KEPT = 'A run chain kept by its owner does not show runs that were never entered.'
const GAP_2 =
  'A run due at 2026-03-02T06:00:00.000Z did not take place; entered at 2026-03-02T07:30:00.000Z: “the jump host was down”.'
const GAP_5 =
  'A run due at 2026-03-05T06:00:00.000Z did not take place; entered at 2026-03-05T07:30:00.000Z: “the jump host was down”.'
const SEEN_6 = `Your checkpoint: run chain ${ID} of fleet “clinic”, 2026-03-06T06:00:00.000Z, 4 entries, the last one run “r4”.`

describe('the answer', () => {
  /** The head of the reader who last read the pack of day 4. */
  const seenOnDay6 = async () => headOf(await read(chainOf(...HISTORY.slice(0, 3))), runOn(4), day(6))

  test('without a history', async () => {
    expect(chainAnswer(null, own, null)).toEqual({
      check: 'continuity',
      outcome: 'indeterminate',
      summary: 'The pack contains no run chain.',
      details: [KEPT],
    })
    expect(chainAnswer(null, own, await seenOnDay6())).toEqual({
      check: 'continuity',
      outcome: 'failed',
      summary: 'The pack contains no run chain, but you supplied a checkpoint.',
      details: [SEEN_6],
    })
  })

  test('without a kept head: what is stated, and that it is not shown', async () => {
    expect(chainAnswer(await read(history), own, null)).toEqual({
      check: 'continuity',
      outcome: 'indeterminate',
      needs: 'checkpoint',
      summary:
        'No checkpoint supplied. The run chain has 5 runs and 2 missed runs since 2026-03-01T06:00:00.000Z. To check continuity, supply a checkpoint from an earlier pack.',
      details: [GAP_2, GAP_5, KEPT],
    })
    expect(chainAnswer(await read(chainOf()), runOn(1), null)).toMatchObject({
      outcome: 'indeterminate',
      summary: expect.stringMatching(/^No checkpoint supplied\. The run chain has no earlier entries\./),
    })
  })

  test('extends what was last seen: only what came since is listed', async () => {
    expect(chainAnswer(await read(history), own, await seenOnDay6())).toEqual({
      check: 'continuity',
      outcome: 'passed',
      summary: 'Extends your checkpoint by 3 runs and 1 missed run; no entry removed or changed.',
      details: [SEEN_6, GAP_5, KEPT],
    })
  })

  test('the very next pack', async () => {
    const head = headOf(await read(history), own, day(8))
    const next = await read(chainOf(...HISTORY, own))
    expect(chainAnswer(next, runOn(9), head)).toMatchObject({
      outcome: 'passed',
      summary: 'Extends your checkpoint by 1 run and 0 missed runs; no entry removed or changed.',
    })
  })

  test('the same pack again', async () => {
    const head = headOf(await read(history), own, day(8))
    const { outcome, summary, details } = chainAnswer(await read(history), own, head)
    expect([outcome, summary, details.at(-1)]).toEqual([
      'passed',
      'This is the pack of your checkpoint, at the same entry of the run chain.',
      KEPT,
    ])
  })

  test('two packs for one place', async () => {
    const head = headOf(await read(history), own, day(8))
    const rival = runOn(8, { run: 'r8b', tagManifest: sha256('another pack') })
    expect(chainAnswer(await read(history), rival, head)).toMatchObject({
      outcome: 'failed',
      summary: 'Does not extend your checkpoint: two packs exist for entry 8.',
      details: [
        'Your checkpoint has run “r8” there; this pack is of run “r8b”. It or an earlier entry differs.',
        expect.stringContaining('8 entries'),
      ],
    })
    const sameName = runOn(8, { tagManifest: sha256('another pack') })
    expect(chainAnswer(await read(history), sameName, head).outcome).toBe('failed')
  })

  test('another chain', async () => {
    const head = { ...(await seenOnDay6()), chain: 'ef'.repeat(32) }
    expect(chainAnswer(await read(history), own, head)).toMatchObject({
      outcome: 'failed',
      summary: 'Does not extend your checkpoint: it is a different run chain.',
    })
  })

  test('cut: fewer entries than were seen', async () => {
    const head = headOf(await read(history), own, day(8))
    expect(chainAnswer(await read(chainOf(...HISTORY.slice(0, 3))), runOn(9), head)).toMatchObject({
      outcome: 'failed',
      summary: 'Does not extend your checkpoint: 4 instead of 8 entries.',
    })
  })

  test('rewritten: any earlier entry changed, left out or put in, however consistent the pack is in itself', async () => {
    const head = headOf(await read(history), own, day(8))
    const all = [...HISTORY, own]
    for (let at = 0; at < all.length; at += 1) {
      for (const rewritten of [
        all.with(at, runOn(20)),
        [...all.toSpliced(at, 1), runOn(21)],
        all.toSpliced(at, 0, gapOn(22)),
      ]) {
        const reading = await read(chainOf(...rewritten, runOn(23)))
        expect(reading.problems).toEqual([])
        const { outcome, summary } = chainAnswer(reading, runOn(24), head)
        expect([outcome, summary]).toEqual([
          'failed',
          'Does not extend your checkpoint: the first 8 entries were changed.',
        ])
      }
    }
  })

  test('rewritten: names the entry when the head shows it', async () => {
    const head = headOf(await read(history), own, day(8))
    const swapped = chainAnswer(await read(chainOf(...HISTORY, gapOn(8), runOn(9))), runOn(10), head)
    expect(swapped.details[0]).toBe('Entry 8 is run “r8” in your checkpoint, and a missed run in this pack.')
    const renamed = chainAnswer(await read(chainOf(...HISTORY, runOn(9))), runOn(10), head)
    expect(renamed.details[0]).toBe('Entry 8 is run “r8” in your checkpoint, and run “r9” in this pack.')
    const early = chainAnswer(await read(chainOf(...HISTORY.with(0, runOn(20)), own)), runOn(10), head)
    expect(early.details[0]).toBe(
      'A checkpoint does not show which entries differ. Compare data/log/leaves.txt with that of an older pack.',
    )
  })

  test('broken inside', async () => {
    const reading = await readTexts({ ...textsOf(history), [CHAIN_PATHS.leaves]: '' })
    expect(chainAnswer(reading, own, null)).toMatchObject({
      outcome: 'failed',
      summary: 'The run chain in the pack is inconsistent.',
      details: ['data/log/leaves.txt:1 is not the leaf hash of data/log/entries.jsonl:1.'],
    })
    expect(chainAnswer(await read(history), runOn(8, { fleet: 'other' }), null)).toMatchObject({
      outcome: 'failed',
      details: ['The pack is of fleet “other”, but its run chain is of fleet “clinic”.'],
    })
  })

  test('a pack whose own entry cannot be worked out', async () => {
    const reading = await read(history)
    expect(chainAnswer(reading, null, await seenOnDay6())).toMatchObject({
      outcome: 'passed',
      summary: 'Extends your checkpoint by 2 runs and 1 missed run; no entry removed or changed.',
    })
    expect(chainAnswer(reading, null, headOf(reading, own, day(8))).outcome).toBe('indeterminate')
  })

  test('what is odd and breaks nothing is reported', async () => {
    const odd: RunChain = {
      ...history,
      entries: [
        logged(runOn(9)),
        logged(runOn(3)),
        { entry: gapOn(4), signature: null },
        logged(runOn(9, { tagManifest: sha256('again'), signer: 'ef'.repeat(32) })),
      ],
    }
    const reading = await read(odd)
    expect(reading.problems).toEqual([])
    expect(chainAnswer(reading, runOn(10), null).details.slice(1)).toEqual([
      'Entry 2 is dated 2026-03-03T06:00:00.000Z, more than 10 minutes before entry 1, 2026-03-09T06:00:00.000Z.',
      'Run “r9” was sealed 2 times, as entries 1, 4. Compare its packs.',
      `The entries have 2 signing keys: ${SIGNER}, ${'ef'.repeat(32)}.`,
      '1 entry without a pack is not signed.',
      KEPT,
    ])
  })

  test('ten minutes back are not reported, since clocks differ', async () => {
    const near = (at: string): Promise<ChainReading> => read(chainOf(runOn(3), runOn(4, { at })))
    expect(chainAnswer(await near('2026-03-03T05:50:00.000Z'), null, null).details).toEqual([KEPT])
    expect(chainAnswer(await near('2026-03-03T05:49:59.999Z'), null, null).details).toHaveLength(2)
  })

  test('hostile names and words are shown as plain text, and long lists are cut', async () => {
    const gaps = Array.from({ length: 150 }, () => gapOn(1, 'all\u202ewell\u001b[2J'))
    const { details } = chainAnswer(await read(chainOf(...gaps)), runOn(2, { run: 'r\u001b2' }), null)
    expect(details[0]).toContain('“all\\u{202e}well\\u{1b}[2J”')
    expect(details).toHaveLength(102)
    expect(details[100]).toBe('And 50 more of this kind.')
  })

  test('no text over-claims', async () => {
    const reading = await read(history)
    const head = headOf(reading, own, day(8))
    const said = [
      chainAnswer(null, own, null),
      chainAnswer(reading, own, null),
      chainAnswer(reading, own, head),
      chainAnswer(reading, runOn(9), head),
      chainAnswer(await read(chainOf(...HISTORY.with(0, runOn(20)), own)), runOn(10), head),
    ].flatMap(({ summary, details }) => [summary, ...details])
    for (const banned of BANNED) expect([...said, ...inclusionRecipe()].join('\n')).not.toMatch(banned)
  })

  test('for any history and any place where the reader last looked: extends it exactly if it begins with it', async () => {
    const kinds = fc.array(fc.boolean(), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(kinds, fc.nat(), fc.nat(), fc.boolean(), async (runs, seenSeed, changeSeed, rewrite) => {
        const entries = runs.map((run, index) =>
          run ? runOn(1, { run: `r${index}`, tagManifest: sha256(`p${index}`) }) : gapOn(1, `gap ${index}`),
        )
        const seenAt = seenSeed % entries.length
        const then = runOn(1, { run: 'seen', tagManifest: sha256('seen') })
        const all = entries.with(seenAt, then)
        const head = headOf(await read(chainOf(...all.slice(0, seenAt))), then, day(1))
        const changed = changeSeed % all.length
        const now = rewrite ? all.with(changed, runOn(2, { tagManifest: sha256('new') })) : all
        const { outcome } = chainAnswer(await read(chainOf(...now)), runOn(3), head)
        expect(outcome).toBe(rewrite && changed <= seenAt ? 'failed' : 'passed')
      }),
      { numRuns: 150 },
    )
  })
})

test('very many entries are written and read: none is looked at for each other one', async () => {
  const entries = Array.from({ length: times(10_000, 60_000) }, (_, index) =>
    logged(runOn(1, { run: `r${index}`, tagManifest: sha256(`p${index}`) })),
  )
  const reading = await read({ id: ID, fleet: 'clinic', entries })
  expect(reading.problems).toEqual([])
  expect(chainAnswer(reading, runOn(2), headOf(reading, runOn(2), day(2))).outcome).toBe('passed')
})

test('the consistency proof in the files verifies on its own', () => {
  const lines = text(CHAIN_PATHS.consistency).split('\n')
  const value = (name: string): string => lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1] ?? ''
  const path = lines.filter((line) => line.startsWith('path ')).map((line) => line.slice(5))
  const heads = { oldSize: 6, oldRoot: value('old-root'), newSize: 7, newRoot: value('new-root') }
  expect([value('old-size'), value('new-size')]).toEqual(['6', '7'])
  expect(verifyConsistency({ ...heads, path })).toBe(true)
})
