import { describe, expect, test } from 'vitest'
import { findingText, findingView, shownOf } from '../main/app/evaluate/finding-views.ts'
import { summaryText } from '../main/app/evaluate/summary.ts'
import { PROVIDERS } from '../main/catalog/definition/claims/tests.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { reached } from '../main/core/conclusion/tally.ts'
import { findingReference } from '../main/core/finding/finding.ts'
import { partsTable, rowCounts } from '../main/present/formats/row-counts.ts'
import { noFinding } from '../main/present/report/page-one.ts'
import { limitedControls } from '../main/present/report/parts/refused.ts'
import {
  documentStateWords,
  LIMITS_CONTROLS,
  rowStateWords,
  SEVERITIES,
  serverStateWords,
  severityWords,
} from '../schemas/conclusion-words.ts'
import { failureWords } from '../schemas/failure-words.ts'
import { tenancyWords } from '../schemas/words.ts'
import { formatSample } from './support/format-sample.ts'
import { responseOf } from './support/register.ts'

const { assessment, catalog, register, recordings } = formatSample()
const lines = summaryText({ assessment, catalog, register, recordings }).split('\n')
const shown = shownOf({ assessment, catalog, register, recordings })
const frameworks = rowCounts(assessment, catalog)

/** The lines of one framework, from its title to the next empty line. */
function partOf(title: string): readonly string[] {
  const start = lines.findIndex((line) => line.startsWith(`${title}: `))
  const length = lines.slice(start).indexOf('')
  return lines.slice(start, length < 0 ? undefined : start + length)
}

describe.each(frameworks.map((one) => [one.framework.id, one] as const))('the summary of %s', (_, counts) => {
  const part = partOf(counts.framework.title)

  test('counts its rows by state, and the counts sum to the rows listed', () => {
    expect(part[0]).toBe(`${counts.framework.title}: ${counts.rows.length} controls`)
    const labels: readonly string[] = counts.states.map(([state]) => rowStateWords[state].label)
    const told = part.flatMap((line) => {
      const [, count, label = ''] = /^ {2}(\d+) (.+?)(?: \(of which .*\))?$/.exec(line) ?? []
      return labels.includes(label) ? [Number(count)] : []
    })
    expect(told).toEqual(counts.states.map(([, count]) => count).filter((count) => count > 0))
    expect(told.reduce((sum, count) => sum + count, 0)).toBe(counts.rows.length)
  })

  test('sets the server part against the document part, for the rows in scope', () => {
    const inScope = counts.rows.filter(({ state }) => state !== 'out-of-scope')
    const table = partsTable(inScope)
    const head = part.find((line) => line.startsWith('    Server part')) ?? ''
    for (const state of table.documents) expect(head).toContain(documentStateWords[state].label)
    for (const { server, counts: own } of table.lines) {
      const line = part.find((one) => one.startsWith(`    ${serverStateWords[server].label} `)) ?? ''
      expect([...line.matchAll(/\d+/g)].map(([digits]) => Number(digits))).toEqual(own)
    }
    expect(table.lines.flatMap((one) => one.counts).reduce((sum, count) => sum + count, 0)).toBe(inScope.length)
  })
})

