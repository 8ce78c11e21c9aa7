import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cover, signOffSection } from '../main/present/report/cover.ts'
import { custodySection, versionSection } from '../main/present/report/custody.ts'
import { titles } from '../main/present/report/parts/wording.ts'
import { boundarySection } from '../main/present/report/scope/boundary.ts'
import { populationSection } from '../main/present/report/scope/population.ts'
import { documentText, matterOf } from '../main/present/report.ts'
import type { Engagement, EntrySignature, ProviderProfile } from '../schemas/types.ts'
import { BANNED } from '../schemas/words.ts'
import { documentOf, registerOf, riskAcceptanceOf } from './support/register.ts'
import {
  decisionOf,
  declaredInput,
  ENROLLED,
  engagementOf,
  FULL_REGISTER,
  PROVIDER,
  pendingOf,
} from './support/report/declared.ts'
import { bigInput, bigName, sampleInput } from './support/report/sample.ts'
import { sectionText, wholeReport } from './support/report/whole.ts'

const bare = wholeReport(sampleInput())
const input = declaredInput()
const full = wholeReport(input)

const bigNodes = (size: number): string[] => Array.from({ length: size }, (_, n) => bigName(n))

/** What assessors look for, in their order, and the parts of ours that hold it. */
const PARTS: readonly (readonly [part: string, ids: readonly string[]])[] = [
  ['conclusion', ['summary']],
  ['findings', ['findings']],
  ['tests of controls and results', ['tests-hipaa', 'tests-soc2']],
  ['scope and boundary', ['boundary']],
  ['population and completeness', ['population']],
  ['documents and risk acceptances', ['requests']],
  ['limitations', ['limits']],
  ['sign-off', ['sign-off']],
  ['verification', ['verification']],
  ['report information', ['cover']],
  ['evidence by finding', ['gaps']],
  ['method', ['method']],
  ['versions', ['versions', 'compared']],
  ['results by control', ['controls-hipaa', 'controls-soc2']],
  ['results by node', ['nodes', 'isolation', 'location', 'undecided']],
  ['exceptions and deviations', ['acceptances']],
  ['decisions and rationales', ['decisions']],
  ['manual evidence index', ['records']],
  ['limitations of checks', ['ceilings']],
  ['overlay', []],
  ['chain of custody', ['custody', 'howto']],
  ['appendix', ['evidence', 'glossary']],
]

it('names catalog and rules module by their own digests, as the annexes do', () => {
  const { digest, module } = sampleInput().assessment.catalog
  const shown = sectionText(bare, 'verification')
  expect(shown).toMatch(new RegExp(`Catalog, SHA-256\\s+${digest}`))
  expect(shown).toMatch(new RegExp(`Rules module, SHA-256\\s+${module}`))
  expect(shown).not.toContain('the rules and this report')
})

describe('the parts of a report', () => {
  it.each([
    ['without an engagement', bare],
    ['with one', full],
    ['of no node at all', wholeReport(sampleInput({ scope: { population: [] } }))],
  ])('are all there, in the order of assessors, %s', (_, document) => {
    const ids = document.sections.map(({ id }) => id)
    const wanted = PARTS.flatMap(([, some]) => some)
    expect(ids.filter((id) => wanted.includes(id))).toEqual(wanted)
    for (const { blocks } of document.sections) expect(blocks.length).toBeGreaterThan(0)
  })

  it('have the names by which other parts point at them', () => {
    for (const document of [bare, full]) {
      const named = new Map(document.sections.map(({ id, title }) => [id, title.replace(/^A?\d+ {2}/, '')]))
      for (const [id, title] of Object.entries(titles)) expect(named.get(id)).toBe(title)
      expect(documentText(document).join('\n')).not.toMatch(/\bsection \d/i)
    }
  })

  it('stand under one bookmark where several make one part', () => {
    const parts = full.sections.map(({ part }) => part)
    for (const part of new Set(parts.filter((one) => one !== undefined)))
      expect(parts.slice(parts.indexOf(part), parts.lastIndexOf(part) + 1).every((one) => one === part)).toBe(true)
    expect(new Set(parts)).toContain('Results by control')
  })

  it('use none of the banned words', () => {
    const lines = [...documentText(bare), ...documentText(full)]
    expect(lines.filter((line) => BANNED.some((banned) => banned.test(line)))).toEqual([])
  })

  it('are the same whatever the order of recordings and entries', () => {
    const register = {
      ...FULL_REGISTER,
      riskAcceptances: [...FULL_REGISTER.riskAcceptances].reverse(),
      documents: [...FULL_REGISTER.documents].reverse(),
    }
    expect(wholeReport({ ...input, register, recordings: [...input.recordings].reverse() })).toEqual(full)
  })
})

