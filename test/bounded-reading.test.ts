import { symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { createFiles } from '../main/adapters/files.ts'
import { openKeptRules } from '../main/adapters/kept-rules/index.ts'
import { openPack } from '../main/adapters/pack/index.ts'
import { createSchemaValidator } from '../main/adapters/schema-validator.ts'
import { reviewFile } from '../main/app/export/review.ts'
import type { Ports } from '../main/core/all-ports.ts'
import { isWithinBudget } from '../main/core/base/bounded-json.ts'
import {
  atMost,
  DEEPEST_JSON,
  LARGEST_NOTE,
  LARGEST_REPEATED,
  MOST_NODES,
  MOST_PROBLEMS,
  MOST_REVOCATION_LISTS,
  MOST_STAMPS,
  MOST_VALUES,
} from '../main/core/base/budgets.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { fromPem, pem } from '../main/core/base/pem.ts'
import { PATHS, stampPath } from '../main/core/pack/pack-files.ts'
import type { PackSource } from '../main/core/ports/ports.ts'
import type { VerifiedPack } from '../main/verify/pack.ts'
import { canonical, readRecording, textOf } from '../main/verify/steps/read.ts'
import { stampsOver } from '../main/verify/steps/signature.ts'
import { NO_TRUST } from '../main/verify/steps/trust.ts'
import type { VerificationCheck } from '../schemas/verification.ts'
import { realClock } from './support/deps.ts'
import { folderOfTests } from './support/folders.ts'
import { rawZip, relist } from './support/pack-attacks.ts'
import { outcomes, sampleCatalog, samplePack, sampleSigner, sourceOf, verifySource } from './support/sample-pack.ts'

const folder = folderOfTests('bounded')
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
let files: Map<string, Uint8Array>
beforeAll(async () => {
  files = await samplePack({ signer: await sampleSigner(folder, 'bounded') })
})
const withFile = (path: string, content: Uint8Array): Map<string, Uint8Array> => new Map([...files, [path, content]])
const detailsOf = ({ report }: VerifiedPack, question: VerificationCheck): readonly string[] =>
  report.checks.find((answer) => answer.check === question)?.details ?? []

describe('JSON from an untrusted source', () => {
  test.each([
    ['lists within each other', '['.repeat(DEEPEST_JSON), true],
    ['one more', '['.repeat(DEEPEST_JSON + 1), false],
    ['100,000 of them', '['.repeat(100_000), false],
    ['objects within each other', '{"a":'.repeat(DEEPEST_JSON + 1), false],
    ['lists one after the other', '[[],[],[]]'.repeat(DEEPEST_JSON), true],
    ['values', `[${'0,'.repeat(MOST_VALUES - 1)}0]`, true],
    ['more values', `[${'0,'.repeat(MOST_VALUES)}0]`, false],
    ['more objects', `[${'{},'.repeat(MOST_VALUES / 2 + 1)}{}]`, false],
    ['brackets and commas in a text', `["${'[{,'.repeat(MOST_VALUES)}"]`, true],
    ['a quote in a text', `["\\"${'['.repeat(DEEPEST_JSON)}"]`, true],
    ['a text that ends in an escaped escape', `["\\\\",${'['.repeat(DEEPEST_JSON)}`, false],
    ['a text without an end', '["[[[', true],
    ['nothing', '', true],
  ])('%s', (_, text, isWithin) => {
    expect(isWithinBudget(text)).toBe(isWithin)
  })

  test('is within the budget for any value that is small, however it is written', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 20 }), (text) => {
        expect(isWithinBudget(text)).toBe(true)
        expect(isWithinBudget(JSON.stringify(JSON.parse(text), null, 2))).toBe(true)
        expect(isWithinBudget(`${'['.repeat(DEEPEST_JSON)}${text},[`)).toBe(false)
      }),
    )
  })

  test('of any text is counted without a fault', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(isWithinBudget(text)).toBeTypeOf('boolean')
      }),
    )
  })

  test('beyond the budget is never canonical', () => {
    expect(canonical(`[${'0,'.repeat(MOST_VALUES)}0]\n`)).toBeNull()
    expect(canonical(`${'['.repeat(DEEPEST_JSON)}${']'.repeat(DEEPEST_JSON)}\n`)).not.toBeNull()
    expect(canonical(`${'['.repeat(100_000)}${']'.repeat(100_000)}\n`)).toBeNull()
  })

  test('with a problem in every value is reported by few lines', () => {
    const validator = createSchemaValidator()
    const many = Array.from({ length: 200_000 }, () => ({}))
    expect(validator.problems('register', { schema: 'barewitness.register/1', riskAcceptances: many }).length).toBe(1)
    expect(validator.problems('register', { riskAcceptances: many.slice(0, 5000) }).length).toBeLessThanOrEqual(50)
  })
})

