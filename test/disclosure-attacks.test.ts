import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OID } from '../main/adapters/seal/oids.ts'
import { storedResponse } from '../main/adapters/seal/tsp/client.ts'
import { jsonBytes } from '../main/core/base/canonical-json.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { readsOf } from '../main/core/conclusion/assessor.ts'
import { PATHS } from '../main/core/pack/pack.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import type { LoadedRecording } from '../main/core/recording/recording.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { leafOf, nodesDigest } from '../main/core/run-chain/entry.ts'
import { chainFiles } from '../main/core/run-chain/notes.ts'
import {
  committed,
  type DisclosedUnit,
  openForDisclosure,
  textOfParts,
  UNITS_PATH,
} from '../main/verify/disclosure/cuts/copy.ts'
import { openPart, unitsBytes } from '../main/verify/disclosure/disclose.ts'
import { countsOf, NOTES_PATH, notesBytes } from '../main/verify/disclosure/notes.ts'
import { readDisclosure } from '../main/verify/disclosure/read.ts'
import { contentOf } from '../main/verify/disclosure/rebuild.ts'
import { underivable } from '../main/verify/disclosure/underivable.ts'
import { verifyDisclosure } from '../main/verify/excerpt.ts'
import type { Assessment } from '../schemas/types.ts'
import type { VerificationReport } from '../schemas/verification.ts'
import { validator } from './support/deps.ts'
import { copyOf, disclosablePack, textIn } from './support/disclosure.ts'
import { must } from './support/outcomes.ts'
import {
  AS_OF,
  NO_KEPT_RULES,
  sampleCatalog,
  sampleRecording,
  sampleSigner,
  sealing,
  sourceOf,
} from './support/sample-pack.ts'
import { certificateFor, newKey } from './support/tsa-certificates.ts'
import { tokenWith } from './support/tsa-token.ts'

type Files = ReadonlyMap<string, Uint8Array>

let folder: string
let signer: Signer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'barewitness-attacks-'))
  signer = await sampleSigner(folder, 'owner')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const recordings = (demo = false): readonly LoadedRecording[] => [
  sampleRecording('node-a', '', demo),
  sampleRecording('node-b', '/dev/vda2 partition 1 0 -2\n', demo),
]

const packOf = (more: Partial<Parameters<typeof disclosablePack>[0]> = {}): Promise<Files> =>
  disclosablePack({
    signer,
    catalog: sampleCatalog,
    recordings: recordings(),
    population: ['node-a', 'node-b'],
    asOf: AS_OF,
    ...more,
  })

const verified = (files: Files, authorities: readonly Uint8Array[] = []): Promise<VerificationReport> =>
  verifyDisclosure({
    validator,
    source: sourceOf(files),
    departures: [],
    seal: sealing.reader,
    catalog: sampleCatalog,
    kept: NO_KEPT_RULES,
    trust: { signers: [], authorities, lists: [] },
    verifiedAt: '2026-11-22T00:00:00.000Z',
    file: 'copy',
  })

const answer = (report: VerificationReport, question: string): string | undefined =>
  report.checks.find((one) => one.check === question)?.outcome