describe('the cover', () => {
  it('states that no engagement was declared, and invents nothing', () => {
    const cover = sectionText(bare, 'cover')
    expect(cover).toContain('Engagement not defined')
    for (const label of ['Entity', 'Purpose', 'Audience', 'Distribution', 'Population'])
      expect(cover.split('\n')).not.toContain(label)
  })

  it('names entity, purpose, audience, period, status, distribution and the three lists', () => {
    const cover = sectionText(full, 'cover')
    for (const words of [
      'Lindenhof Clinic',
      'Yearly evaluation of the imaging cluster',
      'Auditors of the clinic',
      '1 Jan 2026 to 31 Dec 2026, as planned',
      'One collection shows one point in time, not the period.',
      'Draft',
      'Clinic and its auditors only',
      'by A. Weber on 1 Nov 2026',
      '7 declared, 6 in the fleet file, 8 in the provider inventory: 1 unreconciled',
    ])
      expect(cover).toContain(words)
    expect(cover).not.toContain('Engagement not defined')
  })

  it('states what a final report of one date is, and that no list was given', () => {
    const engagement = engagementOf({
      status: 'final',
      reportingBasis: { kind: 'date', date: '2026-11-20' },
      distribution: null,
      inventory: null,
    })
    const cover = sectionText(wholeReport(declaredInput({ engagement })), 'cover')
    for (const words of [
      'Final',
      '20 Nov 2026',
      'No limit declared',
      '7 declared, 6 in the fleet file; no provider inventory to reconcile with',
    ])
      expect(cover).toContain(words)
    expect(cover).not.toContain('marked as a draft')
  })
})

describe('scope and boundary', () => {
  const boundary = sectionText(full, 'boundary')

  it.each([
    'Imaging cluster',
    'Frankfurt 2',
    'Office laptops',
    'They hold no ePHI.',
    'Runs it',
    'Carve-out: their controls are excluded and listed as required',
    'Period: 1 Jul 2025 to 30 Jun 2026',
    'Bridge letter until 30 Sep 2026',
    'Not covered: 51\u00a0days from then up to the evaluation date',
    'None on file. This report contains no evidence of their controls.',
    'Complementary subservice organization control',
    'UEC-1, from Report of Halle Eins',
    '2 of 7 satisfied',
    '1 of 7 not satisfied',
    'no.such.check: not in this catalog, so not tested on any node',
    'No mapped check; a document is required.',
    'Nightly copy',
    'On 1 of 3 nodes',
    'ePHI location “Images” is declared on node “elsewhere-1”, which is in no list of nodes.',
    'ePHI location “Images” is on node “db-3”, which was not collected; not tested.',
  ])('states “%s”', (words) => {
    expect(boundary).toContain(words)
  })

  it('states what was not declared, and what is known all the same', () => {
    const unknown = sectionText(bare, 'boundary')
    expect(unknown).toContain('The engagement is not defined.')
    expect(unknown).toContain('6 declared nodes')
    expect(unknown).toContain('None in the fleet file.')
  })

  it('counts no gap where the report at hand reaches the day of judging', () => {
    const [first] = engagementOf().subserviceOrganizations
    if (first?.report == null) throw new Error('the sample has a report')
    const engagement = engagementOf({
      subserviceOrganizations: [{ ...first, report: { ...first.report, to: '2026-11-20', bridgedUntil: null } }],
    })
    expect(sectionText(wholeReport(declaredInput({ engagement })), 'boundary')).toContain('Covers the evaluation date')
  })
})

