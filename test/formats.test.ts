import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { csvOf } from '../main/adapters/stored-file.ts'
import { xlsxOf } from '../main/adapters/xlsx-file.ts'
import {
  controlsTable,
  findingsTable,
  locationTable,
  populationTable,
  resultsTable,
} from '../main/app/export/output-files.ts'
import { MOST_ROWS, sheetOf } from '../main/present/formats/grids/grid.ts'
import { hdfFiles } from '../main/present/formats/hdf.ts'
import { oscalFiles } from '../main/present/formats/oscal.ts'
import { partsTable, rowCounts } from '../main/present/formats/row-counts.ts'
import { workbookOf } from '../main/present/formats/workbook.ts'
import {
  DOCUMENT_STATES,
  findingStatusWords,
  ROW_STATES,
  rowStateWords,
  SERVER_STATES,
  SEVERITIES,
  severityWords,
} from '../schemas/conclusion-words.ts'
import { BANNED, statusWords, VERDICTS, type Verdict, verdictWords } from '../schemas/words.ts'
import { formatSample, shownAgain } from './support/format-sample.ts'
import { PAGES, readXlsx } from './support/read-xlsx.ts'

const input = formatSample()
const { assessment, catalog, register } = input
const tables = {
  findings: findingsTable(input),
  results: [...resultsTable(input)],
  controls: controlsTable(assessment, catalog, register),
  population: populationTable(assessment),
  location: locationTable(assessment),
}

const sheets = workbookOf(input)
const workbook = xlsxOf(sheets, PAGES)
const documents = [...oscalFiles(input)]
const oscal = documents.find(([name]) => name.includes('results'))?.[1] as OscalDocument
const hdf = [...hdfFiles(input)] as readonly (readonly [string, HdfDocument])[]

interface Prop {
  readonly name: string
  readonly value: string
  readonly class?: string
}

interface OscalDocument {
  readonly 'assessment-results': {
    readonly results: readonly {
      readonly props: readonly Prop[]
      readonly 'local-definitions': { readonly 'inventory-items': readonly { readonly props: readonly Prop[] }[] }
      readonly 'reviewed-controls': {
        readonly 'control-selections': readonly {
          readonly props: readonly Prop[]
          readonly 'include-controls': readonly unknown[]
        }[]
      }
      readonly observations: readonly { readonly props: readonly Prop[] }[]
      readonly risks: readonly unknown[]
    }[]
  }
}

interface HdfControl {
  readonly id: string
  readonly impact: number
  readonly descriptions: readonly { readonly label: string; readonly data: string }[]
  readonly tags: {
    readonly nist: readonly string[]
    readonly severity?: string
    readonly finding?: string
    readonly [framework: string]: readonly string[] | string | undefined
  }
  readonly results: readonly {
    readonly status: string
    readonly message?: string
    readonly skip_message?: string
    readonly start_time: string
  }[]
}

interface HdfDocument {
  readonly platform: { readonly target_id: string }
  readonly statistics: { readonly duration: number }
  readonly profiles: readonly { readonly controls: readonly HdfControl[]; readonly sha256: string }[]
}

type Counts = Readonly<Record<string, number>>
const count = (names: readonly string[], found: readonly string[]): Counts =>
  Object.fromEntries(names.map((name) => [name, found.filter((one) => one === name).length]))
const value = ({ props }: { readonly props: readonly Prop[] }, name: string): string =>
  props.find((one) => one.name === name)?.value ?? ''

/** A table by the titles of its head. */
const byTitle = (rows: readonly (readonly (string | number)[])[]): readonly Readonly<Record<string, string>>[] =>
  rows.slice(1).map((row) => Object.fromEntries((rows[0] ?? []).map((title, at) => [title, String(row[at] ?? '')])))
const fromCsv = (table: readonly (readonly string[])[]) => byTitle(parse(csvOf(table), { bom: true }) as string[][])
const column = (rows: readonly Readonly<Record<string, string>>[], title: string): readonly string[] =>
  rows.map((row) => row[title] ?? '')