describe('an archive', () => {
  const zeros = (name: string, size: number) => ({
    name: `pack/data/${name}`,
    data: new Uint8Array(size),
    deflate: true,
  })
  test('of many small entries that unpack to far more than it has is refused before they are', async () => {
    const entries = Array.from({ length: 20 }, (_, at) => zeros(`zeros-${String(at).padStart(2, '0')}`, 1024 ** 2))
    writeFileSync(join(folder, 'many.zip'), rawZip(entries))
    expect(await openPack(join(folder, 'many.zip'))).toMatchObject({ ok: false, error: { code: 'pack.unsafe' } })
    writeFileSync(join(folder, 'few.zip'), rawZip(entries.slice(0, 8)))
    const few = await openPack(join(folder, 'few.zip'))
    expect(few.ok).toBe(true)
    if (few.ok) {
      await expect(few.value.read('data/zeros-00', 1000)).rejects.toThrow(/at most 1000/)
      await few.value.close()
    }
  })
})

describe('a pack', () => {
  test.each([
    [PATHS.manifest, () => utf8('\n'.repeat(500_000))],
    [PATHS.tagManifest, () => utf8('\n'.repeat(500_000))],
    [PATHS.manifest, () => utf8('\n'.repeat(3_000_000))],
    [PATHS.info, () => utf8('\n'.repeat(500_000))],
    [PATHS.scope, () => utf8(`${'['.repeat(100_000)}${']'.repeat(100_000)}\n`)],
    [PATHS.assessment, () => utf8(`[${'{},'.repeat(600_000)}{}]\n`)],
    [PATHS.register, () => utf8(`[${'{},'.repeat(300_000)}{}]\n`)],
    [PATHS.trace, () => utf8(`[${'[],'.repeat(600_000)}[]]\n`)],
    ['data/log/entries.jsonl', () => utf8('\n'.repeat(1_000_000))],
    ['data/nodes/node-a/captures.jsonl', () => utf8('\n'.repeat(1_000_000))],
    ['data/nodes/node-a/captures.jsonl', () => utf8('{}\n'.repeat(19_000))],
  ])('with %s made to exhaust its reader is rejected, in few words', async (path, content) => {
    const verified = await verifySource(sourceOf(withFile(path, content())))
    expect(verified.report.ok).toBe(false)
    for (const { details } of verified.report.checks) expect(details.length).toBeLessThanOrEqual(MOST_PROBLEMS + 1)
  })

  test('with thousands of files that no list has names fifty of them, and their number', async () => {
    const more = Array.from({ length: 3000 }, (_, at) => [`data/more-${at}`, utf8(String(at))] as const)
    const verified = await verifySource(sourceOf(new Map([...files, ...more])))
    const details = detailsOf(verified, 'integrity')
    expect(details).toHaveLength(MOST_PROBLEMS + 1)
    expect(details.at(-1)).toMatch(/^29\d\d more/)
  })

  test('that declares more nodes than a fleet has is not evaluated for each', async () => {
    const scope = JSON.parse(new TextDecoder().decode(files.get(PATHS.scope)))
    const population = Array.from({ length: MOST_NODES + 1 }, (_, at) => `node-${at}`)
    const verified = await verifySource(sourceOf(withFile(PATHS.scope, utf8(JSON.stringify({ ...scope, population })))))
    expect(outcomes(verified).completeness).toBe('failed')
    expect(verified.contents.verdicts.stated).toBe(0)
  })

  test('with more time-stamps than are read: those are files that no list has', async () => {
    const stamps = Array.from({ length: MOST_STAMPS + 2 }, (_, at) => [stampPath(at + 1), new Uint8Array(100)] as const)
    const source = sourceOf(new Map([...files, ...stamps]))
    expect(await stampsOver(source, new Uint8Array(10))).toHaveLength(MOST_STAMPS)
    const verified = await verifySource(source)
    expect(outcomes(verified).integrity).toBe('failed')
    expect(detailsOf(verified, 'integrity').join('\n')).toContain(stampPath(MOST_STAMPS + 1))
    expect(detailsOf(verified, 'integrity').join('\n')).not.toContain(`${stampPath(MOST_STAMPS)}”`)
  })

  test('with a time-stamp larger than any is not read that far', async () => {
    const source = sourceOf(withFile(stampPath(1), new Uint8Array(1024 ** 2)))
    expect(await stampsOver(source, new Uint8Array(10))).toHaveLength(0)
  })

  test('with more revocation lists than are read has no seal that verifies', async () => {
    const [list] = [...files.keys()].filter((path) => path.startsWith('signature/crls/'))
    const text = files.get(list ?? '') ?? new Uint8Array()
    const lists = Array.from(
      { length: MOST_REVOCATION_LISTS + 1 },
      (_, at) => [`signature/crls/more-${at}.pem`, text] as const,
    )
    const verified = await verifySource(sourceOf(relist(new Map([...files, ...lists]))))
    expect(outcomes(verified).signature).toBe('failed')
    expect(detailsOf(verified, 'signature').join('\n')).toContain(`more than ${MOST_REVOCATION_LISTS} revocation lists`)
  })

  test('with a small text that is large is read no further', async () => {
    const source = sourceOf(withFile(PATHS.info, new Uint8Array(LARGEST_NOTE + 1).fill(0x20)))
    expect(await textOf(source, PATHS.info)).toBeNull()
  })

  test('whose reader states the size of files is not asked for one that is too large', async () => {
    const asked: (number | undefined)[] = []
    const source: PackSource = {
      ...sourceOf(files),
      read: async (_, most) => {
        asked.push(most)
        throw new Error('larger')
      },
    }
    for (const path of [PATHS.info, PATHS.scope, PATHS.manifest, 'data/log/entries.jsonl']) await textOf(source, path)
    expect(asked.every((most) => most !== undefined && most < 2 ** 28)).toBe(true)
  })
})

