import { sha256 } from '../../../main/core/base/digest.ts'
import { populationWith } from '../../../main/core/engagement/coverage.ts'
import type { ReportInput } from '../../../main/present/report.ts'
import type {
  AcceptanceRequest,
  ControlDecision,
  Engagement,
  ProviderProfile,
  Register,
  Scope,
} from '../../../schemas/types.ts'
import { documentOf, registerOf, riskAcceptanceOf } from '../register.ts'
import { sampleInput } from './sample.ts'

const BY = { owner: 'A. Weber', on: '2026-11-01' } as const

/** The nodes of the sample that are in its fleet file. */
export const ENROLLED: readonly string[] = [
  'ams-backup-01',
  'db-3',
  'gpu-fra-01',
  'gpu-fra-02',
  'gpu-fra-03',
  'vm-posing-as-metal-with-a-very-long-name-in-rack-17.fra.example.net',
]

/** An engagement with every part, over the nodes of the sample; one declared node is not enrolled, one row is unaccounted for. */
export const engagementOf = (changes: Partial<Engagement> = {}): Engagement => ({
  schema: 'barewitness.engagement/1',
  entity: 'Lindenhof Clinic',
  audience: 'Auditors of the clinic',
  purpose: 'Yearly evaluation of the imaging cluster',
  reportingBasis: { kind: 'period', from: '2026-01-01', to: '2026-12-31' },
  status: 'draft',
  distribution: 'Clinic and its auditors only',
  boundary: {
    system: 'Imaging cluster',
    services: ['Training', 'Archive'],
    sites: ['Frankfurt 2'],
    outside: [{ what: 'Office laptops', why: 'They hold no ePHI.' }],
    ...BY,
  },
  responsibilities: [{ area: 'Operating system', provider: 'Nobody', customer: 'Runs it', ...BY }],
  subserviceOrganizations: [
    {
      name: 'Halle Eins',
      services: 'Building and power',
      method: 'carve-out',
      report: { title: 'SOC 2 type 2', from: '2025-07-01', to: '2026-06-30', bridgedUntil: '2026-09-30' },
      controls: [{ text: 'Doors are watched.', controls: [{ framework: 'soc2', control: 'soc2:CC6.4' }] }],
      ...BY,
    },
    { name: 'Netz Zwei', services: 'Edge network', method: 'inclusive', report: null, controls: [], ...BY },
  ],
  complementaryUserEntityControls: [
    {
      id: 'UEC-1',
      of: 'Report of Halle Eins',
      text: 'Customers encrypt their disks.',
      controls: [{ framework: 'soc2', control: 'soc2:CC6.1' }],
      checks: ['encryption.at-rest.ephi-paths', 'no.such.check'],
      ...BY,
    },
    { id: 'UEC-2', of: 'Report of Halle Eins', text: 'Customers train people.', controls: [], checks: [], ...BY },
  ],
  ephi: {
    stores: [
      { name: 'Images', path: '/srv/ephi', nodes: ['gpu-fra-01', 'db-3', 'elsewhere-1'], what: 'Radiology images' },
    ],
    flows: [{ name: 'Nightly copy', from: 'gpu-fra-01', to: 'ams-backup-01', protection: 'TLS' }],
    ...BY,
  },
  population: { source: 'Asset list', nodes: [...ENROLLED, 'gpu-fra-09'], ...BY },
  inventory: {
    source: 'Portal of Halle Eins',
    kind: 'portal-export',
    file: { name: 'portal.csv', size: 120, sha256: sha256('inventory') },
    rows: [
      ...ENROLLED.map((name, index) => ({ id: `srv-${index + 1}`, name, address: null, serial: null })),
      { id: 'srv-8', name: 'stray', address: '198.51.100.8', serial: 'S8' },
      { id: 'srv-9', name: 'returned', address: null, serial: null },
    ],
    excluded: [{ id: 'srv-9', why: 'Handed back in May.' }],
    ...BY,
  },
  signOff: [
    { role: 'collector', name: 'K. Adeyemi', title: 'Engineer', on: '2026-11-20' },
    { role: 'qualified-person', name: 'M. Ortiz', title: 'Security official', on: null },
  ],
  ...BY,
  ...changes,
})

