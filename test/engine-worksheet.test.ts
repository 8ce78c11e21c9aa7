import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findingMethods } from '../main/app/engine/results/finding-methods.ts'
import { exportRun } from '../main/app/export/export.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { inMemory } from '../main/core/recording/recording.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import type { Input } from '../schemas/ipc.ts'
import { must } from './support/outcomes.ts'
import { readXlsx } from './support/read-xlsx.ts'
import { AS_OF, sampleCatalog, sampleRecording, sampleSigner } from './support/sample-pack.ts'
import { refusal, type SealingKit, sealingKit } from './support/sealing-kit.ts'

// One owner seals a run of two nodes, one of which deviates; auditors, each with a folder of their own, open it.
const owner = sealingKit({ recordings: null })
const auditors: SealingKit[] = []
const auditor = (): SealingKit => {
  const kit = sealingKit({ recordings: null })
  auditors.push(kit)
  return kit
}
let path = ''
const digestOf = (): string => sha256(readFileSync(path))

beforeAll(async () => {
  const { ports } = owner.context
  const exported = await exportRun(ports, sampleCatalog, {
    run: 'run-1',
    scope: { fleet: 'sample', population: ['node-a', 'node-b', 'node-c'], frameworks: ['soc2'] },
    recordings: [sampleRecording('node-a', ''), sampleRecording('node-b', '/dev/vda2 partition 1 0 -2\n')].map(
      inMemory,
    ),
    asOf: AS_OF,
    register: {
      ...EMPTY_REGISTER,
      responses: [
        {
          id: '0123456789abcdef0123456789abcdef',
          check,
          status: 'in-progress',
          owner: 'M. Ortiz',
          due: '2027-01-31T23:59:59.999Z',
          plan: 'Swap is removed.',
          statedBy: 'J. Chen',
          statedAt: '2026-01-01T00:00:00.000Z',
          withdrawn: null,
        },
      ],
    },
    inventory: null,
    also: [],
    attachmentBytes: async () => {
      throw new Error('nothing is attached')
    },
    signer: await sampleSigner(join(owner.folder, 'identities'), 'owner'),
    stamping: null,
    folder: join(owner.folder, 'run-1'),
    chainFolder: null,
  })
  path = must(exported).files[0]?.path ?? ''
})
afterAll(() => {
  for (const kit of [owner, ...auditors]) kit.remove()
})

const check = 'encryption.at-rest.swap'
const opened = async (): Promise<SealingKit> => {
  const kit = auditor()
  must(await kit.review['pack.choose-and-verify'](null, { path }))
  return kit
}

const terms = (more: Partial<Input<'review.sample'>>): Input<'review.sample'> => ({
  auditor: 'R. Vega',
  size: 1,
  seed: '20260602',
  from: 'all',
  stratified: false,
  ...more,
})