const sum = (rows: readonly Readonly<Record<string, string>>[], title: string): number =>
  column(rows, title).reduce((total, one) => total + Number(one), 0)

describe('one assessment, in every format', () => {
  const verdicts = count(
    VERDICTS,
    assessment.nodes.flatMap(({ results: findings }) => findings.map(({ verdict }) => verdict)),
  )
  const states = count(
    ROW_STATES,
    assessment.controls.map(({ state }) => state),
  )
  const frameworks = rowCounts(assessment, catalog)
  const nodes = assessment.nodes.map(({ node }) => node)
  const excepted = assessment.nodes.flatMap(({ node, results: findings }) =>
    findings
      .filter(({ check, verdict }) => verdict === 'not-satisfied' && register.riskAcceptances[0]?.check === check)
      .filter(() => register.riskAcceptances[0]?.nodes.includes(node) === true),
  ).length

  test('of which there is enough to count', () => {
    expect(VERDICTS.filter((verdict) => verdicts[verdict] === 0)).toEqual([])
    expect(nodes).toHaveLength(7)
    expect(excepted).toBe(3)
    for (const state of ['deviations', 'unable-to-conclude', 'documents-outstanding', 'supported'])
      expect(states[state], state).toBeGreaterThan(0)
  })

  test('CSV', () => {
    const results = fromCsv(tables.results)
    const population = fromCsv(tables.population)
    expect(count(VERDICTS, column(results, 'verdict'))).toEqual(verdicts)
    expect(count(ROW_STATES, column(fromCsv(tables.controls), 'state'))).toEqual(states)
    expect(column(population, 'node')).toEqual(nodes)
    const location = fromCsv(tables.location)
    expect(column(location, 'node')).toEqual(nodes)
    expect(column(location, 'location result').filter((one) => one !== '')).toHaveLength(
      assessment.nodes.filter((one) => one.location?.results.some((answer) => answer.of === 'declared-place')).length,
    )
    expect(sum(population, 'not satisfied')).toBe(verdicts['not-satisfied'])
    expect(column(results, 'risk acceptance').filter((one) => one !== '')).toHaveLength(excepted)
  })

  test('workbook', async () => {
    const read = readXlsx(await workbook).sheets
    const sheet = (name: string) => byTitle(read.get(name) ?? [])
    expect([...read.keys()]).toEqual([
      'About',
      'Findings',
      'Tests of controls',
      'Requests',
      'ePHI carriers',
      'Risk analysis input',
      'Risk analysis elements',
      'Business associate',
      'OCR audit protocol',
      'Population',
      'Inventory',
      'Location',
      'Results',
      'Controls',
      'Evidence',
      'Risk acceptances',
      'Documents',
      'Decisions',
      'Claims',
      'Checks',
    ])
    expect(count(VERDICTS, column(sheet('Results'), 'verdict'))).toEqual(verdicts)
    expect(count(ROW_STATES, column(sheet('Controls'), 'state'))).toEqual(states)
    expect(column(sheet('Population'), 'node')).toEqual(nodes)
    expect(column(sheet('Location'), 'node')).toEqual(nodes)
    expect(column(sheet('Results'), 'risk acceptance').filter((one) => one !== '')).toHaveLength(excepted)
    expect(sum(sheet('Risk acceptances'), 'currently deviating')).toBe(excepted + 2)
    expect(column(sheet('Risk acceptances'), 'status')).toEqual([
      statusWords['in-force'],
      statusWords.expired,
      'Requested, not approved',
    ])
    expect(sheet('Evidence')).toHaveLength(input.recordings.reduce((total, { captures }) => total + captures.length, 0))
    expect(sheet('Claims')).toHaveLength(nodes.length)
    const about = new Map(sheet('About').map((row) => [row.about, row.content]))
    expect(about.get('Evidence digest (SHA-256)')).toBe(input.evidenceDigest)
    expect(about.get('Demo data')).toMatch(/must not be used as evidence/)
    expect(about.get(`Results: ${verdictWords['not-satisfied'].label}`)).toBe(String(verdicts['not-satisfied']))
    for (const { framework, rows, states: own } of frameworks) {
      const told = own.map(([state]) => Number(about.get(`${framework.title}: ${rowStateWords[state].label}`)))
      expect(told, framework.id).toEqual(own.map(([, number]) => number))
      expect(about.get(`${framework.title}: controls`)).toBe(String(rows.length))
    }
    expect(column(sheet('Documents'), 'evidence requests')).toEqual(['', 'ER-31', 'ER-18', 'ER-25'])
    expect(column(sheet('Documents'), 'conclusion')).toEqual(['', 'supports', 'supports', 'does not support'])
  })

  test('OSCAL', () => {
    const [result] = oscal['assessment-results'].results
    if (result === undefined) throw new Error('no result')
    const told = Object.fromEntries(VERDICTS.map((verdict) => [verdict, Number(value(result, `verdicts-${verdict}`))]))
    const observed = count(
      VERDICTS,
      result.observations.map((one) => value(one, 'verdict')),
    )
    expect(told).toEqual(verdicts)
    expect(observed).toEqual({ ...verdicts, 'not-tested': 0 })
    for (const { framework, rows, states: own } of frameworks) {
      const props = result.props.filter((one) => one.class === framework.id)
      const counts = Object.fromEntries(props.map((one) => [one.name, Number(one.value)]))
      for (const [state, number] of own) expect(counts[`rows-${state}`], `${framework.id} ${state}`).toBe(number)
      expect(counts.rows).toBe(rows.length)
    }
    expect(result['local-definitions']['inventory-items'].map((one) => value(one, 'node'))).toEqual(nodes)
    expect(result.risks).toHaveLength(input.shown.findings.length)
    expect(Number(value(result, 'deviations'))).toBe(input.shown.figures.deviations)
    for (const level of SEVERITIES)
      expect(Number(value(result, `findings-${level}`)), level).toBe(input.shown.figures.findings[level])
  })

  test('HDF', () => {
    const results = hdf.flatMap(([, { profiles }]) => profiles.flatMap(({ controls }) => controls))
    const of = (status: string) => results.filter(({ results: [first] }) => first?.status === status).length
    expect(hdf.map(([, { platform }]) => platform.target_id)).toEqual(nodes)
    expect(of('passed')).toBe(verdicts.satisfied)
    expect(of('failed')).toBe(verdicts['not-satisfied'])
    expect(of('skipped')).toBe(
      (verdicts.inconclusive ?? 0) +
        (verdicts['not-tested'] ?? 0) +
        (verdicts.informational ?? 0) +
        (verdicts['not-applicable'] ?? 0),
    )
    const noted = results.filter(({ results: [first] }) => first?.message?.includes('Risk accepted until') === true)
    expect(noted).toHaveLength(excepted)
    expect(noted.every(({ results: [first] }) => first?.status === 'failed')).toBe(true)
  })

  test('rows are counted in each framework by itself, and sum to the rows listed; by parts, to those in scope', () => {
    expect(frameworks.map(({ framework }) => framework.id)).toEqual(
      catalog.frameworks.flatMap(({ id }) =>
        assessment.controls.some(({ framework }) => framework === id) ? [id] : [],
      ),
    )
    for (const { framework, rows, states: own } of frameworks) {
      expect(own.reduce((total, [, number]) => total + number, 0)).toBe(rows.length)
      expect(rows.length).toBe(framework.controls.length)
      const { lines } = partsTable(rows)
      const inScope = rows.filter(({ state }) => state !== 'out-of-scope')
      expect(lines.flatMap(({ counts }) => counts).reduce((total, number) => total + number, 0)).toBe(inScope.length)
    }
  })

  test('every sheet repeats what names a row: two columns where one is not enough', () => {
    const keys = new Map(sheets.map(({ name, keys }) => [name, keys]))
    expect(['Findings', 'Tests of controls', 'Results', 'Controls'].map((name) => keys.get(name))).toEqual([1, 2, 2, 2])
    expect([...keys.values()].every((count) => count === 1 || count === 2)).toBe(true)
  })

  test('two runs give the same bytes', async () => {
    const again = formatSample()
    expect(JSON.stringify([...oscalFiles(again)])).toBe(JSON.stringify(documents))
    expect(JSON.stringify([...hdfFiles(again)])).toBe(JSON.stringify(hdf))
    expect(Buffer.compare(await xlsxOf(workbookOf(again), PAGES), await workbook)).toBe(0)
  })

  test('no word of it over-claims', () => {
    // Titles of rows are the frameworks' own; the catalog's lint reads those that are ours.
    const titles = new Set(
      catalog.frameworks.flatMap(({ controls }) => controls.flatMap(({ id, title }) => [title, `${id} ${title}`])),
    )
    const texts = [...new Set([...leaves(sheets), ...leaves(documents), ...leaves(hdf), ...leaves(tables)])].filter(
      (text) => !titles.has(text),
    )
    expect(texts.length).toBeGreaterThan(1000)
    expect(texts.filter((text) => BANNED.some((banned) => banned.test(text)))).toEqual([])
    const dashed = [...titles].filter((title) => /\u2014/.test(title))
    const ours = (text: string): string => dashed.reduce((left, title) => left.replaceAll(title, ''), text)
    expect(texts.filter((text) => /\u2014/.test(text) && /\u2014/.test(ours(text)))).toEqual([])
  })
})