describe('the population', () => {
  const population = sectionText(full, 'population')

  it.each([
    'Unreconciled assets in the provider inventory',
    'No sampling: all 7 declared nodes are the population, and a node without evidence counts as not tested. 4 of 7 collected.',
    'Asset list; 7 nodes',
    'Export from the provider’s portal: Portal of Halle Eins; 8 rows',
    'In the pack as data/inventory.csv',
    '6 of 7 nodes are in every list compared.',
    'srv-8',
    'No explanation',
    'Excluded, with rationale: Handed back in May.',
    'Node unreachable',
    'No recording exists',
  ])('states “%s”', (words) => {
    expect(population).toContain(words)
  })

  it('names every node of a small fleet, and of a large one only those that are apart', () => {
    for (const node of ENROLLED) expect(population).toContain(node)
    const nodes = bigNodes(60)
    const engagement = engagementOf({
      population: { ...engagementOf().population, nodes: nodes.filter((_, index) => index !== 7) },
      inventory: null,
    })
    const scope = { population: nodes, engagement, inFleet: nodes }
    const apart = sectionText(wholeReport(bigInput(60, { scope })), 'population')
    expect(apart).toContain('59 of 60 nodes are in every list compared.')
    expect(apart).toContain(nodes[7])
    expect(apart).not.toContain(nodes[8])
  })
})

describe('method and versions', () => {
  it('states rights by node count, questions by property, and what was not asked', () => {
    const method = sectionText(full, 'method')
    for (const words of [
      'limited to the methods test and examine',
      'No sampling: all 7 declared nodes are the population, and a node without evidence counts as not tested. 4 of 7 collected.',
      '3 of 7 collected with an unprivileged account, and through sudo where root is required',
      '1 of 7 collected with an unprivileged account only: privileged probes did not run',
      '3 of 7 not collected',
      '12 probes with 12 commands and measurements, of which 6 require root.',
      '5 of 5 from an undeclared place',
      'They were enabled in 0 of 5 recordings',
      'Of the commands to run, 6 did not run because the required privilege was missing.',
      'Login account: bwaudit.',
    ])
      expect(method).toContain(words)
  })

  it('prints versions, dates and digests of all it was read against', () => {
    const versions = sectionText(full, 'versions')
    for (const words of [
      'Barewitness 0.1.0',
      input.assessment.catalog.digest,
      '5 of 5 recordings: collector 0.1.0, catalog 0.1.0, another catalog',
      'HIPAA Security Rule',
      'In effect.',
      'Built in, in data/catalog.json',
      'Halle Eins (halle-eins), as of 1 Nov 2026',
      'This catalog uses no dated reference list.',
    ])
      expect(versions).toContain(words)
    const references = [{ id: 'ends', title: 'Ends of support', asOf: '2026-06-30', sha256: 'a'.repeat(64) }]
    const dated = sectionText(wholeReport(sampleInput({ catalog: { references } })), 'versions')
    expect(dated).toContain(`Ends of support\n30 Jun 2026\n${'a'.repeat(64)}`)
    expect(dated).toContain('None.')
  })
})

