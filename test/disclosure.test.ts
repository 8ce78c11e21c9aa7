import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { discloseCopy, revealedCopy, revealFile } from '../main/app/export/excerpt.ts'
import { canonicalJson } from '../main/core/base/canonical-json.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { PATHS } from '../main/core/pack/pack.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import type { LoadedRecording } from '../main/core/recording/recording.ts'
import { disclosureAnswers } from '../main/verify/disclosure/answers.ts'
import {
  bytesOfUnit,
  type DisclosedUnit,
  indexProblems,
  isOpen,
  textOfParts,
  UNITS_PATH,
} from '../main/verify/disclosure/cuts/copy.ts'
import { INDEX_PATH, SEED_PATH } from '../main/verify/disclosure/cuts/parts.ts'
import { unitText } from '../main/verify/disclosure/disclose.ts'
import { NOTES_PATH } from '../main/verify/disclosure/notes.ts'
import { type DisclosureReading, isDisclosure, readDisclosure } from '../main/verify/disclosure/read.ts'
import {
  applyReveal,
  checkReveal,
  type Place,
  readReveal,
  revealBytes,
  revealSpan,
} from '../main/verify/disclosure/reveal.ts'
import { copyOf, disclosablePack, textIn } from './support/disclosure.ts'
import {
  AS_OF,
  SAMPLE_RULES,
  sampleCatalog,
  sampleRecording,
  sampleSigner,
  sealing,
  sourceOf,
} from './support/sample-pack.ts'

type Files = ReadonlyMap<string, Uint8Array>

let folder: string
let signer: Signer
let pack: Files

const NODE_B = 'data/nodes/node-b'
const HIDDEN = '10.20.30.77'

/** node-b names an address in its answer, twice. */
const recordings = (): readonly LoadedRecording[] => [
  sampleRecording('node-a', ''),
  sampleRecording('node-b', `/dev/nbd0 file 1 0 -2 ${HIDDEN} ${HIDDEN}\n`),
]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'barewitness-disclosure-'))
  signer = await sampleSigner(folder, 'owner')
  pack = await disclosablePack({ signer, catalog: sampleCatalog, recordings: recordings(), asOf: AS_OF })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const read = (files: Files): Promise<DisclosureReading> => readDisclosure(sourceOf(files))
const openPath = (unit: DisclosedUnit): string => textOfParts(unit.path, () => '·')
/** One line of the units with its parts meddled with. */
function changedParts(line: string, at: number, how: string): string {
  const unit = JSON.parse(line) as { content: { class: string }[]; path: unknown }
  const count = unit.content.length
  const place = at % Math.max(count, 1)
  const part = unit.content[place]
  if (part === undefined) return line
  const [before, after] = [unit.content.slice(0, place), unit.content.slice(place + 1)]
  const content =
    how === 'drop'
      ? [...before, ...after]
      : how === 'double'
        ? [...before, part, part, ...after]
        : how === 'swap'
          ? [...after, part, ...before]
          : [...before, { ...part, class: part.class === 'ipv6' ? 'ipv4' : 'ipv6' }, ...after]
  return canonicalJson({ ...unit, content })
}