describe('a courier without a key', () => {
  /** The copy with the units closed that `change` closes, and notes that fit. */
  async function closed(files: Files, change: (unit: DisclosedUnit, path: string) => DisclosedUnit): Promise<Files> {
    const { units: before, notes } = await readDisclosure(sourceOf(files))
    if (notes === null) throw new Error('no notes')
    const units = before.map((unit) =>
      change(
        unit,
        textOfParts(unit.path, () => ''),
      ),
    )
    const next = {
      ...notes,
      counts: countsOf(units),
      underivable: underivable(readsOf(sampleCatalog), contentOf(units)),
    }
    return new Map([...files, [UNITS_PATH, unitsBytes(units)], [NOTES_PATH, notesBytes(next)]])
  }

  test('cannot close the text of a path', async () => {
    const { files } = await copyOf(await packOf(), sampleCatalog, { paths: [PATHS.report] })
    const report = await verified(
      await closed(files, (unit, path) =>
        path.includes('node-b') ? { path: unit.path.map(committed), content: unit.content.map(committed) } : unit,
      ),
    )
    expect([answer(report, 'integrity'), answer(report, 'reproducibility'), report.ok]).toEqual([
      'failed',
      'indeterminate',
      false,
    ])
  })

  test('who closes a node’s files leaves it named as not stated', async () => {
    const { files } = await copyOf(await packOf(), sampleCatalog, { paths: [PATHS.report] })
    const report = await verified(
      await closed(files, (unit, path) =>
        path.includes('node-b')
          ? {
              path: unit.path.map((part) => (part.class === 'text' ? part : committed(part))),
              content: unit.content.map(committed),
            }
          : unit,
      ),
    )
    const found = report.checks.find(({ check }) => check === 'reproducibility')
    expect(found?.outcome).toBe('indeterminate')
    expect(found?.details).toContain('Node “node-b”: its stated results are redacted.')
    expect(report.checks.find(({ check }) => check === 'completeness')?.details[1]).toMatch(/not covered by the seal/)
  })

  test('who closes the scope keeps everything from being shown', async () => {
    const { files } = await copyOf(await packOf(), sampleCatalog, { paths: [PATHS.scope] })
    expect(answer(await verified(files), 'reproducibility')).toBe('indeterminate')
  })
})

describe('a signer who states what does not follow', () => {
  const nodeB = (assessment: Assessment, change: (node: Assessment['nodes'][number]) => Assessment['nodes']) => ({
    ...assessment,
    nodes: assessment.nodes.flatMap((node) => (node.node === 'node-b' ? change(node) : [node])),
  })
  test.each([
    ['nothing', (honest: Assessment) => honest, 'passed'],
    ['a finding dropped', (honest: Assessment) => nodeB(honest, (node) => [{ ...node, results: [] }]), 'failed'],
    ['a node dropped', (honest: Assessment) => nodeB(honest, () => []), 'failed'],
    [
      'a control edited',
      (honest: Assessment) => ({
        ...honest,
        controls: honest.controls.map((control) => ({ ...control, state: 'evidenced' as const })),
      }),
      'failed',
    ],
    [
      'reasons forged',
      (honest: Assessment) =>
        nodeB(honest, (node) => [
          {
            ...node,
            results: node.results.map((found) => ({
              ...found,
              observations: found.observations.map((reason) => ({ ...reason, text: 'All disks are encrypted.' })),
            })),
          },
        ]),
      'failed',
    ],
  ] as const)('%s', async (_, forge, outcome) => {
    const pack = await packOf({ forge: forge as (honest: Assessment) => Assessment })
    for (const policy of [{ paths: [PATHS.report] }, { classes: ['ssh-key'] as const }]) {
      const { files } = await copyOf(pack, sampleCatalog, policy)
      expect(answer(await verified(files), 'reproducibility'), JSON.stringify(policy)).toBe(outcome)
    }
  })
})

describe('the chain of runs', () => {
  test('is withheld whole, so that its digests give nothing away', async () => {
    const gap = {
      kind: 'gap' as const,
      due: '2026-11-19T06:00:00.000Z',
      at: '2026-11-19T07:00:00.000Z',
      fleet: 'sample',
      why: 'asked jane@clinic.org',
      signer: sha256('y'),
    }
    const nodes = nodesDigest([{ name: 'node-a', hostKey: `SHA256:${'a'.repeat(43)}` }])
    const run = { ...gap, kind: 'run' as const, run: 'run-0', nodes, tagManifest: sha256('x') }
    const { due: _, why: __, ...entry } = run
    const chain = {
      id: sha256('chain'),
      fleet: 'sample',
      entries: [
        { entry, signature: null },
        { entry: gap, signature: null },
      ],
    }
    const pack = await packOf({ extra: chainFiles(chain as unknown as Parameters<typeof chainFiles>[0]) })
    for (const policy of [{ classes: ['email'] as const }, { nodes: ['node-b'] }, { paths: [PATHS.report] }]) {
      const { files } = await copyOf(pack, sampleCatalog, policy)
      const text = textIn(files, UNITS_PATH)
      expect(text).toContain('data/log/')
      for (const secret of [nodes, leafOf(gap), 'asked ']) expect(text).not.toContain(secret)
    }
  })
})