/** One promise for each answer. */
export const PROVIDER: ProviderProfile = {
  schema: 'barewitness.provider/1',
  id: 'halle-eins',
  name: 'Halle Eins',
  asOf: '2026-11-01',
  notes: ['Read by A. Weber.'],
  sources: [{ id: 'page', kind: 'page', title: 'Servers', where: 'https://halle.example/servers', on: '2026-10-30' }],
  claims: [
    claim('a-bare', 'No hypervisor is in the way.', [{ check: 'tenancy.no-hypervisor' }]),
    claim('b-clock', 'Clocks follow a time source.', [{ check: 'time.sync' }], { nodes: ['gpu-fra-01'] }),
    claim('c-staff', 'Staff is vetted.', [], { otherwise: 'document-required', documentRequired: 'Vetting procedure' }),
    claim('d-floor', 'Nobody else is on the floor.', [], {
      otherwise: 'not-observable',
      why: 'A server sees no floor.',
    }),
    claim('e-rate', 'Links run at 400 Gbit/s.', [{ test: 'link.rate', value: 400 }]),
  ],
}

function claim(
  id: string,
  text: string,
  tests: ProviderProfile['claims'][number]['tests'],
  more: Partial<ProviderProfile['claims'][number]> = {},
): ProviderProfile['claims'][number] {
  return { id, text, source: 'page', tests, otherwise: null, why: null, documentRequired: null, ...more }
}

export const decisionOf = (changes: Partial<ControlDecision> = {}): ControlDecision => ({
  id: 'd'.repeat(32),
  framework: 'hipaa',
  control: 'hipaa:164.312(a)(2)(iv)',
  decision: 'equivalent-alternative',
  reason: 'Drives are destroyed on site.',
  factors: 'Two sites, four people.',
  alternativeMeasure: 'Destruction on site',
  riskAnalysis: 'RA-2026, page 4',
  owner: 'K. Adeyemi',
  requestedBy: 'K. Adeyemi',
  approvedBy: 'M. Ortiz',
  approverRole: 'Security official',
  decidedAt: '2026-11-02T08:00:00.000Z',
  expiresAt: '2027-06-30T23:59:59.999Z',
  withdrawn: null,
  ...changes,
})

export const pendingOf = (changes: Partial<AcceptanceRequest> = {}): AcceptanceRequest => ({
  id: 'f'.repeat(32),
  check: 'encryption.at-rest.cipher',
  nodes: ['gpu-fra-02'],
  run: null,
  reason: 'A new image is being built.',
  compensatingControl: 'Weekly look at the advisories.',
  owner: 'K. Adeyemi',
  requestedBy: 'K. Adeyemi',
  requestedAt: '2026-11-05T08:00:00.000Z',
  expiresAt: '2027-03-01T23:59:59.999Z',
  ...changes,
})

/** A register with every kind of entry. */
export const FULL_REGISTER: Register = {
  ...registerOf({
    riskAcceptances: [riskAcceptanceOf({ check: 'encryption.at-rest.ephi-paths', nodes: ['gpu-fra-02'] })],
    documents: [documentOf({ controls: [{ framework: 'soc2', control: 'soc2:CC6.1' }] })],
  }),
  decisions: [decisionOf()],
  acceptanceRequests: [pendingOf()],
}

/** The sample with everything declared that can be. */
export const declaredInput = (scope: Partial<Scope> = {}, register: Register = FULL_REGISTER): ReportInput => {
  const engagement = scope.engagement ?? engagementOf()
  return sampleInput({
    scope: {
      population: [...populationWith(ENROLLED, engagement)],
      inFleet: [...ENROLLED],
      provider: PROVIDER,
      ...scope,
      engagement,
    },
    register,
  })
}