describe('a disclosed copy', () => {
  test('holds the seal, the index and the units, and nothing else', async () => {
    const { files } = await copyOf(pack, sampleCatalog, { classes: ['ipv4'] })
    expect([...files.keys()].sort()).toEqual([
      'bagit.txt',
      'disclosed.jsonl',
      'disclosure-sha256.txt',
      'disclosure.json',
      'signature/chain.pem',
      ...[...files.keys()].filter((path) => path.startsWith('signature/crls/')),
      'signature/tagmanifest.p7s',
      'tagmanifest-sha256.txt',
      ...[...pack.keys()].filter((path) => path === PATHS.verifyScript),
    ])
    for (const [path, bytes] of files) if (pack.has(path)) expect(bytes).toEqual(pack.get(path))
  })

  test('reads back without a problem, and every unit without a withheld part is the file it was', async () => {
    const { files, notes } = await copyOf(pack, sampleCatalog, { classes: ['ipv4'] })
    const reading = await read(files)
    expect(reading.problems).toEqual([])
    expect(reading.notes).toEqual(notes)
    const whole = reading.units.filter((unit) => unit.content.every(isOpen))
    for (const unit of whole) expect(bytesOfUnit(unit)).toEqual(pack.get(openPath(unit)))
    // Both headers, the raw answer, the lines that name it, what rests on it, and the report.
    expect(reading.units.length - whole.length).toBe(8)
    expect(reading.counts.redacted).toMatchObject({ ipv4: 6, file: 1 })
  })

  test('opens to the same bytes whatever was withheld from it, and the seal is the pack’s own', async () => {
    const { files } = await copyOf(pack, sampleCatalog, { classes: ['digest'] })
    const [seal, list] = [files.get(PATHS.seal), files.get(PATHS.tagManifest)]
    if (seal === undefined || list === undefined) throw new Error('no seal')
    const said = await sealing.reader.read({
      content: list,
      signature: seal,
      chain: [signer.certificate, ...signer.chain],
      crls: signer.crls,
      timestamps: [],
      tsaChain: [],
      tsaCrls: [],
      freshCrls: [],
    })
    expect(said.problems).toEqual([])
  })

  test('never has the seed, a manifest or the statement', async () => {
    const { files } = await copyOf(pack, sampleCatalog, { classes: ['ipv4'] })
    const all = [...files.values()].map((bytes) => new TextDecoder().decode(bytes)).join('\n')
    expect(all).not.toContain(textIn(pack, SEED_PATH).trim())
    expect(files.has(PATHS.manifest)).toBe(false)
    expect(files.has(PATHS.statement)).toBe(false)
  })

  test('withheld parts are named where people read', async () => {
    const { files } = await copyOf(pack, sampleCatalog, { classes: ['ipv4', 'node'] })
    const reading = await read(files)
    const texts = reading.units.map(unitText)
    expect(
      texts.some((text) => text.includes('/dev/nbd0 file 1 0 -2 ⟦IPv4 address, up to 16 bytes, redacted⟧ ⟦IPv4')),
    ).toBe(true)
    expect(
      texts.some((text) =>
        text.startsWith('data/nodes/⟦node name or address, up to 8 bytes, redacted⟧/recording.json'),
      ),
    ).toBe(true)
    for (const text of texts) expect(text).not.toMatch(/node-[ab]|10\.20\.30/)
  })

  test('a withheld node leaves neither its name nor its answers, and its results stay', async () => {
    const { files, notes } = await copyOf(pack, sampleCatalog, { nodes: ['node-b'] })
    const all = [...files.values()].map((bytes) => new TextDecoder('latin1').decode(bytes)).join('\n')
    expect(all).not.toMatch(/node-b|nbd0|10\.20\.30/)
    expect(all).toContain('node-a')
    expect(notes.underivable).toEqual({
      verdicts: [{ node: 'withheld-node-2', check: 'encryption.at-rest.swap', verdict: 'not-satisfied' }],
      isolation: ['withheld-node-2'],
      unstated: [],
    })
    expect(notes.policy).toEqual({ classes: [], nodes: 1, paths: [] })
  })

  test('a pack without a seed, an empty policy and unknown names are refused', async () => {
    const bare = new Map([...pack].filter(([path]) => path !== SEED_PATH))
    await expect(copyOf(bare, sampleCatalog, { classes: ['ipv4'] })).rejects.toThrow(/input\.refused: this pack has no/)
    await expect(copyOf(pack, sampleCatalog, {})).rejects.toThrow(/input\.refused: nothing to redact/)
    await expect(copyOf(pack, sampleCatalog, { nodes: ['node-z'] })).rejects.toThrow(/has no node “node-z”/)
    await expect(copyOf(pack, sampleCatalog, { paths: ['data/x'] })).rejects.toThrow(/has no file “data\/x”/)
  })

  test('an index that is not over the payload is a problem of the full pack', async () => {
    expect(await indexProblems(sourceOf(pack))).toEqual([])
    const lines = textIn(pack, INDEX_PATH).split('\n')
    const forged = new Map([
      ...pack,
      [INDEX_PATH, new TextEncoder().encode(['0'.repeat(64), ...lines.slice(1)].join('\n'))],
    ])
    expect(await indexProblems(sourceOf(forged))).toEqual([
      '“data/assessment.json” does not match line 1 of disclosure-sha256.txt.',
    ])
    const noSeed = new Map([...pack].filter(([path]) => path !== SEED_PATH))
    expect(await indexProblems(sourceOf(noSeed))).toHaveLength(1)
    expect(await indexProblems(sourceOf(new Map([...noSeed].filter(([path]) => path !== INDEX_PATH))))).toEqual([])
  })
})

