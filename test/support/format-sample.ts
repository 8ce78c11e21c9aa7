import { AI_VIEWS, HIPAA_VIEWS } from '../../main/catalog/definition/frameworks/views.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { REMEDIATIONS } from '../../main/catalog/definition/remediation.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { assess, latest } from '../../main/core/conclusion/assess.ts'
import { tally } from '../../main/core/conclusion/tally.ts'
import { EVIDENCE_REQUESTS } from '../../main/core/register/register.ts'
import type { FormatInput } from '../../main/present/formats/input.ts'
import { presentationOf } from '../../main/present/presentation.ts'
import type { ControlDecision, Engagement, ProviderProfile, Register } from '../../schemas/types.ts'
import { fixtureNames, fixtureRecording } from './fixtures.ts'
import { documentOf, inspectedFor, registerOf, riskAcceptanceOf } from './register.ts'

const AS_OF = '2026-11-21T08:00:00.000Z'
const OWNED = { owner: 'A. Weber', on: '2026-11-01' } as const

const NAMES = fixtureNames().filter((name) => name.startsWith('demo-'))

const ENGAGEMENT: Engagement = {
  schema: 'barewitness.engagement/1',
  entity: 'Lindenhof Clinic',
  audience: 'Security office',
  purpose: 'Yearly evaluation',
  categories: ['availability'],
  reportingBasis: { kind: 'date', date: '2026-11-20' },
  status: 'draft',
  distribution: null,
  boundary: { system: 'Imaging', services: [], sites: [], outside: [], ...OWNED },
  responsibilities: [],
  subserviceOrganizations: [],
  complementaryUserEntityControls: [],
  ephi: { stores: [], flows: [], ...OWNED },
  population: { source: 'Asset list', nodes: [...NAMES, 'demo-missing-07'], ...OWNED },
  inventory: {
    source: 'Portal',
    kind: 'portal-export',
    file: { name: 'inventory.csv', size: 10, sha256: sha256('inventory') },
    rows: [
      { id: 'srv-1', name: null, address: null, serial: 'DEMO-S0001' },
      { id: 'srv-9', name: 'old-server', address: null, serial: null },
    ],
    excluded: [{ id: 'srv-9', why: 'Handed back in May.' }],
    ...OWNED,
  },
  signOff: [],
  ...OWNED,
}

const PROVIDER: ProviderProfile = {
  schema: 'barewitness.provider/1',
  id: 'a-provider',
  name: 'A provider',
  asOf: '2026-11-01',
  notes: [],
  sources: [
    { id: 'page', kind: 'page', title: 'Servers', where: 'https://provider.example/servers', on: '2026-11-01' },
  ],
  claims: [
    {
      id: 'no-hypervisor',
      text: 'Nothing stands between the system and the hardware.',
      source: 'page',
      tests: [{ check: 'tenancy.no-hypervisor' }],
      otherwise: null,
      why: null,
      documentRequired: null,
    },
  ],
}

const DECISION: ControlDecision = {
  id: 'd'.repeat(32),
  framework: 'hipaa',
  control: 'hipaa:164.312(a)(2)(iv)',
  decision: 'equivalent-alternative',
  reason: 'Drives are destroyed on site.',
  factors: null,
  alternativeMeasure: 'Destruction on site',
  riskAnalysis: null,
  owner: 'K. Adeyemi',
  requestedBy: 'K. Adeyemi',
  approvedBy: 'M. Ortiz',
  approverRole: 'Security officer',
  decidedAt: '2026-11-02T08:00:00.000Z',
  expiresAt: '2027-06-30T23:59:59.999Z',
  withdrawn: null,
}