test('a PDF of 3 GiB is answered like any other that is no report of ours', async () => {
  const path = join(folder, 'large.pdf')
  writeFileSync(path, '%PDF-1.7\n')
  truncateSync(path, 3 * 1024 ** 3)
  symlinkSync(path, join(folder, 'link.pdf'))
  const ports = { files: createFiles(), clock: realClock, keptRules: () => openKeptRules(null) } as unknown as Ports
  for (const one of [path, join(folder, 'link.pdf')]) {
    const asked = { path: one, trust: NO_TRUST, checkpoint: null, keep: false }
    const reviewed = await reviewFile(ports, sampleCatalog, asked)
    expect(reviewed).toMatchObject({ ok: true, value: { report: { ok: false, kind: 'foreign-pdf' } } })
  }
})

describe('a recording', () => {
  const at = 'data/nodes/node-a'
  test('whose lines name one answer again and again is not loaded', async () => {
    const text = new TextDecoder().decode(files.get(`${at}/captures.jsonl`))
    const [line = ''] = text.split('\n')
    const { stdout } = JSON.parse(line)
    const size = stdout.size as number
    const paths = [...files.keys()].filter((path) => path.startsWith(`${at}/`))
    const repeated = (times: number) =>
      readRecording(
        sourceOf(withFile(`${at}/captures.jsonl`, utf8(`${line}\n`.repeat(times)))),
        at,
        paths,
        createSchemaValidator(),
      )
    expect((await repeated(3)).recording?.captures).toHaveLength(3)
    const large = new Uint8Array(LARGEST_REPEATED).fill(0x61)
    const huge = line.replace(
      `"sha256":"${stdout.sha256}","size":${size}`,
      `"sha256":"${sha256(large)}","size":${large.length}`,
    )
    expect(huge).not.toBe(line)
    const source = (times: number): PackSource =>
      sourceOf(
        new Map([
          ...files,
          [`${at}/captures.jsonl`, utf8(`${huge}\n`.repeat(times))],
          [`${at}/sha256/${sha256(large)}`, large],
        ]),
      )
    expect((await readRecording(source(2), at, paths, createSchemaValidator())).recording?.captures).toHaveLength(2)
    expect(await readRecording(source(300), at, paths, createSchemaValidator())).toMatchObject({
      recording: null,
      problems: [expect.stringContaining('more bytes than the limit')],
    })
  })
})

test('problems beyond the most are counted', () => {
  const all = Array.from({ length: 120 }, (_, at) => `problem ${at}`)
  expect(atMost(all)).toHaveLength(MOST_PROBLEMS + 1)
  expect(atMost(all).at(-1)).toMatch(/^70 more/)
  expect(atMost(all.slice(0, MOST_PROBLEMS))).toEqual(all.slice(0, MOST_PROBLEMS))
})

test('a text of many certificates is read up to the most', () => {
  const text = pem('CERTIFICATE', new Uint8Array([1])).repeat(1000)
  expect(fromPem('CERTIFICATE', text, 65)).toHaveLength(65)
  expect(fromPem('CERTIFICATE', text)).toHaveLength(1000)
})
