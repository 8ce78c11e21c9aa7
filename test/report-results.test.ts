import { describe, expect, it } from 'vitest'
import { evidenceTable } from '../main/app/export/output-files.ts'
import type { Block } from '../main/core/base/report-document.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { nodeFolder } from '../main/core/pack/pack-files.ts'
import type { Framework } from '../main/core/rules/framework.ts'
import { htmlPieces } from '../main/present/html/page.ts'
import { buildPeriodReport } from '../main/present/period-report.ts'
import { documentText, type ReportDocument, type ReportInput } from '../main/present/report.ts'
import type { ControlDecision, Mapping } from '../schemas/types.ts'
import { BANNED, notEstablished } from '../schemas/words.ts'
import { samplePeriodInput } from './support/report/period-sample.ts'
import { SAMPLE_AS_OF, sampleCatalog, sampleInput, sampleRecording } from './support/report/sample.ts'
import { sectionText, wholeReport } from './support/report/whole.ts'

const input = sampleInput()
const report = wholeReport(input)

const blocksOf = (document: ReportDocument, id: string): readonly Block[] =>
  document.sections.find((one) => one.id === id)?.blocks ?? []
const rowsIn = (blocks: readonly Block[]): number =>
  blocks.reduce((sum, block) => sum + (block.kind === 'table' || block.kind === 'facts' ? block.rows.length : 0), 0)

/** Every node answers alike, and the last is missing. */
function fleet(size: number, scope: Partial<ReportInput['assessment']['scope']> = {}): ReportInput {
  const names = Array.from({ length: size }, (_, n) => `node-${String(n + 1).padStart(4, '0')}`)
  const recordings = names.slice(0, -1).map((name) =>
    sampleRecording({
      name,
      answers: (id, index) =>
        id === 'encryption.at-rest.ephi-paths' ? 'no: none is used' : index === 5 ? null : 'yes',
    }),
  )
  const population = { fleet: 'alike', population: names, frameworks: ['hipaa', 'soc2'], ...scope }
  const assessment = assess({ catalog: sampleCatalog, scope: population, recordings, asOf: SAMPLE_AS_OF })
  return { ...input, recordings, assessment }
}

const large = fleet(200)
const many = wholeReport(large)

describe('page 1', () => {
  it('stays as short where nodes are many', () => {
    expect(rowsIn(blocksOf(many, 'summary'))).toBeLessThanOrEqual(rowsIn(blocksOf(report, 'summary')))
    expect(sectionText(many, 'summary')).toContain('200 declared: 199 tested, 1 not tested')
    expect(sectionText(many, 'summary')).toContain('node-0200: no recording')
  })
})

describe('the tests of controls', () => {
  it.each(['hipaa', 'soc2'])('have every control in scope of %s once', (framework) => {
    const lines = sectionText(report, `tests-${framework}`).split('\n')
    const { controls } = input.catalog.frameworks.find(({ id }) => id === framework) ?? { controls: [] }
    const states = new Map(input.assessment.controls.map((one) => [`${one.framework} ${one.control}`, one.state]))
    for (const { key, id, title } of controls) {
      const found = lines.filter((line) => line.startsWith(`${id} ${title}`))
      expect([id, found.length > 0]).toEqual([id, states.get(`${framework} ${key}`) !== 'out-of-scope'])
    }
  })
})

describe('a large fleet', () => {
  it('has one row for nodes with the same gap, with a count and some names', () => {
    const gaps = sectionText(many, 'gaps')
    expect(gaps).toContain('199 nodes\nnode-0001, node-0002')
    expect(gaps).toContain('node-0012 and 187 more')
    expect(gaps).toContain('[captures of probe.encryption.at-rest.ephi-paths/read on each node]')
    expect(gaps).not.toContain('node-0013')
  })

  it('does not grow with the fleet, but for one line per node', () => {
    const larger = wholeReport(fleet(300))
    for (const { id } of many.sections) {
      const growth = rowsIn(blocksOf(larger, id)) - rowsIn(blocksOf(many, id))
      expect([id, growth]).toEqual([id, ['nodes', 'location', 'evidence'].includes(id) ? 100 : 0])
    }
  })

  it('states where the rest is', () => {
    expect(sectionText(many, 'nodes')).toContain('in the pack, in data/nodes/NODE')
    expect(sectionText(many, 'evidence')).toContain('evidence.csv next to the pack')
  })

  it('states what a node runs on in the same words as everywhere', () => {
    const nodes = large.assessment.nodes.map((node) =>
      node.isolation === null
        ? node
        : {
            ...node,
            isolation: {
              ...node.isolation,
              environment: 'undetermined' as const,
              rule: { ...node.isolation.rule, id: 'R8' as const },
            },
          },
    )
    const shown = sectionText(wholeReport({ ...large, assessment: { ...large.assessment, nodes } }), 'nodes')
    expect(shown).toContain(notEstablished)
    expect(shown).not.toContain('unknown, grade')
  })

  it('names the recording of every node whole', () => {
    const evidence = sectionText(many, 'evidence')
    for (const { recording } of large.assessment.nodes)
      if (recording !== null) expect(evidence).toContain(recording.digest)
  })

  it('uses none of the banned words', () => {
    const lines = documentText(many)
    expect(lines.filter((line) => BANNED.some((banned) => banned.test(line)))).toEqual([])
  })
})