describe('an auditor’s worksheet', () => {
  test('holds the sample and the decisions, beside the pack and never in it', async () => {
    const kit = await opened()
    const digest = digestOf()
    expect(must(await kit.review['review.worksheet'](null))).toBeNull()
    const sheet = must(await kit.review['review.sample'](terms({})))
    expect(sheet.auditor).toBe('R. Vega')
    expect(sheet.sample).toMatchObject({ seed: '20260602', from: 'all', stratified: false, population: 3 })
    expect(sheet.sample?.sampled).toHaveLength(1)
    kit.setClock('2026-11-21T08:00:00.000Z')
    const first = { node: 'node-b', check, state: 'needs-more-evidence', note: 'Why swap?' } as const
    must(await kit.review['review.note'](first))
    kit.setClock('2026-11-21T09:00:00.000Z')
    const noted = must(await kit.review['review.note']({ ...first, state: 'agrees', note: '=1+1' }))
    expect(noted.lines).toEqual([
      { node: 'node-b', check, state: 'agrees', note: '=1+1', at: '2026-11-21T09:00:00.000Z' },
    ])
    must(await kit.review['review.sample'](terms({ size: 2, seed: 'another' })))
    const kept = JSON.parse(readFileSync(join(kit.folder, `worksheets/${digest}.json`), 'utf8'))
    expect(kept.history).toEqual([{ ...first, at: '2026-11-21T08:00:00.000Z' }])
    expect(kept.draws.map(({ seed, size }: { seed: string; size: number }) => [seed, size])).toEqual([
      ['20260602', 1],
      ['another', 2],
    ])
    expect(digestOf()).toBe(digest)
  })

  test('strata follow from verdict and severity, and populations are counted', async () => {
    const kit = await opened()
    expect(must(await kit.review['review.populations'](null))).toEqual({ deciding: 2, tested: 2, all: 3 })
    const { sample } = must(await kit.review['review.sample'](terms({ from: 'deciding', stratified: true, size: 5 })))
    // The sample catalog rates no check, so that the deviation is of moderate severity.
    expect(sample?.sampled.map(({ node, stratum, severity }) => [node, stratum, severity])).toEqual([
      ['node-b', 'not-satisfied', 'medium'],
      ['node-a', 'satisfied', null],
    ])
  })

  test('decisions that come at once are all kept', async () => {
    const kit = await opened()
    await Promise.all(
      ['node-a', 'node-b'].map((node) => kit.review['review.note']({ node, check, state: 'agrees', note: node })),
    )
    expect(must(await kit.review['review.worksheet'](null))?.lines.map(({ node }) => node)).toEqual([
      'node-a',
      'node-b',
    ])
  })

  test('a decision needs a result of the pack, and a sample needs a pack', async () => {
    const kit = auditor()
    for (const reply of [await kit.review['review.sample'](terms({})), await kit.review['review.populations'](null)])
      expect(refusal(reply)).toMatch(/^input\.refused: no pack with readable results is open/)
    expect(must(await kit.review['review.limits'](null))).toEqual([])
    must(await kit.review['pack.choose-and-verify'](null, { path }))
    const wrong = { node: 'node-z', check, state: 'open' as const, note: '' }
    expect(refusal(await kit.review['review.note'](wrong))).toMatch(/no such result/)
    expect(must(await kit.review['review.worksheet'](null))).toBeNull()
    expect(refusal(await kit.review['review.save-worksheet'](null, { path: join(kit.folder, 'x.csv') }))).toMatch(
      /no samples or notes/,
    )
  })

  test('one of an earlier version keeps its sample, notes and history', async () => {
    const kit = await opened()
    const digest = digestOf()
    const line = { node: 'node-b', check, state: 'question', note: 'Why?', at: '2026-06-02T08:00:00.000Z' }
    const earlier = {
      schema: 'barewitness.worksheet/1',
      sha256: digest,
      sample: {
        seed: 'old',
        population: 3,
        sampled: [{ place: 2, node: 'node-b', check, verdict: 'not-satisfied' }],
      },
      draws: [{ seed: 'old', size: 1, at: '2026-06-02T07:00:00.000Z' }],
      lines: [line],
      history: [{ ...line, state: 'accepted' }],
    }
    mkdirSync(join(kit.folder, 'worksheets'), { recursive: true })
    const file = join(kit.folder, `worksheets/${digest}.json`)
    writeFileSync(file, JSON.stringify(earlier))
    expect(must(await kit.review['review.worksheet'](null))).toMatchObject({
      auditor: '',
      sample: { seed: 'old', from: 'all', stratified: false, sampled: [{ node: 'node-b', stratum: 'not-satisfied' }] },
      lines: [{ ...line, state: 'needs-more-evidence' }],
    })
    must(await kit.review['review.note']({ node: 'node-a', check, state: 'agrees', note: '' }))
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      schema: 'barewitness.worksheet/2',
      draws: [{ seed: 'old', from: 'all' }],
      history: [{ state: 'agrees' }],
    })
    writeFileSync(file, JSON.stringify({ ...earlier, lines: [{ ...line, state: 'perhaps' }] }))
    expect(refusal(await kit.review['review.worksheet'](null))).toMatch(/^store\.failed/)
  })

  test('a shell draws the same from the saved results', async () => {
    const kit = await opened()
    const sheet = must(await kit.review['review.sample'](terms({ size: 3, seed: 'spring' })))
    const script = `for n in node-a node-b node-c; do
      echo "$(printf '%s\\n%s\\n%s' spring $n ${check} | sha256sum | cut -d' ' -f1) $n"; done | sort | cut -d' ' -f2`
    const drawn = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n')
    expect(sheet.sample?.sampled.map(({ node }) => node)).toEqual(drawn)
  })
})

