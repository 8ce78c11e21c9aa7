import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { PATHS } from '../main/core/pack/pack.ts'
import { nodeAssessmentPath } from '../main/core/pack/pack-files.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import { copyOf } from './support/disclosure.ts'
import { folderOfTests } from './support/folders.ts'
import { collected, exported, packOf, portsAt } from './support/kept-runs.ts'
import { problemsOf, runChain, treeRoot, unpacked } from './support/minimal-verifier.ts'
import { rawEntries, rawZip, relist, reseal } from './support/pack-attacks.ts'
import { sampleCatalog, sampleSigner } from './support/sample-pack.ts'

type Files = ReadonlyMap<string, Uint8Array>

/** What was done to a pack, and for which kind of vector in test/vectors/expected.json it stands. */
interface Attack {
  readonly vector: string
  readonly change: (good: Files) => Files | Promise<Files>
  readonly finds: RegExp
}

const expected: Readonly<Record<string, { readonly script: 'passes' | 'stops' }>> = JSON.parse(
  readFileSync('test/vectors/expected.json', 'utf8'),
)

test('the minimal verifier is written from the specification alone: it imports nothing of the product', () => {
  const source = readFileSync('test/support/minimal-verifier.ts', 'utf8')
  const imported = [...source.matchAll(/(?:from|import\(|require\()\s*'([^']+)'/g)].map(([, name]) => name)
  expect(imported.sort()).toEqual(['node:crypto', 'node:zlib'])
})

test('every document of the specification is linked from its first page', () => {
  const first = readFileSync('docs/format/README.md', 'utf8')
  for (const name of [
    'pack',
    'seal',
    'recording',
    'run-chain',
    'run-trace',
    'redacted-copy',
    'report-pdf',
    'period-report',
  ])
    expect(first).toContain(`(${name}.md)`)
  expect(first).toContain('(verification.md)')
})

describe('the specification is enough to verify what the product writes', () => {
  const folder = folderOfTests('format')
  let signer: Signer
  let stranger: Signer
  const packs: Files[] = []
  const filesOf = (index: number): Files => packs[index] ?? new Map()
  const verify = (files: Files): readonly string[] =>
    problemsOf(rawZip(rawEntries(files)), { root: signer.chain.at(-1) ?? new Uint8Array(), pin: signer.fingerprint })

  beforeAll(async () => {
    signer = await sampleSigner(join(folder, 'keys'), 'signer')
    stranger = await sampleSigner(join(folder, 'keys'), 'stranger')
    const root = join(folder, 'root')
    for (const [run, now] of [
      ['run-1', '2026-11-20T10:00:00.000Z'],
      ['run-2', '2026-11-21T10:00:00.000Z'],
      ['run-3', '2026-11-22T10:00:00.000Z'],
    ] as const) {
      const ports = portsAt({ now })
      await collected(ports, root, run)
      await exported(ports, root, run, signer)
      packs.push(unpacked(readFileSync(packOf(root, run))))
    }
  })

  test('good: every pack of a chain passes', () => {
    expect(expected.good?.script).toBe('passes')
    expect(packs.map(verify)).toEqual([[], [], []])
  })

  const attacks: readonly Attack[] = [
    {
      vector: 'altered-raw-answer',
      change: (good) => put(good, rawAnswer(good), (text) => `${text} `),
      finds: /^data\/nodes\/node-b\/sha256\/.*: not as listed$/,
    },
    {
      vector: 'relisted',
      change: (good) =>
        relist(put(good, nodeAssessmentPath('node-b'), (text) => text.replace('not-satisfied', 'satisfied'))),
      finds: /^seal: other bytes or form$/,
    },
    { vector: 'stranger-resealed', change: (good) => reseal(good, stranger), finds: /^seal: another key$/ },
    { vector: 'removed-report', change: (good) => without(good, PATHS.report), finds: /^data\/report\.pdf: missing$/ },
    { vector: 'altered-seal', change: (good) => flipped(good, PATHS.seal), finds: /^unreadable|^seal/ },
  ]
  test.each(attacks)('$vector: is found', async ({ vector, change, finds }) => {
    expect(expected[vector]?.script).toBe('stops')
    expect(verify(await change(filesOf(1)))).toContainEqual(expect.stringMatching(finds))
  })

  test('run chain: a checkpoint kept from one pack is found again in the next, and an entry left out is not', () => {
    const [before, after] = [runChain(buffers(filesOf(1))), runChain(buffers(filesOf(2)))]
    expect([before.leaves.length, after.leaves.length]).toEqual([1, 2])
    expect(treeRoot(after.leaves.slice(0, 1))).toBe(treeRoot(before.leaves))
    const lines = (path: string) => put(filesOf(2), path, (text) => text.split('\n').slice(1).join('\n'))
    expect(runChain(buffers(lines('data/log/entries.jsonl'))).problems).toContain('chain: root')
  })

  test('redacted copy: its commitments are those of the sealed index, and a changed open part is not', async () => {
    const { files } = await copyOf(filesOf(1), sampleCatalog, { classes: ['digest'], nodes: ['node-b'] })
    expect(verify(files)).toEqual([])
    const changed = put(files, 'disclosed.jsonl', (text) => text.replace('sample fleet', 'another one'))
    expect(verify(changed)).toEqual(['copy: a unit is not what its line holds'])
  })
})

const buffers = (files: Files): ReadonlyMap<string, Buffer> =>
  new Map([...files].map(([path, bytes]) => [path, Buffer.from(bytes)]))
const without = (files: Files, path: string): Files => new Map([...files].filter(([one]) => one !== path))
const put = (files: Files, path: string, change: (text: string) => string): Files =>
  new Map([...files, [path, Buffer.from(change(Buffer.from(files.get(path) ?? []).toString('utf8')))]])
const flipped = (files: Files, path: string): Files =>
  new Map([...files, [path, Uint8Array.from(files.get(path) ?? [], (byte, at) => (at === 0 ? byte ^ 1 : byte))]])
const rawAnswer = (files: Files): string =>
  [...files].find(([path, bytes]) => path.startsWith('data/nodes/node-b/sha256/') && bytes.length > 1)?.[0] ?? ''