describe('the evidence index', () => {
  it('lists what a reason cites, and counts what none does', () => {
    const assessment = {
      ...input.assessment,
      nodes: input.assessment.nodes.map((node) => ({
        ...node,
        isolation: null,
        results: node.results.filter(({ check }) => check === 'time.sync'),
      })),
    }
    const evidence = sectionText(wholeReport({ ...input, assessment }), 'evidence')
    expect(evidence).toContain('1 cited by an observation, 11 not cited')
    expect(evidence).toContain('probe.time.sync/read')
    expect(evidence).not.toContain('probe.access.accounts/read')
  })

  it('states where a recording is not the one that results rest on', () => {
    const nodes = input.assessment.nodes.map((node) => ({ ...node, recording: null }))
    const evidence = sectionText(wholeReport({ ...input, assessment: { ...input.assessment, nodes } }), 'evidence')
    expect(evidence).toContain('This recording was supplied, but the results are based on another one.')
    expect(evidence).toContain('0 cited by an observation, 12 not cited')
  })

  it.each([
    [{ maskedCount: 2, masked: { token: 1, password: 1 } }, 'password 4, token 4'],
    [{ maskedCount: 2 }, 'unnamed 8'],
  ])('lists masked values by question and class', (taken, said) => {
    const recordings = input.recordings.map(({ recording, captures }) => ({
      recording,
      captures: captures.map(({ meta }) => ({
        meta: meta.probe === 'probe.time.sync' ? { ...meta, ...taken } : meta,
      })),
    }))
    const report = wholeReport({ ...input, recordings })
    expect(sectionText(report, 'evidence')).toContain(`probe.time.sync/read\n${said}\n4 of 5: `)
    expect(sectionText(report, 'custody')).toContain(said)
    const [head = [], ...rows] = [...evidenceTable(recordings)]
    const classes = rows.map((row) => row[head.indexOf('masked, by class')]).filter((one) => one !== '')
    expect(new Set(classes)).toEqual(new Set([said.replace('4, token 4', '1, token 1').replace('8', '2')]))
  })
})

describe('evidence.csv', () => {
  const [head = [], ...rows] = [...evidenceTable(input.recordings)]
  const column = (name: string): number => head.indexOf(name)

  it('has every answer with both digests and its place in the pack, whatever the order of recordings', () => {
    const all = input.recordings.flatMap(({ recording, captures }) =>
      captures.map(({ meta }) => [
        recording.node.name,
        meta.probe,
        meta.stdout.sha256,
        meta.stderr.sha256,
        `${nodeFolder(recording.node.name)}/sha256/${meta.stdout.sha256}`,
      ]),
    )
    const names = ['node', 'probe', 'output SHA-256', 'error output SHA-256', 'path in pack'].map(column)
    const found = rows.map((row) => names.map((index) => row[index]))
    expect(found.map((row) => row.join(' ')).sort()).toEqual(all.map((row) => row.join(' ')).sort())
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([head.length]))
    expect([...evidenceTable([...input.recordings].reverse())]).toEqual([head, ...rows])
  })

  it('has the whole digest for every short code of the report', () => {
    const codes = new Set(
      ['gaps', 'undecided', 'isolation'].flatMap((id) =>
        [...sectionText(report, id).matchAll(/\[evidence ([^\]]+)\]/g)].flatMap(
          ([, found = '']) => found.match(/[0-9a-f]{12}/g) ?? [],
        ),
      ),
    )
    expect(codes.size).toBeGreaterThan(3)
    const digests = rows.map((row) => row[column('output SHA-256')] ?? '')
    for (const code of codes) expect(digests.some((digest) => digest.startsWith(code))).toBe(true)
  })
})