describe('the summary', () => {
  test('calls the documents that it counts required, as the window does', () => {
    expect(shown.conclusion.join(' ')).toMatch(/\d+ of \d+ required documents are outstanding/)
  })

  test('of a run without a tested node states no absence of deviations', () => {
    const scope = { fleet: 'demo', population: ['demo-gone-07'], frameworks: ['hipaa'] }
    const stopped = assess({ catalog, scope, recordings: [], asOf: assessment.asOf })
    const text = summaryText({ assessment: stopped, catalog, register, recordings: [] })
    expect(text).not.toContain('No deviations noted on the nodes tested.')
    expect(text).toContain(noFinding({ assessment: stopped }))
  })

  test('states what a node limits whose host key was refused', () => {
    const failure = { code: 'ssh.host-key-changed', detail: 'ssh-ed25519 SHA256:other was shown' }
    const nodes = assessment.nodes.map((node) => (node.node === 'demo-missing-07' ? { ...node, failure } : node))
    const text = summaryText({ assessment: { ...assessment, nodes }, catalog, register, recordings })
    expect(text).toMatch(
      /1 of 7: 6 tested, 1 refused before login: demo-missing-07\n.*Refused before login and not tested, which limits 2 controls\n/,
    )
  })

  test('states of how many nodes an inconclusive claim rests on no collection', () => {
    const answered = (result: 'inconclusive' | 'corroborated') => ({
      claim: 'dedicated-server',
      result,
      observations: [],
    })
    const provider = PROVIDERS.find(({ claims }) => claims.some(({ id }) => id === 'dedicated-server'))
    if (provider === undefined) throw new Error('no provider with that claim')
    const nodes = assessment.nodes.map((node, at) => ({
      ...node,
      claims: [answered(reached(node) && at > 0 ? 'corroborated' : 'inconclusive')],
    }))
    const silent = nodes.filter((node) => !reached(node)).length
    const open = nodes.filter(({ claims }) => claims[0]?.result === 'inconclusive').length
    const scope = { ...assessment.scope, provider }
    const text = summaryText({ assessment: { ...assessment, scope, nodes }, catalog, register, recordings })
    expect(silent).toBeGreaterThan(0)
    expect(text).toContain(
      `      Inconclusive ${open} (${silent} not collected), Corroborated ${nodes.length - open} (of ${nodes.length})`,
    )
  })

  test('agrees with the finding itself about these controls', () => {
    const failure = { code: 'ssh.host-key-changed', detail: 'ssh-ed25519 SHA256:other was shown' }
    const nodes = assessment.nodes.map((node) => (node.node === 'demo-missing-07' ? { ...node, failure } : node))
    const sources = { assessment: { ...assessment, nodes }, catalog, register, recordings }
    const shown = shownOf(sources)
    const finding = shown.findings.find(({ deviations }) => deviations.some(({ isRefused }) => isRefused))
    if (finding === undefined) throw new Error('no finding on a refused node')
    const view = findingView({ ...sources, of: 'run', run: 'x', shown }, finding.reference)
    expect([view?.concerns, view?.limits]).toMatchObject([[], { length: 2 }])
    expect(Object.keys(view?.limits[0] ?? {}).sort()).toEqual(['framework', 'id', 'key', 'title'])
    const limits = limitedControls(sources, finding)
    const text = findingText(finding, { remediation: undefined, history: [], limits })
    expect(text).toContain(`  ${LIMITS_CONTROLS} ${limits.map(({ control }) => control).join(', ')}`)
  })

  test('names supported rows that rest on documents alone apart from those with server tests', () => {
    const [hipaa] = frameworks
    const supported = hipaa?.states.find(([state]) => state === 'supported')?.[1]
    expect(partOf(hipaa?.framework.title ?? '')).toContain(
      `  ${supported} ${rowStateWords.supported.label} (of which ${hipaa?.supportedByTests} with server tests)`,
    )
  })

  test('counts deviations of the nodes tested, with what was not tested', () => {
    const line = lines.find((one) => one.startsWith('    CC6.6  '))
    expect(line).toMatch(/deviations on 2 of 6 nodes tested; 1 not tested$/)
    expect(lines.join('\n')).toMatch(/^ {6}deviations on 5 of 6 tested: demo-gpu-01, [^;]*; 1 not tested$/m)
  })

  test('names each check of an observation by its condition, not by its id alone', () => {
    const text = lines.join('\n')
    const rated = catalog.severities.find(({ check }) => text.includes(`    ${check}: `))
    expect(rated).toBe(undefined)
    expect(text).toMatch(/^ {4}F-[0-9A-F]{6} .+ \(encryption\.at-rest\.\S+\): not satisfied \d+ of \d+ tested/m)
  })

  test('lists every finding once, the most severe first, with status and owner', () => {
    const listed = lines.flatMap((line) => {
      const [, reference = '', label = ''] = /^ {2}(F-[0-9A-F]{6}) {2}(\w+): /.exec(line) ?? []
      return reference === '' ? [] : [{ reference, label }]
    })
    expect(listed.map(({ reference }) => reference)).toEqual(
      [...shown.findings, ...shown.informational].map(({ reference }) => reference),
    )
    const order = SEVERITIES.map((level) => severityWords[level])
    const levels = listed.map(({ label }) => order.indexOf(label))
    expect(levels).toEqual([...levels].sort((a, b) => a - b))
    expect(lines).toContain('      Open. Owner not assigned')
  })

  test('marks findings that decide no control in scope', () => {
    const at = (check: string): string => {
      const reference = findingReference(assessment.scope.fleet, check)
      return lines[lines.findIndex((line) => line.startsWith(`  ${reference}  `)) + 2] ?? ''
    }
    expect(at('access.unique-accounts')).not.toMatch(/Decides no control/)
    // Supporting or context in every row.
    expect(at('encryption.in-transit.fabric')).toMatch(/Decides no control in scope$/)
  })

  test('names owner, due day and what is overdue', () => {
    const [first] = shown.findings
    const responses = [
      responseOf({ check: first?.check ?? '', due: '2026-11-02T23:59:59.999Z', statedAt: '2026-11-01T08:00:00.000Z' }),
    ]
    const text = summaryText({ assessment, catalog, register: { ...register, responses }, recordings })
    expect(text).toContain('Owner: K. Adeyemi, due 2026-11-02 (overdue)')
    expect(text).toContain(`Overdue (1): ${first?.reference}`)
    expect(text).toMatch(/Critical and high findings with an owner: 1 of \d+/)
  })

  test('states what sudo did not allow on a node that is collected with sudo', () => {
    const text = '43 probes of 212 need administrator rights that were not granted: “host.serials” and 42 more.'
    const denied = { probe: null, direction: 'unclear', captures: [], text } as const
    const withDenied = (privilege: 'sudo' | 'none'): string => {
      const nodes = assessment.nodes.map((node) => ({
        ...node,
        privilege,
        results: node.results.map((result) =>
          result.check === 'evidence.collection-completeness' ? { ...result, observations: [denied] } : result,
        ),
      }))
      return summaryText({ assessment: { ...assessment, nodes }, catalog, register, recordings })
    }
    expect(withDenied('sudo')).toContain('    43 probes of 212 need administrator rights that were not granted.')
    expect(withDenied('sudo')).toContain('“barewitness catalog sudoers”')
    expect(withDenied('none')).not.toContain('administrator rights')
  })

  test('states in words why a node was not collected, and what to do next', () => {
    const failure = { code: 'ssh.host-key-changed', detail: 'ssh-ed25519 SHA256:x was shown' } as const
    const nodes = assessment.nodes.map((node) => ({ ...node, isolation: null, failure }))
    const text = summaryText({ assessment: { ...assessment, nodes }, catalog, register, recordings })
    const { title, next } = failureWords['ssh.host-key-changed']
    expect(text).toContain(`    not collected: ${title} (ssh-ed25519 SHA256:x was shown)\n    Next: ${next}`)
  })

  test('names the tenancy of a node, not its code', () => {
    expect(lines.join('\n')).not.toContain('single-observed')
    expect(lines.join('\n')).toContain(tenancyWords['single-observed'])
  })

  test('prints a risk acceptance beside the deviation, which remains', () => {
    expect(lines).toContain('      risk accepted on 3 of these; the deviation remains')
  })
})
