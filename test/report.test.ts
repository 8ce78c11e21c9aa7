import { describe, expect, it } from 'vitest'
import { MARK_NAMES } from '../main/core/base/report-document.ts'
import { observed, when } from '../main/present/report/parts/wording.ts'
import { commandLine } from '../main/present/report/scope/evidence.ts'
import { buildAnnexes, buildReport, documentText, type ReportDocument } from '../main/present/report.ts'
import { documentStateWords, rowStateWords, serverStateWords } from '../schemas/conclusion-words.ts'
import { BANNED, verdictWords } from '../schemas/words.ts'
import { bigInput, sampleInput } from './support/report/sample.ts'
import { wholeReport } from './support/report/whole.ts'

const input = sampleInput()
const report = wholeReport(input)
const words = documentText(report)
const section = (document: ReportDocument, id: string): string => {
  const found = document.sections.filter((candidate) => candidate.id === id)
  return documentText({ ...document, sections: found }).join('\n')
}

describe('report', () => {
  it('uses none of the banned words anywhere', () => {
    const lines = [...words, ...documentText(wholeReport(bigInput(3)))]
    expect(lines.filter((line) => BANNED.some((banned) => banned.test(line)))).toEqual([])
  })

  it('has the parts in order, numbered by it', () => {
    expect(report.sections.map(({ id }) => id)).toEqual([
      'summary',
      'contents',
      'findings',
      'tests-hipaa',
      'tests-soc2',
      'boundary',
      'population',
      'requests',
      'limits',
      'sign-off',
      'verification',
      'cover',
      'gaps',
      'method',
      'versions',
      'compared',
      'controls-hipaa',
      'controls-soc2',
      'checks',
      'nodes',
      'isolation',
      'location',
      'undecided',
      'claims',
      'acceptances',
      'decisions',
      'records',
      'ceilings',
      'custody',
      'howto',
      'evidence',
      'glossary',
    ])
    const annexes = report.sections.findIndex(({ id }) => id === 'cover')
    report.sections.forEach(({ title }, index) => {
      if (index > 1) expect(title).toMatch(index < annexes ? `${index - 1}  ` : `A${index - annexes + 1}  `)
    })
  })

  it.each([
    ['letter where HIPAA is examined', ['hipaa', 'soc2'], undefined, 'letter'],
    ['A4 elsewhere', ['soc2'], undefined, 'a4'],
    ['A4 where it was chosen', ['hipaa'], 'a4', 'a4'],
    ['letter where it was chosen', ['soc2'], 'letter', 'letter'],
  ] as const)('is on %s', (_, frameworks, paper, expected) => {
    const scope = { ...input.assessment.scope, frameworks: [...frameworks], ...(paper && { paper }) }
    const assessment = { ...input.assessment, scope }
    expect([buildReport({ ...input, assessment }).paper, buildAnnexes({ ...input, assessment }).paper]).toEqual([
      expected,
      expected,
    ])
  })

  it('states on the cover which fleet, how many nodes answered, when, by what, and whose key', () => {
    const cover = section(report, 'cover')
    expect(cover).toContain('clinic-prod')
    expect(cover).toContain('4 of 6 declared nodes collected')
    expect(cover).toContain('Not collected: ams-backup-01, db-3')
    expect(cover).toContain('20 Nov 2026 09:12 UTC')
    expect(cover).toContain('20 Nov 2026 12:00 UTC')
    expect(cover).toContain(input.evidenceDigest)
    expect(cover).toContain(input.signer?.fingerprint)
    expect(cover).toContain(input.assessment.catalog.digest)
  })

  it('shows Demo data where the fleet is the demo fleet, and only there', () => {
    expect(section(report, 'cover')).not.toContain('Demo data')
    const demo = wholeReport({ ...input, demo: true })
    expect(section(demo, 'cover')).toContain('Demo data')
    expect(demo.demo).toBe(true)
  })

  it('marks made-up or edited recordings on the cover, at the node and at its gaps', () => {
    expect(section(report, 'cover')).toContain('Contains synthetic recordings')
    expect(section(report, 'isolation')).toContain('Built by hand from the answers of a guest machine')
    expect(section(report, 'gaps')).toContain('Synthetic recording')
    expect(section(report, 'evidence')).toContain('Built by hand from the answers of a guest machine')
  })

  it('counts what was declared and what was tested on page 1', () => {
    const summary = section(report, 'summary')
    expect(summary).toContain('6 declared: 4 tested, 2 not tested')
    expect(summary).toContain('Tests of 4 of 6 declared nodes resulted in 4 findings: 4 moderate.')
  })

  it('lists every contradicted finding with its node and a digest of its evidence', () => {
    const gaps = section(report, 'gaps')
    const all = input.assessment.nodes.flatMap((node) =>
      node.results
        .filter(({ verdict }) => verdict === 'not-satisfied')
        .map((finding) => ({ node: node.node, finding })),
    )
    expect(all.length).toBe(4)
    for (const { node, finding } of all) {
      expect(gaps).toContain(node)
      for (const reason of finding.observations)
        for (const { sha256 } of reason.captures) expect(gaps).toContain(sha256.slice(0, 12))
    }
  })

  it('names the nodes without evidence and what to do about each', () => {
    const undecided = section(report, 'undecided')
    expect(undecided).toContain('Node unreachable')
    expect(undecided).toContain('connect ECONNREFUSED 192.0.2.10:22')
    expect(undecided).toContain('No recording exists for this declared node')
    expect(undecided).toContain('needs administrator rights')
    // Without a login, a node has a time at which one was tried, and none of a collection.
    expect(section(report, 'nodes')).toContain('Attempted\n20 Nov 2026 09:12 UTC; node clock offset')
  })

  it('shows every control of each framework, and which rest on documents alone', () => {
    for (const framework of input.catalog.frameworks.filter(({ proposed }) => !proposed)) {
      const controls = section(report, `controls-${framework.id}`)
      for (const control of framework.controls) {
        expect(controls).toContain(`${control.id} ${control.title}`)
        expect(controls).toContain(control.summary)
        expect(controls).toContain(control.notCovered)
      }
    }
    expect(input.catalog.frameworks[0]?.controls.length).toBe(72)
    expect(input.catalog.frameworks[1]?.controls.length).toBe(61)
    expect(section(report, 'controls-hipaa')).toContain('Controls based on documents only')
  })

  it('keeps an overlay apart, under its own banner', () => {
    const [first] = input.catalog.frameworks
    if (first === undefined) throw new Error('the sample has frameworks')
    const overlay = { ...first, id: 'nprm' as const, proposed: true, status: 'proposed-not-in-force' }
    const scope = { ...input.assessment.scope, frameworks: ['nprm', 'hipaa'] as const }
    const references = [{ id: 'nprm', title: 'Rows', asOf: '2026-11-21', sha256: 'a'.repeat(64) }]
    const catalog = { ...input.catalog, frameworks: [overlay, first], references }
    const both = wholeReport({ ...input, catalog, assessment: { ...input.assessment, scope } })
    const ids = both.sections.map(({ id }) => id)
    expect(ids.indexOf('controls-nprm')).toBe(ids.indexOf('ceilings') + 1)
    expect(ids).not.toContain('tests-nprm')
    expect(section(both, 'controls-nprm')).toContain('Proposed rule, not in effect')
    expect(section(both, 'controls-nprm')).toContain('Proposed, not in effect, as known on 21 Nov 2026')
    expect(section(both, 'controls-nprm')).toContain('Evaluated as of\n20 Nov 2026 12:00 UTC')
    expect(section(both, 'controls-hipaa')).not.toContain('Proposed rule')
  })

  it('prints the limits of every check and every full digest of every answer', () => {
    const checks = section(report, 'checks')
    for (const check of input.catalog.checks) expect(checks).toContain(check.limitations)
    const evidence = section(report, 'evidence')
    for (const { captures } of input.recordings)
      for (const { meta } of captures) {
        expect(evidence).toContain(meta.stdout.sha256)
        if (meta.stderr.size > 0) expect(evidence).toContain(meta.stderr.sha256)
      }
  })

  it('never claims an observation on a node that gave none', () => {
    for (const node of input.assessment.nodes.filter(({ status }) => status === 'failed' || status === 'missing'))
      expect(observed(node)).toBe(`No evidence was collected from ${node.node}.`)
  })

  it('does not depend on the order of recordings', () => {
    expect(wholeReport({ ...input, recordings: [...input.recordings].reverse() })).toEqual(report)
  })

  it('counts a check without a finding as not collected, never as support', () => {
    const nodes = input.assessment.nodes.map((node) => ({ ...node, results: [] }))
    const empty = wholeReport({ ...input, assessment: { ...input.assessment, nodes } })
    expect(section(empty, 'findings')).toContain('No deviations noted on the nodes tested.')
    expect(section(empty, 'summary')).not.toMatch(/: [1-9]\d* of \d+/)
  })

  it('leaves the signature steps out of an unsigned copy and states this', () => {
    const unsigned = wholeReport({ ...input, signer: null })
    expect(section(unsigned, 'cover')).toContain('This copy is not signed.')
    expect(section(unsigned, 'howto')).not.toContain('pdfsig -no-ocsp')
  })
})

describe('words of the report', () => {
  it('writes instants the same everywhere', () => {
    expect(when('2026-05-04T09:02:00.000Z')).toBe('4 May 2026 09:02 UTC')
    expect(when('soon')).toBe('soon')
  })

  it('knows a shape for every mark that a word names', () => {
    for (const { mark } of [
      ...Object.values(verdictWords),
      ...Object.values(rowStateWords),
      ...Object.values(serverStateWords),
      ...Object.values(documentStateWords),
    ])
      expect(MARK_NAMES).toContain(mark)
  })

  it('writes commands as the shell got them', () => {
    expect(commandLine({ argv: ['cat', '/sys/block/dm-*/dm/uuid'], privilege: 'sudo', source: 'node' })).toBe(
      'sudo -n cat /sys/block/dm-*/dm/uuid',
    )
    expect(commandLine({ argv: ['lsblk', '-o', "a b'c"], privilege: 'user', source: 'node' })).toBe(
      "lsblk -o 'a b'\\''c'",
    )
  })
})
