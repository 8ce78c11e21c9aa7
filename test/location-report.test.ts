import { describe, expect, it } from 'vitest'
import { locationGrid } from '../main/present/formats/grids/location.ts'
import { documentText, type ReportInput } from '../main/present/report.ts'
import { LOCATION_SHOWS } from '../schemas/location-words.ts'
import type { DeclaredLocation, Location } from '../schemas/types.ts'
import { BANNED } from '../schemas/words.ts'
import { answerOf, discFrom, locationOf, placeOf, signalOf } from './support/location.ts'
import { bigInput, sampleInput } from './support/report/sample.ts'
import { wholeReport } from './support/report/whole.ts'

const DALLAS = placeOf('Dallas', 32.8, -96.8, 5)
const CONTRADICTED = locationOf({
  results: [
    answerOf({
      result: 'contradicted',
      delay: 'outside',
      text: 'Light cannot go there and back in 4.00 ms.',
      signals: [{ id: 'cloud-init', indicates: 'inside' }],
      needed: { vantage: 'Dallas', milliseconds: 1.5 },
    }),
    answerOf({ of: 'residency', title: 'United States', result: 'bounded', delay: 'inside' }),
  ],
  distanceBounds: [discFrom(DALLAS, 4, { record: 'dallas-1', signer: 'ab'.repeat(32), tcpMs: 0.15 })],
  reachable: ['US'],
  frontEnd: { echoMs: 59.9, tcpMs: 0.15, gapMs: 59.75, allowedMs: 5, exceeds: true },
  signals: [signalOf(), signalOf({ id: 'timezone', hint: true, text: 'The clock is set to Europe/Berlin.' })],
  notes: ['The record of Chicago names another host key, and is not used.'],
})
const DECLARED: DeclaredLocation = {
  databases: [
    {
      file: { name: 'old.mmdb', size: 9, sha256: 'c'.repeat(64) },
      format: 'mmdb',
      type: 'Some-City',
      provenance: 'Some Registry',
      builtOn: '2026-01-01',
      families: [4, 6],
      answers: [],
    },
  ],
  sites: {
    source: 'Provider',
    kind: 'csv',
    on: '2026-11-01',
    declaredBy: 'M. Ortiz',
    file: { name: 'sites.csv', size: 9, sha256: 'd'.repeat(64) },
    rows: [],
  },
  residency: [{ region: 'US' }],
}

/** The sample with one location at its first node, and none at the others. */
function withLocation(input: ReportInput, location: Location, declared: DeclaredLocation = {}): ReportInput {
  const { nodes, scope } = input.assessment
  const assessment = {
    ...input.assessment,
    scope: { ...scope, location: declared },
    nodes: nodes.map((node, index) => ({ ...node, location: index === 0 ? location : null })),
  }
  return { ...input, assessment }
}

const part = (input: ReportInput, id = 'location'): string => {
  const document = wholeReport(input)
  return documentText({ ...document, sections: document.sections.filter((one) => one.id === id) }).join('\n')
}

const occurrences = (text: string, words: string): number => text.split(words).length - 1

describe('where nodes are, in the report', () => {
  const told = part(withLocation(sampleInput(), CONTRADICTED, DECLARED))

  it.each([
    'Contradicted',
    'Light cannot go there and back in 4.00 ms.',
    'Ashburn, US, within 60 km of 39.04, -77.48',
    'A round trip of at most 1.50 ms from Dallas would bound the responder within the area.',
    'Measurement dallas-1, 60 samples, signed by key abababababab',
    'TCP 0.15 ms; not used as a bound',
    'Within 605 km of Dallas (4.00 ms)',
    'Countries with land within all bounds: US.',
    'difference 59.75 ms; more than the usual 5.00 ms',
    'cloud-init names the region us-east-1.',
    'Statement by the machine or network operator',
    'Can be set by anyone; not counted.',
    'The record of Chicago names another host key, and is not used.',
    'United States: bounded within area',
    '323\u00a0days old: more than 60.',
    'c'.repeat(64),
    'd'.repeat(64),
    'Not signed.',
  ])('states “%s”', (words) => expect(told).toContain(words))

  it('prints what can and cannot be shown with every result, and once in the method', () => {
    for (const { statement } of LOCATION_SHOWS) {
      expect(occurrences(told, statement)).toBeGreaterThanOrEqual(1)
      expect(part(sampleInput(), 'method')).toContain(statement)
    }
    const two = withLocation(sampleInput(), CONTRADICTED)
    const nodes = two.assessment.nodes.map((node, index) => (index < 2 ? { ...node, location: CONTRADICTED } : node))
    const both = part({ ...two, assessment: { ...two.assessment, nodes } })
    expect(occurrences(both, 'Interpretation')).toBe(2)
  })

  it('uses none of the banned words, and lets no control character of a place through', () => {
    const hostile = locationOf({
      claim: placeOf('\u202e\u0007Ashburn', 1, 2, 3),
      results: [answerOf({ title: '\u202e', text: '\u0007' })],
      signals: [signalOf({ text: '\u202ex\n' })],
      notes: ['\u2066'],
    })
    for (const line of [...told.split('\n'), ...part(withLocation(sampleInput(), hostile)).split('\n')]) {
      expect(line).not.toMatch(/[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/)
      for (const banned of BANNED) expect(line).not.toMatch(banned)
    }
  })

  it('states that nothing was compared where no place was declared', () => {
    expect(part(sampleInput())).toContain('so nothing was compared')
  })

  it('shows of a large fleet the nodes in dispute, and counts all', () => {
    const many = part(withLocation(bigInput(60), CONTRADICTED))
    expect(occurrences(many, 'Interpretation')).toBe(1)
    expect(many).toContain('1 of 1')
    expect(occurrences(part(bigInput(60)), 'Interpretation')).toBe(1)
  })
})

describe('where nodes are, as a table', () => {
  it('rounds a bound up, and has a row for every node', () => {
    const { assessment } = withLocation(sampleInput(), CONTRADICTED)
    const { columns, rows } = locationGrid(assessment)
    expect(rows.map(([node]) => node)).toEqual(assessment.nodes.map(({ node }) => node))
    const first = Object.fromEntries(columns.map(({ title }, index) => [title, rows[0]?.[index]]))
    expect(first).toMatchObject({
      'location result': 'contradicted',
      'maximum distance in km': 605,
      'countries within bounds': 'US',
      policies: 'United States: bounded',
      statements: 1,
      'hints, not counted': 1,
    })
    expect(rows[1]?.slice(1, 5)).toEqual(['', '', '', 'not tested'])
  })
})
