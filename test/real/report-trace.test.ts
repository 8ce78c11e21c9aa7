import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoExport, whyNoDemoExport } from '../support/demo-export.ts'
import { describeUnless, isInstalled } from '../support/needing.ts'
import { ANSWERS, COUNTED, FURNITURE, LABEL, SHORT, tight } from '../support/report/printed.ts'
import { recount } from '../support/report/recount.ts'

// Every number that the demo's report prints, against the pack, opened with unzip and counted over again by code that is not ours.

const missing =
  whyNoDemoExport() ??
  ['pdftotext', 'unzip'].flatMap((tool) => (isInstalled(tool) ? [] : [`${tool} is not installed`]))[0] ??
  null

describeUnless(missing, 'numbers of the report', () => {
  let folder = ''
  let pages: readonly string[] = []
  let report = ''
  let told: ReturnType<typeof recount>
  /** Part of the annexes by its title, without white space: pdftotext breaks lines where cells end. */
  const part = (title: string): string => {
    const own = pages.filter((page) => new RegExp(`, annexes, draft A\\d+ ${title}`).test(page))
    expect(own.length, title).toBeGreaterThan(0)
    return tight(own.map(inner).join('\n'))
  }
  const inner = (page: string): string =>
    page
      .split('\n')
      .filter((line, at) => at > 5 || !FURNITURE.some((one) => one.test(line)))
      .join('\n')
  const count = (where: (one: { node: string; check: string; property: string; verdict: string }) => boolean): number =>
    told.verdicts.filter(where).length
  /** What is only recorded, or does not apply, stands in no denominator. */
  const ASIDE = ['informational', 'not-applicable']
  type Where = Parameters<typeof count>[0]
  const share = (verdict: string, of: Where): string => {
    const n = count((one) => of(one) && one.verdict === verdict)
    return ASIDE.includes(verdict) ? `${n}` : `${n} of ${count((one) => of(one) && !ASIDE.includes(one.verdict))}`
  }
  const contradictedChecks = () =>
    told.catalog.checks.filter(
      ({ id }) => count(({ check, verdict }) => check === id && verdict === 'not-satisfied') > 0,
    )
  /** As tables print how many of N answered how, worst first. */
  const counts = (id: string): readonly (readonly [verdict: string, words: string])[] =>
    Object.keys(COUNTED).flatMap((verdict) => {
      const n = count((one) => one.check === id && one.verdict === verdict)
      return n === 0 ? [] : [[verdict, `${share(verdict, ({ check }) => check === id)} ${COUNTED[verdict]}`] as const]
    })

  beforeAll(() => {
    const from = demoExport()
    const file = (end: string): string => join(from, readdirSync(from).find((name) => name.endsWith(end)) ?? '')
    folder = mkdtempSync(join(tmpdir(), 'bw-trace-'))
    expect(spawnSync('unzip', ['-q', file('.barewitness.zip'), '-d', folder]).status).toBe(0)
    const textOf = (end: string): string =>
      spawnSync('pdftotext', ['-raw', file(end), '-'], { encoding: 'utf8', maxBuffer: 1e9 }).stdout
    pages = textOf('_annexes.pdf')
      .split('\f')
      .filter((page) => page.trim() !== '')
    report = tight(textOf('_report.pdf'))
    told = recount(join(folder, 'pack'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('the cover: population, nodes that answered, digests', () => {
    const cover = part('Report information')
    const { declared, inFleet, inventory, unreconciled } = told.population
    expect(unreconciled).toBeGreaterThan(0)
    expect(cover).toContain(
      tight(
        `${declared} declared, ${inFleet} in the fleet file, ${inventory} in the provider inventory: ${unreconciled} unreconciled`,
      ),
    )
    expect(cover).toContain(tight(`${told.answered.length} of ${declared} declared nodes collected`))
    expect(cover).toContain(`SHA-256${told.digests.catalog}Evidencepack`)
    expect(cover).toContain(`Evidencedigest${told.digests.evidence}Signer`)
    expect(cover).toContain(`certificateSHA-256${told.digests.signer}`)
  })

  test('the contents: each title is on the page that they state, and on none before', () => {
    const [, listed = ''] = pages
      .filter((page) => page.includes(' A1 Report information'))
      .join('\n')
      .split('\nContents\n')
    const lines = listed.split('\n').flatMap((line) => {
      const [, number, title, page] = /^A(\d+) (.+?) (\d+)$/.exec(line) ?? []
      return number === undefined || title === undefined ? [] : [{ number, title, page: Number(page) }]
    })
    expect(lines.length).toBeGreaterThan(20)
    expect(lines.map(({ number }) => Number(number))).toEqual(lines.map((_, at) => at + 1))
    for (const { number, title, page } of lines.slice(1)) {
      const body = tight(inner(pages[page - 1] ?? ''))
      const [before] = body.split(tight(`A${number} ${title}`))
      // Nothing comes before it but the end of a running head that takes two lines.
      expect(before === body || !tight(title).endsWith(before ?? ''), title).toBe(false)
      expect(pages[page - 2]?.includes(`, draft A${number} `), title).toBe(false)
    }
  })

  /** Checks that decide nothing above informational open no finding, unless the evidence raises them. */
  const severityOf = (id: string): string | undefined =>
    told.catalog.severities.find(({ check }) => check === id)?.severity

  test('page 1: population, inventory, findings, documents and risk acceptances', () => {
    const { inventory, unreconciled } = told.population
    const untested = told.nodes.length - told.answered.length
    expect(report).toContain(
      tight(`${told.nodes.length} declared: ${told.answered.length} tested, ${untested} not tested`),
    )
    expect(report).toMatch(
      new RegExp(tight(`${inventory} rows: \\d+ matched, \\d+ excluded, ${unreconciled} unreconciled`)),
    )
    const deviating = contradictedChecks().filter(({ id }) => severityOf(id) !== 'info').length
    const [, findings = ''] = /resultedin(\d+)findings/.exec(report) ?? []
    // Beside the checks: the changed host key, the unreconciled row, and informational checks that the evidence raises.
    expect(Number(findings)).toBeGreaterThanOrEqual(deviating + 2)
    expect(Number(findings)).toBeLessThanOrEqual(contradictedChecks().length + 2)
    const { needed, held } = told.documents
    expect(report).toContain(tight(`${needed - held} of ${needed} required documents are outstanding`))
  })

  test('controls by framework, in the tests of controls and in their own parts', () => {
    const used = Object.keys(LABEL).filter((state) => told.states.some((one) => one.state === state))
    for (const { id, title } of told.catalog.frameworks.filter(({ id }) => told.scope.frameworks.includes(id))) {
      const own = told.states.filter(({ framework }) => framework === id)
      const n = (state: string): number => own.filter((one) => one.state === state).length
      expect(used.reduce((sum, state) => sum + n(state), 0)).toBe(own.length)
      const inScope = own.length - n('out-of-scope')
      expect(report).toContain(tight(`${inScope} controls in scope: deviations noted ${n('deviations')}`))
      expect(report).toContain(tight(`${n('deviations')} of ${inScope} ${SHORT[id]}`))
      const section = part(`Controls: ${title.slice(0, 20)}`)
      for (const state of used.filter((one) => n(one) > 0))
        expect(section).toContain(tight(`${LABEL[state]} ${n(state)} of ${own.length}`))
    }
  })

  test('findings: every check that is not satisfied, with the nodes that deviate of those tested', () => {
    const evidence = part('Evidence by finding')
    for (const { id } of contradictedChecks()) {
      const n = count(({ check, verdict }) => check === id && verdict === 'not-satisfied')
      const tested = count(({ check, verdict }) => check === id && verdict !== 'not-tested')
      expect(evidence).toContain(tight(`Check ${id}. Deviations on ${n} of ${tested} nodes tested`))
    }
    // The changed host key and the unreconciled row are findings without a result of a check.
    expect(evidence.split(tight('. Deviations on ')).length - 1).toBe(contradictedChecks().length + 2)
  })

  test('every check over the nodes, where checks are listed', () => {
    const section = part('Checks')
    for (const { id, expected, limitations } of told.catalog.checks) {
      const at = section.indexOf(tight(expected))
      expect(at, id).toBeGreaterThan(0)
      const words = counts(id).map(([, each]) => each)
      expect(section, id).toContain(tight(`${expected} ${limitations} ${words.join(' ')}`))
    }
  })

  test('the result of every deciding check, at every control', () => {
    const built = new Set(told.catalog.checks.map(({ id }) => id))
    let seen = 0
    for (const { id, title } of told.catalog.frameworks.filter(({ id }) => told.scope.frameworks.includes(id))) {
      const section = part(`Controls: ${title.slice(0, 20)}`)
      const outside = new Set(told.states.flatMap(({ control, state }) => (state === 'out-of-scope' ? [control] : [])))
      for (const { row } of told.rows.filter((one) => one.framework === id && !outside.has(one.row.key)))
        for (const { check, shows, role } of row.mappings) {
          if (!built.has(check) || !['required', 'counter'].includes(role)) continue
          if (told.catalog.conclusions.periodChecks.includes(check)) continue
          expect(section, `${row.id} ${check}`).toContain(tight(`${shows} ${check}, ${role} ${resultOf(check)}`))
          seen += 1
        }
    }
    expect(seen).toBeGreaterThan(60)
  })
  /** Deviations out of the nodes tested, then everything else that is not zero. */
  const resultOf = (id: string): string => {
    const n = (verdict: string): number => count((one) => one.check === id && one.verdict === verdict)
    const [all, untested] = [told.nodes.length, n('not-tested')]
    const tested = all - untested
    const isRecorded = n('informational') > 0 && n('informational') === tested
    const others = isRecorded
      ? []
      : (
          [
            ['satisfied', 'satisfied'],
            ['inconclusive', 'inconclusive'],
            ['not applicable', 'not-applicable'],
            ['recorded', 'informational'],
          ] as const
        ).flatMap(([word, verdict]) => (n(verdict) === 0 ? [] : [`${word} ${n(verdict)}`]))
    return [
      isRecorded ? `recorded on ${tested} of ${tested} tested` : `deviations ${n('not-satisfied')} of ${tested} tested`,
      ...others,
      ...(untested === 0 ? [] : [`not tested ${untested}`]),
    ].join('; ')
  }

  test('documents needed, held, outstanding and overdue; risk acceptances in force and ended', () => {
    const { needed, held, overdue } = told.documents
    expect(overdue).toBeGreaterThan(0)
    expect(report).toContain(
      tight(`${needed - held} of ${needed} required documents are outstanding, ${overdue} of them overdue`),
    )
    expect(part('Document index')).toContain(
      tight(`${held} of ${needed} documents required by the selected frameworks are on file`),
    )
    const { inForce, ended } = told.riskAcceptances
    expect(report).toContain(tight(`Risk acceptances: ${inForce.length} in effect, ${ended.length} expired`))
    const section = part('Deviations and risk acceptances')
    expect(section).toContain(`Ineffect(${inForce.length})`)
    expect(section).toContain(`Expired(${ended.length})`)
    for (const { check, nodes } of [...inForce, ...ended]) {
      const n = count((one) => one.check === check && nodes.includes(one.node) && one.verdict === 'not-satisfied')
      expect(section).toContain(tight(`${nodes.length} of ${told.nodes.length}: ${nodes.join(', ')}`))
      expect(section).toContain(tight(`Currently not satisfied on ${n} of ${nodes.length} of them`))
    }
  })

  test('promises of the provider, by answer', () => {
    const section = part('Provider claims')
    for (const { id, text } of told.scope.provider.claims) {
      const answers = told.nodes.flatMap(({ claims = [] }) => claims.filter(({ claim }) => claim === id))
      expect(answers.length, id).toBeGreaterThan(0)
      expect(section).toContain(tight(`${text} ${id}`))
      const row = section.slice(section.indexOf(tight(`${text} ${id}`)))
      for (const answer of new Set(answers.map((one) => one.result))) {
        const n = answers.filter((one) => one.result === answer).length
        expect(row.slice(0, 1200), id).toContain(tight(`${ANSWERS[answer]}: ${n} of ${answers.length}`))
      }
    }
  })

  test('evidence: answers and bytes of every node, and its recording', () => {
    const section = part('Evidence index')
    expect(section).toContain(
      tight(
        `${told.evidence.reduce((sum, { answers }) => sum + answers, 0)} captures in ${told.evidence.length} recordings`,
      ),
    )
    for (const { node, answers, bytes, recording } of told.evidence) {
      const grouped = String(bytes).replace(/\B(?=(\d{3})+$)/g, ',')
      expect(section, node).toContain(
        tight(`Recording ${recording} In the pack data/nodes/${node}/ Captures ${answers} captures, ${grouped} bytes`),
      )
    }
  })
})