function leaves(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(leaves)
}

describe('the table of findings', () => {
  const rows = fromCsv(tables.findings)

  test('has one row per finding, in the order of the report, and counts as the report does', () => {
    expect(column(rows, 'reference')).toEqual(input.shown.findings.map(({ reference }) => reference))
    expect(column(rows, 'check')).toEqual(input.shown.findings.map(({ check }) => check))
    expect(sum(rows, 'deviations')).toBe(input.shown.figures.deviations)
    for (const level of ['critical', 'high', 'medium', 'low'] as const)
      expect(
        rows.filter(({ severity }) => severity === severityWords[level]),
        level,
      ).toHaveLength(input.shown.figures.findings[level])
  })

  test('names nodes, owner and due day; what management does not state is empty', () => {
    const row = (check: string) => rows.find((one) => one.check === check)
    expect(row('vuln.eol')).toMatchObject({
      owner: 'K. Adeyemi',
      'due (UTC)': '2026-12-15',
      status: findingStatusWords['in-progress'],
      plan: 'New image',
      overdue: 'no',
      'deviations with a risk acceptance in effect': '3',
    })
    expect(row('vuln.eol')?.nodes?.split(', ')).toHaveLength(Number(row('vuln.eol')?.deviations))
    expect(row('access.sshd.password-auth')).toMatchObject({ owner: '', 'due (UTC)': '', plan: '' })
  })

  test('a result that is not satisfied has the reference of its finding', () => {
    const results = fromCsv(tables.results)
    const referred = results.filter(({ finding }) => finding !== '')
    expect(referred.every(({ verdict }) => verdict === 'not-satisfied')).toBe(true)
    expect(new Set(column(referred, 'finding'))).toEqual(
      new Set([...input.shown.findings, ...input.shown.informational].map(({ reference }) => reference)),
    )
  })
})