describe('a saved worksheet', () => {
  const HOSTILE = '=HYPERLINK("http://evil.example")\n\u202enote'
  async function decided(): Promise<SealingKit> {
    const kit = await opened()
    must(await kit.review['review.sample'](terms({ from: 'deciding', stratified: true, size: 1, seed: '7' })))
    kit.setClock('2026-11-21T09:00:00.000Z')
    must(await kit.review['review.note']({ node: 'node-a', check, state: 'agrees', note: HOSTILE }))
    must(await kit.review['review.note']({ node: 'node-b', check, state: 'does-not-agree', note: '' }))
    return kit
  }

  test('CSV names pack, seed, positions, decisions and auditor; a note is text', async () => {
    const kit = await decided()
    const to = join(kit.folder, 'sheet.csv')
    expect(must(await kit.review['review.save-worksheet'](null, { path: to }))).toEqual({ file: 'sheet.csv' })
    const [head, ...rows] = readFileSync(to, 'utf8').trimEnd().split('\r\n')
    expect(head).toMatch(/^\ufeff?pack,pack SHA-256,seed,population,position in population,node,check,verdict,/)
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatch(
      new RegExp(
        `^run-1.barewitness.zip,${digestOf()},7,2,2,node-b,${check},not-satisfied,Not satisfied,does-not-agree,,`,
      ),
    )
    expect(rows[0]).toContain('R. Vega')
    expect(rows[1]).toContain('not sampled,node-a')
    expect(rows[1]).toContain(`"'=HYPERLINK(""http://evil.example"")\\u{a}\\u{202e}note"`)
    expect(must(await kit.review['review.save-worksheet'](null))).toBeNull()
  })

  test('a workbook has the same lines, and no formula', async () => {
    const kit = await decided()
    const to = join(kit.folder, 'sheet.xlsx')
    must(await kit.review['review.save-workbook'](null, { path: to }))
    const { sheets, parts } = readXlsx(readFileSync(to))
    expect([...sheets.keys()]).toEqual(['Worksheet', 'About'])
    expect(sheets.get('Worksheet')?.[1]?.slice(4, 8)).toEqual(['2', 'node-b', check, 'not-satisfied'])
    const about = new Map(sheets.get('About')?.map(([item, text]) => [item, text]))
    expect(about.get('Auditor')).toBe('R. Vega')
    expect(about.get('Pack SHA-256')).toBe(digestOf())
    expect(about.get('Written (UTC)')).toBe('2026-11-21T09:00:00.000Z')
    expect([...parts.values()].join('')).not.toMatch(/<f[ >]/)
    const page = parts.get('xl/worksheets/sheet1.xml') ?? ''
    expect(page).toContain('<pageSetup paperSize="9" ')
    expect(page).toContain('&amp;LPack run-1.barewitness.zip&amp;C')
  })

  test('a PDF document is written on the paper of the engagement', async () => {
    const kit = await decided()
    Object.assign(kit.context.session.pack?.assessment?.scope ?? {}, { paper: 'letter' })
    const to = join(kit.folder, 'sheet.pdf')
    must(await kit.review['review.save-worksheet-pdf'](null, { path: to }))
    const bytes = readFileSync(to)
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-')
    // US Letter in points.
    expect(bytes.toString('latin1')).toContain('/MediaBox [0 0 612 792]')
  })
})

test('findings have severity, nodes and the response of management', async () => {
  const kit = await opened()
  const findings = findingMethods(kit.context)
  const list = must(await findings['findings.get']({ of: 'pack', node: null }))
  const [row, ...others] = [...(list?.rows ?? []), ...(list?.informational ?? [])]
  expect(others).toEqual([])
  expect(row).toMatchObject({
    check,
    severity: 'medium',
    deviations: 1,
    tested: 2,
    isOverdue: false,
    response: { statedBy: 'J. Chen', owner: 'M. Ortiz', plan: 'Swap is removed.', isSigned: false },
  })
  const finding = must(await findings['finding.get']({ of: 'pack', reference: row?.reference ?? '' }))
  expect(finding).toMatchObject({ ...row, responses: [row?.response] })
  expect(finding?.evidence.map(({ subject }) => subject)).toEqual(['node-b'])
  expect(finding?.concerns.map(({ id }) => id)).toEqual(['C1'])
  expect(must(await findingMethods(auditor().context)['findings.get']({ of: 'pack', node: null }))).toBeNull()
})

test('limits name what was not tested, open verification checks, and what applies to every pack', async () => {
  const kit = await opened()
  const groups = must(await kit.review['review.limits'](null))
  const of = (id: string) => groups.find((group) => group.id === id)?.lines ?? []
  expect(of('not-tested').map(({ about }) => about)).toEqual(['node-c'])
  expect(of('verification').map(({ about }) => about)).toEqual(['Signature', 'Time', 'Continuity'])
  expect(of('conclusion').length).toBeGreaterThan(0)
  expect(of('general').length).toBeGreaterThan(5)
  expect(groups.every(({ lines }) => lines.length > 0)).toBe(true)
})