describe('what a provider promised', () => {
  it('lists contradicted ones first, with n of N, nodes and reasons, and what to bring', () => {
    const claims = sectionText(full, 'claims')
    const place = (words: string): number => {
      expect(claims).toContain(words)
      return claims.indexOf(words)
    }
    expect(place('No hypervisor is in the way.')).toBeLessThan(place('Links run at 400 Gbit/s.'))
    expect(place('Links run at 400 Gbit/s.')).toBeLessThan(place('Staff is vetted.'))
    expect(place('Nobody else is on the floor.')).toBeLessThan(place('Clocks follow a time source.'))
    for (const words of [
      'Contradicted: 1 of 7',
      'Inconclusive: 3 of 7',
      'Corroborated: 3 of 7',
      'Corroborated: 1 of 1',
      'Document required: 7 of 7',
      'Not observable from the node: 7 of 7',
      'no load was placed on any link',
      'source: Servers, retrieved on 30 Oct 2026; no copy of the page is retained',
      'Review your contract first',
      'The address was not recorded.',
      'link.rate: not in this catalog',
      'Vetting procedure',
      'A server sees no floor.',
      'vm-posing-as-metal-with-a-very-long-name-in-rack-17.fra.example.net',
    ])
      expect(claims).toContain(words)
  })

  it('prints a condition with the fact that it is absent, sources with their place, and statements that do not agree', () => {
    const cited = {
      id: 'terms',
      kind: 'contract',
      title: 'Terms',
      where: 'Clause 4',
      on: '2026-10-30',
      publisher: 'Halle Eins GmbH',
      address: 'https://halle.example/terms',
      sha256: 'c'.repeat(64),
    } as const
    const provider: ProviderProfile = {
      ...PROVIDER,
      sources: [...PROVIDER.sources, cited],
      conflicts: [
        {
          text: 'All halls are in Hesse.',
          source: 'page',
          against: 'Halls are in 50 countries.',
          againstSource: 'terms',
          why: 'Both cannot be.',
          documentRequired: 'The list of halls',
        },
      ],
      claims: [
        {
          id: 'f-fabric',
          text: 'The fabric runs at 200 Gbit/s.',
          quote: '200G everywhere',
          source: 'terms',
          condition: { text: 'Where there is a fabric.', tests: [{ test: 'link.rate', value: 200 }] },
          tests: [{ check: 'time.sync', supportsOnly: true }],
          whenUndecided: 'document-required',
          otherwise: null,
          why: null,
          documentRequired: 'The order',
        },
      ],
    }
    const input = sampleInput({ scope: { provider } })
    const nodes = input.assessment.nodes.map((node, at) => ({
      ...node,
      claims: [
        {
          claim: 'f-fabric',
          result: at === 0 ? ('not-applicable' as const) : ('document-required' as const),
          observations: [
            {
              direction: 'contradicts' as const,
              text: at === 0 ? 'No fabric port.' : 'Not read.',
              probe: null,
              captures: [],
            },
          ],
        },
      ],
    }))
    const claims = sectionText(wholeReport({ ...input, assessment: { ...input.assessment, nodes } }), 'claims')
    for (const words of [
      'Applies only: Where there is a fabric.',
      'In the provider’s words: “200G everywhere”',
      `Not applicable: 1 of ${nodes.length}`,
      'Reason for non-applicability',
      'No fabric port.',
      'Facts collected (not decisive)',
      'A deviation of this check does not contradict the provider.',
      'Publisher: Halle Eins GmbH',
      'https://halle.example/terms',
      `SHA-256 of the retained copy: ${'c'.repeat(64)}`,
      'Conflicting statements (1)',
      'Halls are in 50 countries.',
      'Request: The list of halls',
    ])
      expect(claims).toContain(words)
  })

  it('is reported as missing where no profile was declared', () => {
    expect(sectionText(bare, 'claims')).toContain('No provider claims were declared')
  })

  it('names what a reading was compared with, its unit and its limit', () => {
    const claimTests = [
      {
        id: 'link.rate',
        title: 'Rate of the links that are up.',
        takes: { kind: 'number', unit: 'Gbit/s' },
        limitations: 'Nominal rate only.',
        of: () => null,
      },
    ] as const
    const claims = sectionText(
      wholeReport(sampleInput({ scope: { provider: PROVIDER }, catalog: { claimTests } })),
      'claims',
    )
    expect(claims).toContain('Rate of the links that are up. Claimed: 400 Gbit/s.')
    expect(claims).toContain('Limitations: Nominal rate only.')
  })
})

const signature = (role: EntrySignature['role'], digit: string): EntrySignature => ({
  role,
  fingerprint: digit.repeat(64),
  at: '2026-11-05T08:00:00.000Z',
  cms: 'AA==',
  chain: [],
})