describe('warnings of the pack', () => {
  test('demonstration data under a real key is named in a copy', async () => {
    const { files } = await copyOf(await packOf({ recordings: recordings(true) }), sampleCatalog, {
      paths: [PATHS.assessment],
    })
    expect((await verified(files)).demo).toBe(true)
    expect((await verified((await copyOf(await packOf(), sampleCatalog, { classes: ['ipv4'] })).files)).demo).toBe(
      false,
    )
  })
})

describe('values that two readers see differently', () => {
  /** A copy in which nothing is redacted, as a signer makes it who does not use this program. */
  async function wholeCopy(pack: Files): Promise<Files> {
    const { seed, units } = must(await openForDisclosure(sourceOf(pack)))
    const open = units.map(({ path, pathParts, parts }) => ({
      path: pathParts.map((part, at) => openPart(part, path, { of: 'path', part: at + 1 }, seed)),
      content: parts.map((part, at) => openPart(part, path, { of: 'content', part: at + 1 }, seed)),
    }))
    const { files, notes } = await copyOf(await packOf(), sampleCatalog, { classes: ['ipv4'] })
    const sealed = [...pack].filter(([path]) => files.has(path))
    const listed = underivable(readsOf(sampleCatalog), contentOf(open))
    const stated = notesBytes({ ...notes, counts: countsOf(open), underivable: listed })
    return new Map([...files, ...sealed, [UNITS_PATH, unitsBytes(open)], [NOTES_PATH, stated]])
  }

  test('a copy in which nothing is redacted verifies', async () => {
    const report = await verified(await wholeCopy(await packOf()))
    expect(answer(report, 'integrity')).toBe('passed')
    expect([answer(report, 'completeness'), answer(report, 'reproducibility')]).not.toContain('failed')
  })

  const twice = (text: string): string => text.replace('{', '{"documents":["a policy"],')
  const register = jsonBytes(EMPTY_REGISTER)
  const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
  test.each([
    ['a member of a document', PATHS.register, twice(textOf(register))],
    ['the same with an escape', PATHS.register, twice(textOf(register)).replace('documents', 'd\\u006fcuments')],
    ['the same with a blank', PATHS.register, twice(textOf(register)).replace('documents"', 'documents" ')],
  ])('twice %s is refused', async (_, path, text) => {
    const pack = await packOf({ extra: new Map([[path, new TextEncoder().encode(text)]]) })
    await expect(copyOf(pack, sampleCatalog, { classes: ['ipv4'] })).rejects.toThrow(/has a member twice; redact this/)
    const report = await verified(await wholeCopy(pack))
    expect(answer(report, 'integrity')).toBe('failed')
    expect(report.checks[0]?.details.join('\n')).toContain('has a member twice')
  })

  test.each([
    ['as a character', '\ue000'],
    ['as an escape', '\\ue000'],
  ])('a text that looks redacted and is open is refused: %s', async (_, mark) => {
    const path = 'data/nodes/node-b/captures.jsonl'
    const lines = textIn(await packOf(), path)
    const pack = await packOf({
      extra: new Map([[path, new TextEncoder().encode(lines.replace('"argv":["', `"argv":["${mark}`))]]),
    })
    await expect(copyOf(pack, sampleCatalog, { classes: ['ipv4'] })).rejects.toThrow(/U\+E000.*redact this file/)
    const report = await verified(await wholeCopy(pack))
    expect(answer(report, 'integrity')).toBe('failed')
    expect(report.checks[0]?.details.join('\n')).toContain('U+E000')
  })

  test('a member of a line of captures is refused too, and no line of an honest copy', async () => {
    const path = 'data/nodes/node-a/captures.jsonl'
    const lines = textIn(await packOf(), path)
    const pack = await packOf({
      extra: new Map([[path, new TextEncoder().encode(lines.replace('{', '{"exitCode":1,'))]]),
    })
    expect(answer(await verified(await wholeCopy(pack)), 'integrity')).toBe('failed')
    for (const policy of [{ nodes: ['node-a'] }, { classes: ['digest', 'node'] as const }, { paths: [path] }])
      expect(answer(await verified((await copyOf(await packOf(), sampleCatalog, policy)).files), 'integrity')).toBe(
        'passed',
      )
  })
})