describe('the table of controls', () => {
  const rows = fromCsv(tables.controls)
  const row = (control: string) => rows.find((one) => one.control === control)
  const assessedAs = (control: string) => {
    const key = catalog.frameworks.flatMap(({ controls }) => controls).find(({ id }) => id === control)?.key
    const found = assessment.controls.find((one) => one.control === key)
    if (found === undefined) throw new Error(`no row ${control}`)
    return found
  }

  test('has both parts beside each other, in their own words', () => {
    expect(count(SERVER_STATES, column(rows, 'server part'))).toEqual(
      count(
        SERVER_STATES,
        assessment.controls.map(({ server }) => server.state),
      ),
    )
    expect(count(DOCUMENT_STATES, column(rows, 'document part'))).toEqual(
      count(
        DOCUMENT_STATES,
        assessment.controls.map(({ documents }) => documents.state),
      ),
    )
  })

  test('counts deviations of the nodes tested, and what was not tested apart', () => {
    const { server } = assessedAs('CC6.6')
    expect([server.state, server.tested, server.population]).toEqual(['deviations', 6, 7])
    expect(row('CC6.6')).toMatchObject({
      'server part': 'deviations',
      'nodes in scope': '7',
      'nodes tested': '6',
      'nodes deviating': String(server.deviating),
      'nodes not tested': '1',
    })
    expect(row('CC6.6')?.['results per deciding check']).toMatch(
      /access\.sshd\.password-auth \(required\): deviations 2 of 6 tested/,
    )
  })

  test('counts what is only recorded as recorded, never as failing', () => {
    const cells = rows.map((one) => `${one['results per deciding check']} ${one['other checks']}`)
    expect(cells.join('\n')).not.toMatch(/\b0 of \d+ supported|supported 0 of/)
    expect(cells.join('\n')).toContain('recorded on 6 of 6 tested; not tested 1')
  })

  test('lists supporting checks that are not satisfied as observations with their severity', () => {
    const observed = assessedAs('CC6.6').checks.filter(
      ({ role, notSatisfied }) => role === 'supporting' && notSatisfied > 0,
    )
    expect(observed.map(({ check }) => check)).toContain('access.sshd.mfa')
    const told = row('CC6.6')?.observations?.split(' | ') ?? []
    expect(told.map((text) => text.split(' ')[0])).toEqual(observed.map(({ check }) => check))
    expect(told[0]).toMatch(/^\S+ \(severity \w+\): not satisfied \d of \d tested/)
    for (const { check } of observed) expect(row('CC6.6')?.['results per deciding check']).not.toContain(check)
  })

  test('names the document that answers a result, which stays as observed', () => {
    expect(row('CC6.6')?.['alternative evidence']).toBe('access.sshd.password-auth: 1 addressed by ER-18')
    expect(assessedAs('CC6.6').checks.find(({ check }) => check === 'access.sshd.password-auth')?.notSatisfied).toBe(2)
  })

  test('names outstanding documents with the level reached, and who was asked by when', () => {
    expect(row('164.308(a)(1)(ii)(C)')?.['outstanding documents']).toMatch(
      /^ER-06 .* \(nothing on file;' =HYPERLINK\("http:\/\/evil\.example"\), due 2026-12-01\)$/,
    )
    expect(row('164.308(a)(1)(ii)(A)')?.['outstanding documents']).toMatch(
      /^ER-03 .* \(nothing on file; overdue: A\. Weber, due 2026-11-01\)$/,
    )
    expect(row('164.308(b)(3)')).toMatchObject({ 'document part': 'inspected', 'outstanding documents': '' })
  })

  test('names documents that were inspected and do not support', () => {
    expect(row('164.308(a)(7)(ii)(D)')).toMatchObject({ state: 'deviations', 'document part': 'deviations' })
    expect(row('164.308(a)(7)(ii)(D)')?.['document deviations']).toMatch(/^ER-25 /)
  })

  test('names risk acceptances per check; the deviation remains', () => {
    expect(row('CC7.1')).toMatchObject({ state: 'deviations' })
    expect(row('CC7.1')?.['risk acceptances per check']).toContain('vuln.eol: risk accepted on 3 of 5 nodes')
  })
})

describe('the Heimdall Data Format', () => {
  const nodes = assessment.nodes.map(({ node }) => node)
  test('has one document per node, under a name that every file system keeps', () => {
    const hostile = assessment.nodes.map((node, index) => ({
      ...node,
      node: ['..', 'CON', 'a/b', '= 1', 'é'][index] ?? node.node,
    }))
    const names = [...hdfFiles({ ...input, assessment: { ...assessment, nodes: hostile } })].map(([name]) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name) => !/^[a-z0-9][a-z0-9._-]*\.hdf\.json$/.test(name))).toEqual([])
  })

  const STATUS: Readonly<Record<Verdict, string>> = {
    satisfied: 'passed',
    'not-satisfied': 'failed',
    inconclusive: 'skipped',
    'not-tested': 'skipped',
    informational: 'skipped',
    'not-applicable': 'skipped',
  }

  test('nothing but what is supported is ever passed, and each control has one result', () => {
    for (const [at, [, { profiles }]] of hdf.entries())
      for (const control of profiles.flatMap(({ controls }) => controls)) {
        const verdict = assessment.nodes[at]?.results.find(({ check }) => check === control.id)?.verdict as Verdict
        expect(control.results.map(({ status }) => status)).toEqual([STATUS[verdict]])
        // Heimdall shows impact 0 as not applicable, whatever the status.
        const isOutside =
          verdict === 'not-applicable' || (verdict === 'informational' && control.tags.severity === 'info')
        expect(control.impact === 0).toBe(isOutside)
        if (STATUS[verdict] === 'skipped') expect(control.results[0]?.skip_message).not.toBe('')
      }
  })

  test.each([
    ['critical', 0.9],
    ['high', 0.7],
    ['medium', 0.5],
    ['low', 0.3],
    ['info', 0.1],
  ])('severity %s has impact %s', (severity, impact) => {
    const found = hdf
      .flatMap(([, { profiles }]) => profiles.flatMap(({ controls }) => controls))
      .filter((one) => one.impact > 0 && one.tags.severity === severity)
    expect(found.length).toBeGreaterThan(0)
    expect(new Set(found.map((one) => one.impact))).toEqual(new Set([impact]))
  })

  test('a result that is not satisfied has the severity and the reference of its finding; any other, those of its check', () => {
    const findings = new Map([...input.shown.findings, ...input.shown.informational].map((one) => [one.check, one]))
    const base = new Map(catalog.severities.map((one) => [one.check, one.severity]))
    const told = hdf.flatMap(([, { profiles }]) => profiles.flatMap(({ controls }) => controls))
    for (const { id, tags, results } of told) {
      const finding = results[0]?.status === 'failed' ? findings.get(id) : undefined
      expect([tags.severity, tags.finding], id).toEqual([finding?.severity.level ?? base.get(id), finding?.reference])
    }
    // At least one is rated differently on these nodes than by its check alone.
    expect([...findings.values()].some(({ severity }) => severity.level !== severity.base)).toBe(true)
  })

  test('has the procedure and the remedy where Heimdall shows them, and the time that collecting took', () => {
    const [, document] = hdf[0] ?? []
    const text = (id: string, label: string) =>
      document?.profiles[0]?.controls.find((one) => one.id === id)?.descriptions.find((one) => one.label === label)
        ?.data
    const [rated] = catalog.severities.filter(({ check }) => check === 'access.sshd.password-auth')
    const [remedy] = input.remediations.filter(({ check }) => check === 'access.sshd.password-auth')
    expect(text('access.sshd.password-auth', 'check')).toBe(rated?.procedure)
    expect(text('access.sshd.password-auth', 'fix')?.split('\n')).toEqual(
      expect.arrayContaining((remedy?.steps[0]?.commands ?? ['no command']).map((line) => `Run: ${line}`)),
    )
    const [first, ...others] = input.recordings
    if (first === undefined) throw new Error('no recording')
    const endedAt = new Date(Date.parse(first.recording.startedAt) + 12_500).toISOString()
    const unreadable = { ...others[0]?.recording, startedAt: 'never' } as typeof first.recording
    const timed = [
      ...hdfFiles({
        ...input,
        recordings: [
          { ...first, recording: { ...first.recording, endedAt } },
          { captures: [], recording: unreadable },
        ],
      }),
    ] as typeof hdf
    expect(timed.map(([, { platform, statistics }]) => [platform.target_id, statistics.duration])).toEqual(
      nodes.map((node) => [node, node === first.recording.node.name ? 12.5 : 0]),
    )
  })

  test('names the rows that a check decides, each with both parts', () => {
    const control = hdf[0]?.[1].profiles[0]?.controls.find(({ id }) => id === 'access.unique-accounts')
    const told = control?.descriptions.find(({ label }) => label === 'controls')?.data.split('\n') ?? []
    const decided = assessment.controls.filter(({ state, checks }) =>
      checks.some(({ check, decides }) => state !== 'out-of-scope' && decides && check === 'access.unique-accounts'),
    )
    expect(told).toHaveLength(decided.length + 1)
    for (const text of told.slice(1)) expect(text).toMatch(/server part: .+; document part: .+\./)
  })

  test('names the controls that Heimdall groups by', () => {
    const control = hdf[0]?.[1].profiles[0]?.controls.find(({ id }) => id === 'tenancy.no-hypervisor')
    expect(control?.tags.nist).toEqual(['CM-8', 'SC-2', 'SC-3', 'SC-39'])
    for (const framework of ['hipaa', 'soc2'])
      expect(control?.tags[framework], framework).toEqual(
        catalog.frameworks
          .find(({ id }) => id === framework)
          ?.controls.filter(({ mappings }) => mappings.some(({ check }) => check === 'tenancy.no-hypervisor'))
          .map(({ id }) => id)
          .sort(),
      )
  })
})