describe('exceptions, deviations and decisions', () => {
  it('state who signed with which key, or that no signature was made', () => {
    const signed = riskAcceptanceOf({ signatures: [signature('requester', '1'), signature('approver', '2')] })
    const report = (entry: ReturnType<typeof riskAcceptanceOf>): string =>
      sectionText(wholeReport({ ...sampleInput(), register: registerOf({ riskAcceptances: [entry] }) }), 'acceptances')
    expect(report(signed)).toContain('1'.repeat(64))
    expect(report(signed)).toContain('2'.repeat(64))
    expect(report(riskAcceptanceOf())).toContain('Not digitally signed')
    const oneKey = riskAcceptanceOf({ signatures: [signature('requester', '1'), signature('approver', '1')] })
    expect(report(oneKey)).toContain('Signature mismatch: two people are named, but both signatures have the same key.')
  })

  it('count what has ended as gaps, and list what was not approved', () => {
    const register = {
      ...registerOf({ riskAcceptances: [riskAcceptanceOf({ expiresAt: '2026-11-01T23:59:59.999Z' })] }),
      acceptanceRequests: [
        pendingOf(),
        pendingOf({
          id: '0'.repeat(32),
          resolved: { at: '2026-11-06T08:00:00.000Z', by: 'M. Ortiz', as: 'rejected', reason: 'Too long.' },
        }),
      ],
    }
    const exceptions = sectionText(wholeReport({ ...sampleInput(), register }), 'acceptances')
    for (const words of [
      'Deviations that remain are no longer accepted',
      'Requests without approval (2)',
      'Pending approval. Requested until the end of 1 Mar 2027, UTC',
      'Rejected. Requested until the end of 1 Mar 2027, UTC',
      '6 Nov 2026 08:00 UTC, by M. Ortiz: Too long.',
    ])
      expect(exceptions).toContain(words)
  })

  it('count deviations over the population, as of a moment, and state what one run cannot show', () => {
    const exceptions = sectionText(full, 'acceptances')
    for (const words of [
      'Deviations as of 20 Nov 2026 12:00 UTC',
      'not over a period',
      '1 of 7',
      'Remediation and recurrence require later collections',
      '1 risk-accepted',
    ])
      expect(exceptions).toContain(words)
  })

  it('print each decision with its reason, and the addressable rows that have none', () => {
    const decisions = sectionText(full, 'decisions')
    for (const words of [
      'HIPAA 164.312(a)(2)(iv)',
      'Equivalent alternative measure implemented',
      'Two sites, four people.',
      'Destruction on site',
      'RA-2026, page 4',
      'M. Ortiz, Security official',
      'In effect until the end of 30 Jun 2027, UTC',
      '21 of 22 have none in effect.',
    ])
      expect(decisions).toContain(words)
    const undecided = sectionText(bare, 'decisions')
    expect(undecided).toContain('No control decisions.')
    expect(undecided).toContain('22 of 22 have none in effect.')
    const ended = { ...FULL_REGISTER, decisions: [decisionOf({ expiresAt: '2026-11-10T23:59:59.999Z' })] }
    expect(sectionText(wholeReport(declaredInput({}, ended)), 'decisions')).toContain('22 of 22 have none in effect.')
  })

  it('are listed in full up to what a person reads, and are counted beyond', () => {
    const exceptions = Array.from({ length: 450 }, (_, index) =>
      riskAcceptanceOf({ id: index.toString(16).padStart(32, '0') }),
    )
    const document = wholeReport({ ...sampleInput(), register: registerOf({ riskAcceptances: exceptions }) })
    expect(sectionText(document, 'acceptances')).toContain('In effect (450)')
    expect(sectionText(document, 'acceptances')).toContain('150 more are in the pack, in data/register.json.')
  })
})

describe('sign-off and custody', () => {
  it('name who signs as what, leave lines where no person is named, and none for an auditor', () => {
    const signOff = sectionText(full, 'sign-off')
    for (const words of ['K. Adeyemi', '20 Nov 2026', 'M. Ortiz', 'Qualified person', 'Reviewer', '____'])
      expect(signOff).toContain(words)
    expect(signOff.match(/_{10,}/g)).toHaveLength(9)
    expect(sectionText(bare, 'sign-off').match(/_{10,}/g)).toHaveLength(12)
  })

  it('state capture, transfer, storage and seal with actor, time and digest', () => {
    const custody = sectionText(full, 'custody')
    for (const { node } of input.assessment.nodes.flatMap(({ recording, node }) => (recording ? [{ node }] : [])))
      expect(custody).toContain(node)
    for (const { recording } of input.assessment.nodes)
      if (recording !== null) expect(custody).toContain(recording.digest)
    for (const words of [
      '5 recordings, 20 Nov 2026 09:12 UTC',
      'Collector 0.1.0, logged in as bwaudit',
      '4 of 5 recordings were transferred in the SSH session of the capture',
      '1 risk acceptance, 1 decision and 1 document',
      input.evidenceDigest,
      input.signer?.fingerprint ?? '',
    ])
      expect(custody).toContain(words)
    expect(sectionText(wholeReport({ ...input, signer: null }), 'custody')).toContain('This copy is not signed.')
  })
})