describe('a time-stamp over a copy', () => {
  test.each([
    ['2026-11-20T09:30:00Z', 'failed'],
    ['2026-11-20T10:05:00Z', 'passed'],
  ])('of %s, where the evaluation is stated as of 10:00', async (genTime, outcome) => {
    const [rootKey, midKey, key] = [newKey('EC'), newKey('EC'), newKey('EC')]
    const span = { from: '2015-01-01T00:00:00Z', until: '2040-01-01T00:00:00Z' }
    const root = certificateFor({ subject: 'R', issuer: 'R', key: rootKey, by: rootKey, ...span, purposes: null })
    const mid = certificateFor({ subject: 'I', issuer: 'R', key: midKey, by: rootKey, ...span, purposes: null })
    const purposes = { ids: [OID.timeStamping], critical: true }
    const leaf = certificateFor({ subject: 'T', issuer: 'I', key, by: midKey, ...span, purposes })
    const pack = await packOf()
    const imprint = createHash('sha256')
      .update(pack.get(PATHS.seal) ?? '')
      .digest()
    const token = tokenWith({ leaf, mid, key }, { genTime, imprint })
    const stamped = new Map([...pack, [PATHS.stamp, storedResponse(token)]])
    const { files } = await copyOf(stamped, sampleCatalog, { paths: [PATHS.report] })
    expect(answer(await verified(files, [root]), 'time')).toBe(outcome)
  })
})

describe('names that the rules cannot cut', () => {
  const named = (name: string, user: string, roster: readonly string[]): LoadedRecording => {
    const { recording, captures } = sampleRecording(name, `owner ${user}\n`)
    return { recording: { ...recording, node: { ...recording.node, user, roster } }, captures }
  }
  const nodeB = sampleRecording('node-b', '')

  test.each([
    ['localhost', 'bwaudit', [], { nodes: ['localhost'] }, '“localhost”'],
    ['localhost', 'bwaudit', [], { classes: ['node'] }, '“localhost”'],
    ['gpu---01', 'bwaudit', [], { nodes: ['gpu---01'] }, '“gpu---01”'],
    ['node-a', 'jane+audit', [], { classes: ['user'] }, '“jane+audit”'],
    ['node-a', 'corp\\jane', [], { classes: ['user'] }, 'jane”'],
    ['node-a', 'bwaudit', ['Mary Major'], { classes: ['user'] }, '“Mary Major”'],
  ] as const)('node %s, user %s, roster %j: refused for %j', async (name, user, roster, policy, told) => {
    const pack = await packOf({ recordings: [named(name, user, roster), nodeB], population: [name, 'node-b'] })
    const made = copyOf(pack, sampleCatalog, policy)
    await expect(made).rejects.toThrow(/^input\.refused/)
    await expect(made).rejects.toThrow(told)
  })

  test('a name inside a longer one, the account of every system, and a node without a recording are not', async () => {
    const recordings = [named('node-1', 'root', ['alice']), sampleRecording('node-10', 'x\nnode-1 node-10\n')]
    const pack = await packOf({ recordings, population: ['node-1', 'node-10', 'node-lost'] })
    const { files } = await copyOf(pack, sampleCatalog, { nodes: ['node-1'] })
    expect(textIn(files, UNITS_PATH)).toContain('node-10')
    expect(textIn((await copyOf(pack, sampleCatalog, { classes: ['node', 'user'] })).files, UNITS_PATH)).not.toMatch(
      /node-1|node-lost|alice/,
    )
  })
})