describe('nothing in a copy can be used to guess what is withheld', () => {
  test('no digest of any of 256 candidates, in any form that a copy gives away', async () => {
    const { files } = await copyOf(pack, sampleCatalog, { classes: ['ipv4'] })
    const reading = await read(files)
    const all = [...files].map(([path, bytes]) => `${path}\n${new TextDecoder('latin1').decode(bytes)}`).join('\n')
    const given = new Set(all.match(/[0-9a-f]{64}/g))
    const withheld = reading.units.flatMap(({ content }) => content).filter((part) => !isOpen(part))
    expect(withheld.length).toBeGreaterThan(4)
    const truth = [...pack].filter(
      ([path, bytes]) => path.startsWith('data/') && new TextDecoder('latin1').decode(bytes).includes(HIDDEN),
    )
    expect(truth.map(([path]) => path)).toHaveLength(1)
    const header = textIn(pack, `${NODE_B}/recording.json`)
    const lines = textIn(pack, `${NODE_B}/captures.jsonl`)
    const raw = truth.map(([, bytes]) => new TextDecoder().decode(bytes))[0] ?? ''
    for (let last = 0; last < 256; last += 1) {
      const guess = `10.20.30.${last}`
      const file = raw.replaceAll(HIDDEN, guess)
      const line = lines.replaceAll(sha256(raw), sha256(file))
      const forms = [
        guess,
        `${guess}\n`,
        `ipv4\0${guess}`,
        file,
        line,
        header + line,
        header,
        textIn(pack, `${NODE_B}/assessment.json`).replaceAll(sha256(raw), sha256(file)),
      ]
      for (const form of forms) {
        expect(given.has(sha256(form))).toBe(false)
        expect(given.has(createHash('sha256').update(form, 'latin1').digest('hex'))).toBe(false)
      }
      expect(all).not.toContain(`sha256/${sha256(file)}`)
    }
    expect(all).not.toContain(`"size":${raw.length}`)
  })

  test('the digest of every file with a withheld part, and of its recording, is withheld too', async () => {
    for (const policy of [{ classes: ['ipv4'] as const }, { classes: ['ssh-key'] as const }, { nodes: ['node-b'] }]) {
      const { files } = await copyOf(pack, sampleCatalog, policy)
      const reading = await read(files)
      const all = [...files.values()].map((bytes) => new TextDecoder('latin1').decode(bytes)).join('\n')
      const paths = [...pack.keys()].filter((path) => path.startsWith('data/') && path !== SEED_PATH).sort()
      const tainted = paths.filter((_, index) => reading.units[index]?.content.every(isOpen) === false)
      expect(tainted.length).toBeGreaterThan(2)
      for (const path of tainted) expect(all, path).not.toContain(sha256(pack.get(path) ?? ''))
      for (const node of ['node-a', 'node-b']) {
        const both =
          textIn(pack, `data/nodes/${node}/recording.json`) + textIn(pack, `data/nodes/${node}/captures.jsonl`)
        const isShown = tainted.every(
          (path) => path !== `data/nodes/${node}/recording.json` && path !== `data/nodes/${node}/captures.jsonl`,
        )
        expect(all.includes(sha256(both))).toBe(isShown)
      }
    }
  })

  test('two equal spans have different commitments', async () => {
    const { files } = await copyOf(pack, sampleCatalog, { classes: ['ipv4'] })
    const spans = (await read(files)).units.flatMap(({ content }) => content).filter((part) => part.class === 'ipv4')
    expect(spans).toHaveLength(6)
    expect(new Set(spans.map((part) => ('commitment' in part ? part.commitment : '')))).toHaveLength(6)
  })
})