describe('hostile words', () => {
  const LONG = `${'x'.repeat(10_000)}\u202e\u0007`
  /** The parts that are written from what people declare. */
  const DECLARED = [cover, boundarySection, populationSection, signOffSection, custodySection, versionSection]
  /** Words of a closed list stay what they are: a reader of files lets no others through. */
  const KEPT = new Set(['kind', 'status', 'method', 'role', 'schema'])
  const nasty = { owner: LONG, on: '2026-99-99\u202e' }

  it('of an engagement, a provider and a register stay bounded and visible', () => {
    const plainly = engagementOf()
    const engagement = engagementOf({
      entity: LONG,
      purpose: 'two\n\nlines\u2066',
      reportingBasis: { kind: 'date', date: 'never\u202e' },
      boundary: { ...plainly.boundary, system: LONG, services: [LONG], ...nasty },
      responsibilities: [{ area: LONG, provider: LONG, customer: LONG, ...nasty }],
      ephi: { ...plainly.ephi, stores: [{ name: LONG, path: `/${LONG}`, nodes: [LONG], what: LONG }] },
      population: { ...plainly.population, source: LONG, nodes: [...plainly.population.nodes, LONG] },
      signOff: [{ role: 'approver', name: LONG, title: LONG, on: '\u202e' }],
      ...nasty,
    })
    const provider = {
      ...PROVIDER,
      name: LONG,
      notes: [LONG],
      claims: PROVIDER.claims.map((one) => ({ ...one, text: LONG, documentRequired: LONG })),
    }
    const register = {
      ...registerOf({
        riskAcceptances: [riskAcceptanceOf({ reason: LONG, approvedBy: LONG, nodes: [LONG] })],
        documents: [documentOf({ name: LONG, summary: LONG })],
      }),
      decisions: [decisionOf({ reason: LONG, control: LONG, approverRole: LONG })],
      acceptanceRequests: [pendingOf({ requestedBy: LONG })],
    }
    const document = wholeReport(declaredInput({ engagement, provider }, register))
    for (const line of documentText(document)) {
      expect(line).not.toMatch(/[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/)
      expect(line.length).toBeLessThan(8000)
    }
    expect(sectionText(document, 'cover')).toContain('two lines\\u{2066}')
  })

  it('of any kind, anywhere in an engagement, never stop the report', () => {
    const words = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 })
    const { scope } = input.assessment
    const whole = matterOf(input)
    fc.assert(
      fc.property(words, words, words, (one, two, three) => {
        const withTexts = (value: unknown): unknown => {
          if (typeof value === 'string') return [one, two, three][value.length % 3]
          if (Array.isArray(value)) return value.map(withTexts)
          if (value === null || typeof value !== 'object') return value
          return Object.fromEntries(
            Object.entries(value).map(([name, part]) => [name, KEPT.has(name) ? part : withTexts(part)]),
          )
        }
        const engagement = withTexts(engagementOf()) as Engagement
        const matter = { ...whole, assessment: { ...input.assessment, scope: { ...scope, engagement } } }
        const sections = DECLARED.map((section) => section(matter))
        const shown = documentText({ ...full, sections }).join('')
        expect(/[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/.test(shown)).toBe(false)
      }),
      { numRuns: 12 },
    )
  })
})

describe('a large fleet', () => {
  const SIZE = 1000

  it('is written with every count over all its nodes', () => {
    const nodes = bigNodes(SIZE)
    const engagement = engagementOf({ population: { ...engagementOf().population, nodes }, inventory: null })
    const scope = { population: nodes, inFleet: nodes, engagement, provider: PROVIDER }
    const declared = bigInput(SIZE, { scope, register: FULL_REGISTER })
    const document = wholeReport(declared)
    expect(sectionText(document, 'cover')).toContain('1000 declared, 1000 in the fleet file')
    expect(sectionText(document, 'method')).toContain('900 of 1000 collected.')
    expect(sectionText(document, 'population')).toContain('100 of 1000')
  })
})