const REGISTER: Register = {
  ...registerOf({
    riskAcceptances: [
      riskAcceptanceOf({ check: 'vuln.eol', nodes: ['demo-gpu-01', 'demo-gpu-02', 'demo-nosudo-06'] }),
      riskAcceptanceOf({
        id: 'e'.repeat(32),
        check: 'access.sshd.mfa',
        nodes: ['demo-gpu-01'],
        acceptedAt: '2026-01-01T08:00:00.000Z',
        expiresAt: '2026-03-01T23:59:59.999Z',
      }),
    ],
    documents: [
      documentOf({ controls: [{ framework: 'hipaa', control: DECISION.control }] }),
      inspectedFor('ER-31', { id: '1'.repeat(32), name: 'Agreement.pdf' }),
      inspectedFor('ER-18', {
        id: '2'.repeat(32),
        name: 'Bastion.pdf',
        answers: { checks: ['access.sshd.password-auth'], nodes: ['demo-guest-03'] },
      }),
      inspectedFor('ER-25', {
        id: '3'.repeat(32),
        name: 'Restore.pdf',
        level: 'reperformed',
        inspection: {
          by: 'M. Ortiz',
          at: '2026-11-03T08:00:00.000Z',
          lookedAt: 'One restore of the image store; two files differ.',
          conclusion: 'does-not-support',
        },
      }),
    ],
    documentRequests: [
      {
        framework: 'hipaa',
        control: 'hipaa:164.308(a)(1)(ii)(C)',
        need: 'Sanction policy',
        owner: '=HYPERLINK("http://evil.example")',
        due: '2026-12-01T23:59:59.999Z',
      },
      {
        framework: EVIDENCE_REQUESTS,
        control: 'ER-03',
        need: 'Risk analysis report with scope, date and approval',
        owner: 'A. Weber',
        due: '2026-11-01T23:59:59.999Z',
      },
    ],
  }),
  decisions: [DECISION],
  responses: [
    {
      id: '9'.repeat(32),
      check: 'vuln.eol',
      status: 'in-progress',
      owner: 'K. Adeyemi',
      due: '2026-12-15T23:59:59.999Z',
      plan: 'New image',
      cause: 'The image was not renewed.',
      statedBy: 'M. Ortiz',
      statedAt: '2026-11-10T08:00:00.000Z',
      withdrawn: null,
    },
  ],
  acceptanceRequests: [
    {
      id: 'f'.repeat(32),
      check: 'encryption.in-transit.fabric',
      nodes: ['demo-gpu-01'],
      run: null,
      reason: 'A new image is being built.',
      compensatingControl: 'Weekly look at the advisories.',
      owner: 'K. Adeyemi',
      requestedBy: 'K. Adeyemi',
      requestedAt: '2026-11-01T08:00:00.000Z',
      expiresAt: '2027-03-01T23:59:59.999Z',
    },
  ],
}

/** The demo fleet under an engagement, with a node that gave nothing and a register of every kind of entry. */
export function formatSample(): FormatInput {
  const recordings = NAMES.map((name) => fixtureRecording(name, catalog.probes))
  const population = ENGAGEMENT.population.nodes
  const assessment = assess({
    catalog,
    scope: {
      fleet: 'demo',
      population,
      inFleet: NAMES,
      frameworks: catalog.frameworks.filter(({ proposed }) => !proposed).map(({ id }) => id),
      engagement: ENGAGEMENT,
      provider: PROVIDER,
    },
    recordings,
    asOf: AS_OF,
    register: REGISTER,
  })
  return shownAgain({
    assessment,
    catalog,
    remediations: REMEDIATIONS,
    recordings: population.flatMap((node) => latest(recordings, node) ?? []),
    register: REGISTER,
    producer: 'Barewitness 0.1.0',
    evidenceDigest: sha256('evidence'),
    packName: 'demo-20261121.barewitness.zip',
    signer: { subject: 'CN=Demo', fingerprint: sha256('certificate') },
    demo: true,
    run: 'demo-20261121',
    prefix: 'Demo_2026-11-21',
    views: { hipaa: HIPAA_VIEWS, ai: AI_VIEWS },
  })
}

/** An input with the findings of its assessment. */
export const shownAgain = (input: Omit<FormatInput, 'shown'>): FormatInput => ({
  ...input,
  shown: presentationOf({ ...input, tally: tally(input.assessment, input.catalog.checks) }),
})

/** As many nodes as asked for, made from those of an input under other names. */
export function enlarged(input: FormatInput, size: number): FormatInput {
  const { nodes } = input.assessment
  const many = Array.from({ length: size }, (_, index) => ({
    ...(nodes[index % nodes.length] as (typeof nodes)[number]),
    node: `node-${String(index).padStart(5, '0')}`,
  }))
  const recordings = many.flatMap(({ node }, index) => {
    const from = input.recordings[index % nodes.length]
    return from === undefined
      ? []
      : [{ ...from, recording: { ...from.recording, node: { ...from.recording.node, name: node } } }]
  })
  return shownAgain({ ...input, recordings, assessment: { ...input.assessment, nodes: many } })
}