describe('tampering with a copy', () => {
  const accepts = async (files: Files): Promise<boolean> => (await read(files)).problems.length === 0
  const withUnits = (files: Files, text: string): Files =>
    new Map([...files, [UNITS_PATH, new TextEncoder().encode(text)]])

  test('no flipped byte of the units is accepted', async () => {
    const { files } = await copyOf(pack, sampleCatalog, { classes: ['ipv4', 'user'] })
    const units = files.get(UNITS_PATH) ?? new Uint8Array()
    await fc.assert(
      fc.asyncProperty(fc.nat(units.length - 1), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
        const altered = new Uint8Array(units)
        altered[at] = (altered[at] ?? 0) ^ mask
        expect(await accepts(new Map([...files, [UNITS_PATH, altered]]))).toBe(false)
      }),
      { numRuns: 400 },
    )
  })

  test('units or parts dropped, moved, doubled or closed with another class are not accepted', async () => {
    const { files } = await copyOf(pack, sampleCatalog, { classes: ['ipv4'] })
    const lines = textIn(files, UNITS_PATH).split('\n').slice(0, -1)
    const line = fc.nat(lines.length - 1)
    const change = fc.oneof(
      line.map((at) => lines.filter((_, index) => index !== at)),
      line.map((at) => lines.flatMap((one, index) => (index === at ? [one, one] : [one]))),
      fc
        .tuple(line, line)
        .filter(([a, b]) => a !== b)
        .map(([a, b]) => lines.map((one, index) => (index === a ? lines[b] : index === b ? lines[a] : one))),
      fc
        .tuple(line, fc.nat(), fc.constantFrom('drop', 'double', 'swap', 'class'))
        .map(([at, part, how]) => lines.map((one, index) => (index === at ? changedParts(one, part, how) : one))),
    )
    await fc.assert(
      fc.asyncProperty(change, async (altered) => {
        fc.pre(altered.join('\n') !== lines.join('\n'))
        expect(await accepts(withUnits(files, `${altered.join('\n')}\n`))).toBe(false)
      }),
      { numRuns: 400 },
    )
  })

  test('files added, missing or changed are not accepted', async () => {
    const { files } = await copyOf(pack, sampleCatalog, { classes: ['ipv4'] })
    expect(await accepts(files)).toBe(true)
    expect(await accepts(new Map([...files, ['data/scope.json', new Uint8Array()]]))).toBe(false)
    expect(await accepts(new Map([...files, ['signature/more.pem', new Uint8Array()]]))).toBe(false)
    for (const path of files.keys()) {
      expect(await accepts(new Map([...files].filter(([one]) => one !== path))), path).toBe(false)
      if (path === PATHS.seal || path === PATHS.tagManifest) continue
      expect(await accepts(new Map([...files, [path, new Uint8Array([...(files.get(path) ?? []), 10])]])), path).toBe(
        false,
      )
    }
  })

  test('whatever bytes stand in its files, reading returns', async () => {
    const { files } = await copyOf(pack, sampleCatalog, { classes: ['ipv4'] })
    const deep = '['.repeat(100_000)
    const hostile = fc.oneof(
      fc.string(),
      fc.constant(deep),
      fc.json(),
      fc.constantFrom('{"content":[],"path":[]}', 'null', '{"content":[null],"path":[1]}'),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(UNITS_PATH, NOTES_PATH, INDEX_PATH, PATHS.tagManifest),
        hostile,
        async (path, text) => {
          const reading = await read(new Map([...files, [path, new TextEncoder().encode(`${text}\n`)]]))
          expect(reading.problems.length).toBeGreaterThan(0)
          expect((await disclosureAnswers(reading, SAMPLE_RULES, [])).integrity.outcome).toBe('failed')
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('revealing one span', () => {
  const places = (reading: DisclosureReading, kind: string): readonly Place[] =>
    reading.units.flatMap(({ content }, unit) =>
      content.flatMap((part, index) =>
        part.class === kind && !isOpen(part) ? [{ unit: unit + 1, of: 'content' as const, part: index + 1 }] : [],
      ),
    )
  const must = <T>(value: T | undefined | null): T => {
    if (value == null) throw new Error('missing')
    return value
  }

  test('opens that span and no other; the copy then still reads', async () => {
    const { files } = await copyOf(pack, sampleCatalog, { classes: ['ipv4'] })
    const reading = await read(files)
    const [place] = places(reading, 'ipv4').filter(({ unit }) =>
      unitText(must(reading.units[unit - 1])).includes('nbd0'),
    )
    const made = await revealSpan(sourceOf(pack), reading, must(place))
    if (!made.ok) throw new Error(made.error.detail)
    const reveal = must(readReveal(revealBytes(made.value)))
    expect(new TextDecoder().decode(reveal.part.bytes)).toBe(HIDDEN)
    expect(checkReveal(reading, reveal)).toBeNull()
    const applied = applyReveal(reading, reveal, sampleCatalog)
    if (!applied.ok) throw new Error(applied.error.detail)
    const next = await read(new Map([...files, ...applied.value]))
    expect(next.problems).toEqual([])
    expect(next.counts.redacted.ipv4).toBe(must(reading.counts.redacted.ipv4) - 1)
    expect(unitText(must(next.units[must(place).unit - 1]))).toContain(`-2 ${HIDDEN} ⟦IPv4 address`)
    expect(checkReveal(next, reveal)).toBe('Nothing is redacted at this place.')
  })

  test('a reveal for one place, of one pack, cannot be used for another', async () => {
    const { files } = await copyOf(pack, sampleCatalog, { classes: ['ipv4'] })
    const reading = await read(files)
    const spans = places(reading, 'ipv4')
    const made = await revealSpan(sourceOf(pack), reading, must(spans[0]))
    if (!made.ok) throw new Error(made.error.detail)
    for (const place of spans.slice(1)) {
      const root = must(reading.roots[place.unit - 1])
      expect(checkReveal(reading, { ...made.value, place })).not.toBeNull()
      expect(checkReveal(reading, { ...made.value, place, root })).not.toBeNull()
    }
    const lie = { ...made.value, part: { ...made.value.part, bytes: new TextEncoder().encode('10.0.0.99') } }
    expect(checkReveal(reading, lie)).toBe('It does not match the commitment of the copy at this place.')
    const other = await disclosablePack({ signer, catalog: sampleCatalog, recordings: recordings(), asOf: AS_OF })
    expect(
      checkReveal(await read((await copyOf(other, sampleCatalog, { classes: ['ipv4'] })).files), made.value),
    ).toMatch(/different pack/)
    expect(await revealSpan(sourceOf(other), reading, must(spans[0]))).toMatchObject({
      ok: false,
      error: { code: 'input.refused' },
    })
  })

  test('a digest of something still withheld, and the report, are refused; later they are not', async () => {
    const { files } = await copyOf(pack, sampleCatalog, { classes: ['ssh-key'] })
    const reading = await read(files)
    const [digest] = places(reading, 'digest')
    const [report] = places(reading, 'file')
    expect(await revealSpan(sourceOf(pack), reading, must(digest))).toMatchObject({
      ok: false,
      error: { code: 'input.refused' },
    })
    expect(await revealSpan(sourceOf(pack), reading, must(report))).toMatchObject({
      ok: false,
      error: { code: 'input.refused' },
    })
    let now = reading
    // Keys first, then the digests that follow, from what is whole by then; the report last.
    for (let round = 0; round < 40 && now.counts.whollyOpen < now.counts.units; round += 1) {
      for (const kind of ['ssh-key', 'digest', 'file']) {
        for (const place of places(now, kind)) {
          const made = await revealSpan(sourceOf(pack), now, place)
          if (!made.ok) continue
          const applied = applyReveal(now, made.value, sampleCatalog)
          if (!applied.ok) throw new Error(applied.error.detail)
          now = await read(new Map([...files, ...applied.value]))
        }
      }
    }
    expect(now.counts.redacted).toEqual({})
    expect(now.problems).toEqual([])
  })

  test('bytes that are no reveal are not one', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => readReveal(new TextEncoder().encode(text)) === null),
    )
  })
})

describe('the use case', () => {
  const ask = { classes: ['ipv4'], nodes: [], paths: [], who: 'Owner', why: 'Not needed', when: AS_OF }

  test('makes a copy, opens a part of it, and applies what was opened', async () => {
    const made = await discloseCopy({ ...ask, source: sourceOf(pack), catalog: sampleCatalog })
    if (!made.ok) throw new Error(made.error.detail)
    const copy = sourceOf(made.value.files)
    expect([isDisclosure(copy), isDisclosure(sourceOf(pack))]).toEqual([true, false])
    const { units } = await readDisclosure(copy)
    const unit = units.findIndex(({ content }) => content.some((part) => part.class === 'ipv4' && !isOpen(part)))
    const part = units[unit]?.content.findIndex((one) => one.class === 'ipv4') ?? -1
    const reveal = await revealFile(sourceOf(pack), copy, { unit: unit + 1, of: 'content', part: part + 1 })
    if (!reveal.ok) throw new Error(reveal.error.detail)
    const applied = await revealedCopy(copy, reveal.value, sampleCatalog)
    if (!applied.ok) throw new Error(applied.error.detail)
    expect((await read(new Map([...made.value.files, ...applied.value]))).problems).toEqual([])
    expect(await revealedCopy(copy, new Uint8Array([1]), sampleCatalog)).toMatchObject({ ok: false })
  })

  test.each([
    [{ classes: ['text'] }, /“text” cannot be redacted; choose from ipv4, /],
    [{ who: ' ' }, /must name the person who redacted it/],
    [{ why: '' }, /and the reason/],
  ])('refuses %o', async (change, why) => {
    const made = await discloseCopy({ ...ask, ...change, source: sourceOf(pack), catalog: sampleCatalog })
    expect(made.ok ? '' : made.error.detail).toMatch(why)
  })
})