describe('results by control', () => {
  const mapping: Mapping = {
    id: 'own-rules',
    title: 'Own rules',
    version: '3',
    status: 'in-use',
    proposed: false,
    source: [],
    notes: [],
    controls: (sampleCatalog.frameworks[1]?.controls ?? []).slice(0, 3).map((control) => ({
      ...control,
      mappings: [{ check: 'time.sync', shows: 'That clocks agree.' }],
      evidenceType: 'mixed',
    })) as Mapping['controls'],
  }

  it('states that a mapping is the customer’s, and only of that one', () => {
    const own = fleet(4, { frameworks: ['soc2', 'own-rules'], mappings: [mapping] })
    const document = wholeReport({
      ...own,
      catalog: { ...sampleCatalog, frameworks: [...sampleCatalog.frameworks, mapping] },
    })
    expect(sectionText(document, 'controls-own-rules')).toContain('Customer mapping')
    expect(sectionText(document, 'controls-own-rules')).toContain('That clocks agree.')
    expect(sectionText(document, 'controls-soc2')).not.toContain('Customer mapping')
  })

  it('states it on the cover, on the first page and in the HTML report too', () => {
    const own = fleet(4, { frameworks: ['soc2', 'own-rules'], mappings: [mapping] })
    const about = { ...own, catalog: { ...sampleCatalog, frameworks: [...sampleCatalog.frameworks, mapping] } }
    const printed = JSON.stringify(wholeReport(about))
    expect(printed).toContain('Own rules (customer mapping, not reviewed)')
    expect(printed).toContain('own-rules (customer mapping)')
    expect([...htmlPieces(about)].join('').match(/Customer mapping\./g)).toHaveLength(1)
  })

  it('states it in a period report', () => {
    const sample = samplePeriodInput()
    const { conclusions } = sample.period
    if (conclusions === null || conclusions === undefined) throw new Error('the sample concludes')
    const shown = (frameworks: typeof sample.frameworks): string =>
      JSON.stringify(buildPeriodReport({ ...sample, frameworks }).sections)
    expect(shown([...sample.frameworks, mapping as Framework])).toContain('The mapping was not reviewed.')
    expect(shown(sample.frameworks)).not.toContain('The mapping was not reviewed.')
  })

  it('name one date, and deviations in SOC 2', () => {
    const soc2 = sectionText(many, 'controls-soc2')
    expect(soc2).toContain('As of 20 Nov 2026 12:00 UTC.')
    expect(soc2).toContain('deviations 199 of 199 tested; not tested 1')
    expect(soc2).toContain('Deviations on node-0001')
    expect(sectionText(many, 'controls-hipaa')).not.toContain('Deviations on node')
  })

  it('shows the decision on an addressable specification, or that there is none', () => {
    const addressable = input.catalog.frameworks[0]?.controls.find(({ level }) => level === 'addressable')
    if (addressable === undefined) throw new Error('HIPAA has addressable specifications')
    const decision: ControlDecision = {
      id: 'd'.repeat(32),
      framework: 'hipaa',
      control: addressable.key,
      decision: 'equivalent-alternative',
      reason: 'Another lock does the same.',
      factors: null,
      alternativeMeasure: 'A second lock.',
      riskAnalysis: null,
      owner: 'K. Adeyemi',
      requestedBy: 'K. Adeyemi',
      approvedBy: 'M. Ortiz',
      approverRole: 'security official',
      decidedAt: '2026-11-01T08:00:00.000Z',
      expiresAt: '2027-03-01T23:59:59.999Z',
      withdrawn: null,
    }
    const decided = (one: ControlDecision): string =>
      sectionText(wholeReport({ ...input, register: { ...input.register, decisions: [one] } }), 'controls-hipaa')
    const words =
      'Addressable decision: Equivalent alternative measure implemented. Another lock does the same. Approved by M. Ortiz, security official, until 1 Mar 2027.'
    expect(decided(decision)).toContain(words)
    expect(decided({ ...decision, expiresAt: '2026-11-19T23:59:59.999Z' })).not.toContain(words)
    expect(sectionText(report, 'controls-hipaa')).toContain('Addressable decision: none in effect.')
  })
})

describe('results by node', () => {
  it('state who each node is, how its key was verified, and what it contradicts', () => {
    const nodes = sectionText(report, 'nodes')
    expect(nodes).toContain('found in a known_hosts file: known_hosts, line 4')
    expect(nodes).toContain('login as bwaudit by publickey over ssh2; privileged probes: through sudo')
    expect(nodes).toContain('-0.02 s relative to the collector’s clock, ±0.01 s')
    expect(nodes).toContain('encryption.at-rest.ephi-paths, encryption.at-rest.cipher')
    expect(nodes).toContain('No evidence was collected from db-3.')
    expect(nodes).toContain('drift is not compared')
  })
})