test('of a large fleet the workbook has counts, worst first, that add up to every finding and answer', () => {
  const times = 300
  const many = Array.from({ length: times }, (_, at) =>
    assessment.nodes.map((one) => ({ ...one, node: at === 0 ? one.node : `${one.node}-${at}` })),
  ).flat()
  const recordings = Array.from({ length: times }, () => input.recordings).flat()
  const sheets = workbookOf(shownAgain({ ...input, assessment: { ...assessment, nodes: many }, recordings }))
  const sheet = (name: string) => byTitle(sheets.find((one) => one.name === name)?.rows ?? [])
  const findings = sheet('Results')
  const all = assessment.nodes.flatMap(({ results }) => results)
  expect(sum(findings, 'nodes')).toBe(all.length * times)
  for (const verdict of VERDICTS)
    expect(
      sum(
        findings.filter((row) => row.verdict === verdict),
        'nodes',
      ),
      verdict,
    ).toBe(all.filter((one) => one.verdict === verdict).length * times)
  expect(findings[0]?.verdict).toBe('not-satisfied')
  expect(sum(findings, 'risk acceptances in effect')).toBe(3)
  for (const { nodes, 'node names': which = '' } of findings) {
    const more = Number(/ and (\d+) more$/.exec(which)?.[1] ?? 0)
    expect(which.split(', ').length - (more > 0 ? 1 : 0) + more).toBe(Number(nodes))
  }
  expect(sum(sheet('Evidence'), 'answers')).toBe(recordings.flatMap(({ captures }) => captures).length)
})

test('a sheet that would be too long ends with how much is left out, and where it is', () => {
  const rows = Array.from({ length: MOST_ROWS + 2 }, (_, index) => [index])
  const sheet = sheetOf('Long', { columns: [{ title: 'n', width: 5 }], rows }, 'results.csv')
  expect(sheet.rows).toHaveLength(MOST_ROWS + 2)
  expect(sheet.rows.at(-1)).toEqual(['2 more rows are omitted here. See results.csv.'])
})
